// What was done and cannot be built on: an effect was accepted and then failed at its goal, or something else was found under
// its operation. Nothing more of its plan is sent before a person has seen that. Pure.
import type { Effect } from "../records/effect.ts";
import type { Review, ReviewKind } from "../records/review.ts";
import type { Snapshot } from "../records/snapshot.ts";

export function isFailed(effect: Effect): boolean {
  return effect.status === "confirmed" && effect.receipt.stage === "failed";
}

/** The effects that a plan rests on: its own, and those that it compensates. */
export function restsOn({ effects }: Snapshot, ofPlan: readonly Effect[]): Effect[] {
  const madeGood = new Set(ofPlan.map(({ compensates }) => compensates));
  return [...ofPlan, ...effects.filter(({ operationId }) => madeGood.has(operationId))];
}

/** The first unresolved review of these kinds about one of these effects. */
export function openDoubt(
  { reviews }: Pick<Snapshot, "reviews">,
  effects: readonly Pick<Effect, "operationId">[],
  kinds: readonly ReviewKind[] = ["NotificationFailed", "EvidenceMismatch"],
): Review | undefined {
  // Looked for among the reviews: the effect's own `reviewRef` may name a later one.
  return reviews.find(
    ({ kind, resolution, subject }) =>
      kinds.includes(kind) &&
      resolution === undefined &&
      effects.some(({ operationId }) => operationId === subject),
  );
}

/** The review that says that something else was found under this operation. */
export function openMismatch(
  snapshot: Snapshot,
  effect: Pick<Effect, "operationId">,
): Review | undefined {
  return openDoubt(snapshot, [effect], ["EvidenceMismatch"]);
}
