// A scratch copy of the source with one rule removed, and the one test that must then fail.
//
// The copy lies below the project's own folder, so that packages resolve as they do here. A patch that no longer fits is an
// error, not a pass: the list must follow the code.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";

const root = join(import.meta.dirname, "..", "..");
const rooms = ["agent", "domain", "flow", "memory", "providers", "stores"];
const app = ["shared", ...rooms.map((room) => `test/${room}`), "package.json"];

export interface Trial {
  /** Undefined: the control, whose test must pass. */
  mutant?: Mutant;
  testFile: string;
  pattern: string;
  /** What the copy holds; the app and its tests, unless told otherwise. */
  copied?: readonly string[];
}

export type Verdict = { killed: true } | { killed: false; why: string };

export async function survives(name: string, run: Trial): Promise<Verdict> {
  const scratch = join(root, ".local", "mutants", name);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  try {
    for (const path of run.copied ?? app)
      cpSync(join(root, path), join(scratch, path), { recursive: true });
    if (run.mutant !== undefined) patch(scratch, run.mutant);
    return await verdictOf(scratch, run);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function patch(scratch: string, mutant: Mutant): void {
  const path = join(scratch, mutant.file);
  const source = readFileSync(path, "utf8");
  const pieces = source.split(mutant.find);
  if (pieces.length !== 2) {
    throw new Error(`${mutant.rule}: its text stands ${pieces.length - 1} times in ${mutant.file}`);
  }
  writeFileSync(path, pieces.join(mutant.replace));
}

async function verdictOf(scratch: string, run: Trial): Promise<Verdict> {
  const report = join(scratch, "report.json");
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", run.testFile, "--root", scratch, "-t", escaped(run.pattern)];
  const output = [`--reporter=json`, `--outputFile=${report}`, "--testTimeout=15000"];
  const child = spawn(process.execPath, [...args, ...output], { stdio: "ignore" });
  await new Promise((ended) => child.once("exit", ended));
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as VitestReport;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const ran = results.filter(({ status }) => status === "passed" || status === "failed");
  if (ran.length === 0) return { killed: false, why: `no test ran: ${run.pattern}` };
  const failed = ran.filter(({ status }) => status === "failed");
  // Killed by what the world holds, not by a crash or a time-out of the harness.
  const byClaim = failed.some(({ failureMessages }) =>
    failureMessages.some((message) => message.includes("AssertionError")),
  );
  return byClaim
    ? { killed: true }
    : { killed: false, why: failed[0]?.failureMessages[0] ?? "it passed" };
}

interface VitestReport {
  testResults: { assertionResults: { status: string; failureMessages: string[] }[] }[];
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
