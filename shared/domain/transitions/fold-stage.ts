// A later stage of a confirmed effect: accepted, then delivered or failed. Pure.
//
// It changes no status. A failure goes to a person, and what was decided on the success is decided anew.
import { isFailed } from "../decisions/doubts.ts";
import type { Effect } from "../records/effect.ts";
import type { Receipt } from "../records/evidence.ts";
import {
  caseOf,
  effectOf,
  planEffects,
  withCase,
  withEffect,
  withLine,
  type Snapshot,
} from "../records/snapshot.ts";
import type { FoldOptions } from "./fold-statement.ts";
import { resolveReview, reviewFailure } from "./reviews.ts";

export function foldStage(
  snapshot: Snapshot,
  effect: Effect & { status: "confirmed" },
  { receipt, options }: { receipt: Receipt; options: FoldOptions },
): Snapshot {
  if (receipt.stage === effect.receipt.stage || receipt.stage === "accepted") return snapshot;
  // Reports overtake each other: an older "delivered" does not undo a failure.
  if (effect.receipt.stage === "failed") return snapshot;
  // The first receipt was compared with the operation; its binding stays.
  const { boundTo } = effect.receipt;
  const told = withLine(
    withoutSilence(snapshot, { ...effect, receipt: { ...receipt, boundTo } }, options.nowMs),
    `${effect.action} is now ${receipt.stage}`,
  );
  return reviewFailure(endCompensation(told, effect), effect.operationId, options);
}

/** A compensation that was decided before its effect turned out to have failed is decided anew, on a new version. */
function endCompensation(snapshot: Snapshot, { operationId }: Effect): Snapshot {
  const { version } = caseOf(snapshot);
  const isCompensated = planEffects(snapshot).some(
    ({ compensates, status }) => compensates === operationId && status !== "confirmed",
  );
  const hasFailed = isFailed(effectOf(snapshot, operationId));
  return isCompensated && hasFailed ? withCase(snapshot, { version: version + 1 }) : snapshot;
}

/** With a report of delivery the review of its silence is resolved. */
function withoutSilence(snapshot: Snapshot, effect: Effect, nowMs: number): Snapshot {
  const review = snapshot.reviews.find(({ id }) => id === effect.reviewRef);
  if (review?.kind !== "DeliverySilent") return withEffect(snapshot, effect);
  const resolution = { how: "settled: its delivery was reported", by: "finding", atMs: nowMs };
  const { reviewRef: _resolved, ...reported } = effect;
  return withEffect(resolveReview(snapshot, review.id, resolution), reported);
}
