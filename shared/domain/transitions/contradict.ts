// Evidence against a final status: the status stays, a review opens, and the plan lane waits for a person (design.md 4). Pure.
import { repeatConsequence } from "../decisions/consequences.ts";
import type { Book } from "../definitions.ts";
import { caseOf, effectOf, withCase, withEffect, type Snapshot } from "../records/snapshot.ts";
import { openReview } from "./reviews.ts";

/** One review for each provider id that speaks against the status, also after a person has seen another one. */
export function contradict(
  snapshot: Snapshot,
  operationId: string,
  { providerId, why }: { why: string; providerId?: string },
  options: { book: Book; nowMs: number },
): Snapshot {
  const effect = effectOf(snapshot, operationId);
  const { nowMs } = options;
  const { contradicted } = effect;
  const known = contradicted?.providerIds ?? [];
  const isNew = providerId !== undefined && !known.includes(providerId);
  if (contradicted !== undefined && !isNew) return snapshot;
  const [reviewed] = openReview(snapshot, {
    subject: operationId,
    kind: "Contradiction",
    why: `${effect.action}: ${why}`,
    consequence: repeatConsequence(options.book, effect),
    nowMs,
  });
  const counted = withCase(reviewed, {
    contradictionsOpen: caseOf(reviewed).contradictionsOpen + 1,
  });
  const providerIds = providerId === undefined ? known : [...known, providerId];
  return withEffect(counted, { ...effect, contradicted: { atMs: nowMs, why, providerIds } });
}
