// The await boundaries that the source of a turn names: each of them must be reached by a combination.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The files of which a turn is made; `test/tidy/boundaries.test.ts` holds every await in them to this. */
export const turnFiles = [
  "turn/turn",
  "turn/advance-case",
  "turn/claim-and-send",
  "turn/send-effect",
  "turn/look-up",
  "turn/read-payload",
  "turn/keep-evidence",
  "turn/leave-alone",
  "turn/write-draft",
  "turn/due-hint",
  "deciding/decide-once",
  "deciding/memo",
] as const;

/** The folders in which a turn lives; any other file of theirs names no boundary. */
export const turnFolders = ["turn", "deciding"] as const;

export const flowFolder = join(import.meta.dirname, "..", "..", "shared", "flow");

export function sourceOf(file: string): string {
  return readFileSync(join(flowFolder, `${file}.ts`), "utf8");
}

export function boundariesInSource(): string[] {
  const named = turnFiles.flatMap((file) => [...sourceOf(file).matchAll(/ports\.at\(\s*"(\w+)"/g)]);
  return [...new Set(named.flatMap(([, name]) => name ?? []))].sort();
}
