// Whether a review was spoken for before: the first statement stands, and the same decision told again is the same.
//
// The same is: under the same id, by the same person, saying the same. Ids are made by clients, and two may make one: whoever else
// comes with it is told by whom and when, and never that his own word was taken.
import { digestOf } from "../../../domain/canonical-json.ts";
import type { Statement } from "../../../domain/records/evidence.ts";
import type { Reply } from "../serve.ts";
import { nameOf, type FoundReview } from "./find-review.ts";
import type { Resolved } from "./resolution.ts";

export interface Told {
  decisionId: string;
  /** Who sends it: of a forced statement the second person. */
  by: string;
  /** Of a confirmation it is the first person's. */
  statement?: Statement;
}

export function saidBefore(found: FoundReview, told: Told): Reply<Resolved> | undefined {
  const { records, review, statements } = found;
  const same = statements.find(
    ({ by, content }) =>
      content.decisionId === told.decisionId &&
      (content.confirmedBy ?? by) === told.by &&
      (told.statement === undefined || digestOf(told.statement) === digestOf(content.statement)),
  );
  if (same !== undefined) return { kind: "done", body: { state: "recorded", findingId: same.id } };
  const waiting = statements.find(({ folded }) => folded === undefined);
  const { resolution } = review;
  const first =
    resolution ??
    (waiting && { how: waiting.content.statement.kind, by: waiting.by, atMs: waiting.foundAtMs });
  if (first === undefined) return undefined;
  const when = new Date(first.atMs).toISOString();
  const detail = `It was resolved before: ${first.how}, by ${nameOf(records, first.by)} at ${when}.`;
  return { kind: "problem", problem: { status: 409, slug: "resolved-before", detail } };
}
