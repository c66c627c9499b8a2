// One mutant from patch to verdict, in a scratch copy of its own.
import { spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Judged } from "./judge.ts";
import type { Patch, SafetyMutant } from "./mutant.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const copied = [
  "shared",
  "test/audit",
  "test/crash",
  "test/memory",
  "test/mutants/safety",
  "test/simulation",
  "package.json",
];
const judgedForMs = 240_000;

export type Verdict =
  | { kind: "killed"; by: string; evidence: string; schedules: number }
  | { kind: "survived"; why: string };

export interface Trial {
  seed: number;
  schedules: number;
}

export async function runMutant(mutant: SafetyMutant, trial: Trial): Promise<Verdict> {
  const judged = await judge(mutant.patches, { ...trial, rules: mutant.seenBy });
  if (typeof judged === "string") return { kind: "survived", why: judged };
  const [by] = mutant.seenBy.filter((rule) => rule in judged.spoke);
  if (by !== undefined) {
    return { kind: "killed", by, evidence: judged.spoke[by] ?? "", schedules: judged.schedules };
  }
  const others = Object.keys(judged.spoke).join(", ") || "no rule";
  return { kind: "survived", why: `${others} spoke` };
}

/** What the auditor says of a patched copy; a text when the copy could not be judged at all. */
export async function judge(
  patches: readonly Patch[],
  options: Trial & { rules: readonly string[] },
): Promise<Judged | string> {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-mutant-"));
  try {
    for (const path of copied) {
      mkdirSync(join(scratch, path, ".."), { recursive: true });
      cpSync(join(root, path), join(scratch, path), { recursive: true });
    }
    symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"), "dir");
    for (const patch of patches) apply(scratch, patch);
    return await runJudge(scratch, options);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function apply(scratch: string, patch: Patch): void {
  const path = join(scratch, patch.file);
  const pieces = readFileSync(path, "utf8").split(patch.find);
  if (pieces.length !== 2) {
    throw new Error(
      `the text to patch stands ${pieces.length - 1} times in ${patch.file}: ${patch.find}`,
    );
  }
  writeFileSync(path, pieces.join(patch.replace));
}

async function runJudge(
  scratch: string,
  { rules, schedules, seed }: Trial & { rules: readonly string[] },
): Promise<Judged | string> {
  const script = join(scratch, "test", "mutants", "safety", "judge.ts");
  const child = spawn(
    process.execPath,
    [script, String(seed), String(schedules), rules.join(",")],
    {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: judgedForMs,
    },
  );
  let [output, errors] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => void (output += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => void (errors += bytes.toString()));
  const [code, signal] = await new Promise<[number | null, string | null]>((ended) => {
    child.once("close", (...how) => ended(how));
  });
  if (signal !== null) return `it was still running after ${judgedForMs} ms`;
  if (code !== 0)
    return `its process ended with ${code}: ${errors.trim().split("\n").slice(-8).join(" ")}`;
  return JSON.parse(output) as Judged;
}
