// When somebody must look at a case again (design.md 6). It wakes, it never decides.
//
// Set by every batch from what `next` says of the record as the batch leaves it: the deadline of the call in flight, a
// back-off's end, a grace for work that this worker is about to go on with; absent when only a
// person or something new can move the case.
import type { Book } from "./definitions.ts";
import { waitsForCode } from "./decisions/missing-code.ts";
import { next } from "./decisions/next.ts";
import { isWork } from "./decisions/step.ts";
import { lastAttempt } from "./records/effect.ts";
import { effectOf, type Snapshot } from "./records/snapshot.ts";

/** How long a worker that is about to go on may take before somebody else looks. */
export const graceMs = 30_000;
/** A grant lives in another partition, and a key in a setting: granting hints the case, and this looks anyway. */
const withheldRecheckMs = 15 * 60_000;
/** A deploy wakes nobody, and a removed workflow may have left many cases: one cheap look an hour. */
const codeRecheckMs = 3_600_000;
/** Long enough that the deadline, which counts from the store's own whole seconds, has passed. */
const deadlineSlackMs = 2500;

const overdueMs = 10_000;

/**
 * Work that should long have been done: perhaps its workers die of it. No message's own count can tell, because a lost
 * connection counts nowhere; so such work is counted by us before it is tried again.
 */
export function isOverdue(snapshot: Snapshot, nowMs: number): boolean {
  const before = nowMs - overdueMs;
  const { case: record, events, findings } = snapshot;
  return (
    (record?.dueAtMs !== undefined && record.dueAtMs < before) ||
    events.some(
      ({ folded, putOff, receivedAtMs }) =>
        folded === undefined && putOff === undefined && receivedAtMs < before,
    ) ||
    findings.some(({ folded, foundAtMs }) => folded === undefined && foundAtMs < before)
  );
}

export function dueAtMsOf(
  snapshot: Snapshot,
  book: Book,
  options: { nowMs: number; withheld?: ReadonlySet<string> },
): number | undefined {
  const { nowMs } = options;
  const claim = snapshot.case?.claim;
  if (claim !== undefined) {
    const attempt = lastAttempt(effectOf(snapshot, claim.operationId));
    return nowMs + (attempt?.callTimeoutMs ?? graceMs) + deadlineSlackMs;
  }
  const step = next(snapshot, book, options);
  if (isWork(step)) return nowMs + graceMs;
  switch (step.kind) {
    case "nothing":
      return undefined;
    case "wait":
      return Math.min(step.untilMs ?? nowMs + graceMs, recheckAtMs(snapshot, options));
    case "leave":
    case "draining":
      return nowMs + graceMs;
    case "idle": {
      const atMs = recheckAtMs(snapshot, options);
      return atMs === Infinity ? undefined : atMs;
    }
  }
}

/** What waits for something that is no record of this case. */
function recheckAtMs(
  snapshot: Snapshot,
  { nowMs, withheld }: { nowMs: number; withheld?: ReadonlySet<string> },
): number {
  if ((withheld?.size ?? 0) > 0) return nowMs + withheldRecheckMs;
  return waitsForCode(snapshot) ? nowMs + codeRecheckMs : Infinity;
}
