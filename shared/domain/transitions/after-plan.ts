// An abandoned effect that is settled after its plan has ended is a new fact: the case gets a new version, and on a final status,
// where nothing is decided any more, also a review. Pure.
import type { ChoiceFacts } from "../decisions/verdicts.ts";
import type { Effect } from "../records/effect.ts";
import { caseOf, withCase, type Snapshot } from "../records/snapshot.ts";
import { openReview } from "./reviews.ts";

/** `before`: the effect as it was until now. The same snapshot where its plan still stands, and for an outbox effect. */
export function afterPlan(
  snapshot: Snapshot,
  before: Effect,
  { book, nowMs }: ChoiceFacts,
): Snapshot {
  const record = caseOf(snapshot);
  if (before.origin !== "plan") return snapshot;
  if (record.plan?.operationIds.includes(before.operationId) === true) return snapshot;
  const moved = withCase(snapshot, { version: record.version + 1 });
  const statuses = book.workflow(record.workflow.type)?.statuses;
  if (statuses?.[record.status]?.final !== true) return moved;
  return openReview(moved, {
    subject: "case",
    kind: "FactsChangedAfterEnd",
    why: `${before.action} (${before.operationId}), which had been given up, was settled after the case had ended`,
    consequence: "What was done and told since rests on not knowing it.",
    nowMs,
  })[0];
}
