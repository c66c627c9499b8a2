// A decider that threw decided nothing: when it is asked again, and when a person must look. Pure.
//
//   transient   a model or a service of the decider gave no answer: asked sixteen times in all, with back-off: for three hours
//   defect      anything else that it threw: asked three times in all, in case it passes
//
// The count stands on the case, by version, in one batch with the time of the next try. So the message is done and uses up no
// delivery, and a lost hint loses nothing: the sweep finds the same time.
import { backOffMs, providerBackOffMsMax } from "../decisions/back-off.ts";
import { retryAfterMsMax } from "../retry-after.ts";
import { caseOf, withCase, withLine, type Snapshot } from "../records/snapshot.ts";
import { holdCase } from "./reviews.ts";

export interface DeciderFailure {
  kind: "transient" | "defect";
  /** For a person. Holds nothing of what the decider was given. */
  why: string;
  retryAfterMs?: number | undefined;
}

const transientMax = 16;
const defectsMax = 3;
/** An outage of a model lasts longer than a lost packet, so the first wait is as long as a fourth try's. */
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
    // Once the hold is lifted, counting starts anew.
    const forgotten = withCase(failed, { decideRetry: undefined });
    return holdCase(forgotten, { reason: "DeciderFailing", why, nowMs });
  }
  const subject = `${record.tenantId}:${record.caseId}:${version}`;
  const waitMs = backOffMs(subject, transient + defects + waitsSkipped, providerBackOffMsMax);
  const askedMs = Math.min(retryAfterMsMax, failure.retryAfterMs ?? 0);
  const notBeforeMs = nowMs + Math.max(waitMs, askedMs);
  return withCase(failed, { decideRetry: { version, transient, defects, notBeforeMs } });
}
