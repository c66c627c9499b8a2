// A decider that threw decided nothing: when it is asked again, and when a person must look. Pure.
//
//   transient   a model or a service of the decider gave no answer: asked again with back-off, eight times
//   defect      anything else that it threw: asked three times, in case it was the moment
//
// Counted on the case and per version, in one batch with the time of the next try: so the message is done with, no delivery
// is used up, and a lost hint loses nothing, because the sweeper finds the same time.
import { backOffMs } from "../decisions/back-off.ts";
import { retryAfterMsMax } from "../retry-after.ts";
import { caseOf, withCase, withLine, type Snapshot } from "../records/snapshot.ts";
import { holdCase } from "./reviews.ts";

export interface DeciderFailure {
  kind: "transient" | "defect";
  /** For a person; without anything that the decider was given. */
  why: string;
  retryAfterMs?: number | undefined;
}

const transientMax = 8;
const defectsMax = 3;
/** A model's outage lasts longer than a lost packet: the first wait is that of the fourth try. */
const waitsSkipped = 3;

export function deciderFailed(
  snapshot: Snapshot,
  failure: DeciderFailure,
  nowMs: number,
): Snapshot {
  const record = caseOf(snapshot);
  const { version } = record;
  const before = record.decideRetry?.version === version ? record.decideRetry : undefined;
  const transient = (before?.transient ?? 0) + (failure.kind === "transient" ? 1 : 0);
  const defects = (before?.defects ?? 0) + (failure.kind === "defect" ? 1 : 0);
  const failed = withLine(snapshot, `the decider failed on v${version}: ${failure.why}`);
  if (transient >= transientMax || defects >= defectsMax) {
    const why = `the decider failed ${transient + defects} times, at last: ${failure.why}`;
    // Counted anew once the hold is lifted.
    const forgotten = withCase(failed, { decideRetry: undefined });
    return holdCase(forgotten, { reason: "DeciderFailing", why, nowMs });
  }
  const subject = `${record.tenantId}:${record.caseId}:${version}`;
  const waitMs = backOffMs(subject, transient + defects + waitsSkipped);
  const askedMs = Math.min(retryAfterMsMax, failure.retryAfterMs ?? 0);
  const notBeforeMs = nowMs + Math.max(waitMs, askedMs);
  return withCase(failed, { decideRetry: { version, transient, defects, notBeforeMs } });
}
