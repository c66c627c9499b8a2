// When somebody must look at a case again (design.md 6). It wakes, it never decides.
//
// Every batch sets it, from what `next` says of the record as the batch leaves it: the deadline of the call in flight, the end of a
// back-off, or a grace for work that this worker is about to do. It is absent when only a person or something new can move
// the case.
import type { Book } from "./definitions.ts";
import { waitsForCode } from "./decisions/missing-code.ts";
import { next } from "./decisions/next.ts";
import { isWork } from "./decisions/step.ts";
import { lastAttempt } from "./records/effect.ts";
import { effectOf, type Snapshot } from "./records/snapshot.ts";

/** How long a worker may take to go on before somebody else looks. */
export const graceMs = 30_000;
/** Granting hints the case, but a grant lives in another partition and that hint may be lost. A payload key is a setting. */
const withheldRecheckMs = 15 * 60_000;
/** A deploy wakes no case, and a removed workflow may have left many: one cheap look an hour. */
const codeRecheckMs = 3_600_000;
/** With this the deadline has passed for certain, although it counts from the store's whole seconds. */
const deadlineSlackMs = 2500;

const overdueMs = 10_000;

/**
 * Whether there is work that should have been done ten seconds ago: perhaps its workers die of it. The broker's delivery count
 * cannot tell, because a lost connection does not raise it. So such work is counted here before it is tried again.
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

/** In the store's time; undefined when nobody needs to look before something new arrives. */
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

/** When to look again for what is no record of this case: a grant, a key, deployed code. Infinity when nothing waits for such. */
function recheckAtMs(
  snapshot: Snapshot,
  { nowMs, withheld }: { nowMs: number; withheld?: ReadonlySet<string> },
): number {
  if ((withheld?.size ?? 0) > 0) return nowMs + withheldRecheckMs;
  return waitsForCode(snapshot) ? nowMs + codeRecheckMs : Infinity;
}
