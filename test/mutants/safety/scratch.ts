// A scratch copy of the app and of what judges it, patched, and one script that runs in it.
//
// Nothing is left behind, whichever way out is taken.
import { spawn, type ChildProcess } from "node:child_process";
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
import { pathToFileURL } from "node:url";
import type { Patch } from "./mutant.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const copied = [
  "shared",
  "test/audit",
  "test/command-line.ts",
  "test/crash",
  "test/memory",
  "test/mutants/safety",
  "test/simulation",
  "package.json",
];
const preload = pathToFileURL(join(import.meta.dirname, "end-with-parent.ts")).href;
/** For one run of a script. */
export const runsForMs = 600_000;

/** What is there for as long as a judge works. */
const open = new Map<string, ChildProcess | undefined>();
process.once("exit", () => {
  for (const [scratch, child] of open) {
    child?.kill("SIGKILL");
    rmSync(scratch, { recursive: true, force: true });
  }
});

export interface Ended {
  /** Null: a signal ended it. */
  code: number | null;
  output: string;
  errors: string;
}

/** Runs scripts in a patched copy, one at a time. */
export async function inScratch<Result>(
  patches: readonly Patch[],
  act: (runScript: (script: string, args: readonly string[]) => Promise<Ended>) => Promise<Result>,
): Promise<Result> {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-mutant-"));
  open.set(scratch, undefined);
  try {
    for (const path of copied) {
      mkdirSync(join(scratch, path, ".."), { recursive: true });
      cpSync(join(root, path), join(scratch, path), { recursive: true });
    }
    symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"), "dir");
    for (const patch of patches) apply(scratch, patch);
    return await act((script, args) => runScript(scratch, script, args));
  } finally {
    open.delete(scratch);
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

async function runScript(scratch: string, script: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ["--import", preload, join(scratch, script), ...args], {
    timeout: runsForMs,
  });
  open.set(scratch, child);
  let [output, errors] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => void (output += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => void (errors += bytes.toString()));
  const code = await new Promise<number | null>((ended) => child.once("close", ended));
  return { code, output, errors };
}
