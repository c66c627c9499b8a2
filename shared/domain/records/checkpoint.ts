// A memoised step of a decider: the result of one model call, kept so that a crash does not pay for it twice.
//
// It is disposable and no record of anything (seed 1, Breaks 3 and 4): restored only under the revision and the case version
// that it was made for, and gone after a week. A step without one is computed again.
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

/** Throws a TerminalFault for a name that an id cannot hold. */
export function checkpointIdOf(version: number, name: string): string {
  if (!memoNamePattern.test(name)) {
    throw new TerminalFault("memo name: use 1 to 64 of a-z, 0-9 and -.");
  }
  return `checkpoint:${version}:${name}`;
}
