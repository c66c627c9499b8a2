// A memoised step of a decider: what one model call gave, kept so that a crash does not pay for it twice.
//
// Disposable, and no record of anything: it decides nothing by itself, is restored only under the revision and the case
// version that it was made for, and goes after a week (seed 1, Breaks 3 and 4). What it cannot give is asked again.
import { z } from "zod";
import { TerminalFault } from "../faults.ts";
import { schemaVersion } from "./evidence.ts";

export const checkpointTtlSeconds = 7 * 24 * 3600;

const memoNamePattern = /^[a-z0-9-]{1,64}$/;

export const Checkpoint = z.object({
  id: z.string(),
  type: z.literal("checkpoint"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  version: z.int().nonnegative(),
  name: z.string().regex(memoNamePattern),
  workflow: z.object({ type: z.string(), revision: z.int() }),
  value: z.json(),
  ttl: z.int().positive(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** Throws a TerminalFault when the name is none that an id can hold. */
export function checkpointIdOf(version: number, name: string): string {
  if (!memoNamePattern.test(name)) {
    throw new TerminalFault("memo name: use 1 to 64 of a-z, 0-9 and -.");
  }
  return `checkpoint:${version}:${name}`;
}
