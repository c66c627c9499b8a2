// What a provider tells of a thing that is confirmed already: accepted, then delivered or failed. Pure.
//
// It changes no status. What has failed at its goal goes to a person, and what was decided on its success is decided anew.
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
import { holdEffect, resolveReview } from "./reviews.ts";

/** A later stage of the same receipt: accepted, then delivered or failed. */
export function foldStage(
  snapshot: Snapshot,
  effect: Effect & { status: "confirmed" },
  { receipt, options }: { receipt: Receipt; options: FoldOptions },
): Snapshot {
  if (receipt.stage === effect.receipt.stage || receipt.stage === "accepted") return snapshot;
  // Reports overtake each other: what has failed is not made good by an older "delivered".
  if (effect.receipt.stage === "failed") return snapshot;
  // What it was proved to be, it was by the words of the first.
  const { boundTo } = effect.receipt;
  const told = withLine(
    withoutSilence(snapshot, { ...effect, receipt: { ...receipt, boundTo } }, options.nowMs),
    `${effect.action} is now ${receipt.stage}`,
  );
  return reviewFailure(toldToWhatMakesItGood(told, effect), effect.operationId, options);
}

/** Taking back what turns out to have failed was decided without knowing that: it is decided anew, on a new version. */
function toldToWhatMakesItGood(snapshot: Snapshot, { operationId }: Effect): Snapshot {
  const { version } = caseOf(snapshot);
  const isMadeGood = planEffects(snapshot).some(
    ({ compensates, status }) => compensates === operationId && status !== "confirmed",
  );
  const hasFailed = isFailed(effectOf(snapshot, operationId));
  return isMadeGood && hasFailed ? withCase(snapshot, { version: version + 1 }) : snapshot;
}

/** What was sent and then failed at its goal: whoever it was for does not have it, and a person must know. */
export function reviewFailure(
  snapshot: Snapshot,
  operationId: string,
  options: FoldOptions,
): Snapshot {
  const effect = effectOf(snapshot, operationId);
  if (effect.status !== "confirmed" || effect.receipt.stage !== "failed") return snapshot;
  return holdEffect(snapshot, effect, {
    kind: "NotificationFailed",
    why: `${effect.action} was accepted and then failed: whom or what it was for, it did not reach`,
    consequence: options.book.action(effect.action)?.consequence ?? "",
    nowMs: options.nowMs,
  });
}

/** A report ends the silence, and with it the review that the silence opened. */
function withoutSilence(snapshot: Snapshot, effect: Effect, nowMs: number): Snapshot {
  const review = snapshot.reviews.find(({ id }) => id === effect.reviewRef);
  if (review?.kind !== "DeliverySilent") return withEffect(snapshot, effect);
  const resolution = { how: "settled: its delivery was reported", by: "finding", atMs: nowMs };
  const { reviewRef: _resolved, ...reported } = effect;
  return withEffect(resolveReview(snapshot, review.id, resolution), reported);
}
