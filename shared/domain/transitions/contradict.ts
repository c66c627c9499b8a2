// Evidence against a final status: the status stays, a person is shown it, and the plan waits for that person (design.md 4). Pure.
import type { Book } from "../definitions.ts";
import { caseOf, effectOf, withCase, withEffect, type Snapshot } from "../records/snapshot.ts";
import { openReview } from "./reviews.ts";

/** Each thing that speaks against it is shown once, also after a person has seen another. */
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
    consequence: options.book.action(effect.action)?.consequence ?? "",
    nowMs,
  });
  const counted = withCase(reviewed, {
    contradictionsOpen: caseOf(reviewed).contradictionsOpen + 1,
  });
  const providerIds = providerId === undefined ? known : [...known, providerId];
  return withEffect(counted, { ...effect, contradicted: { atMs: nowMs, why, providerIds } });
}
