// The open reviews of a tenant, held cases among them, in the order of what waiting costs.
import { z } from "zod";
import type { CaseRow, OperatorStore } from "../../../stores/operator-ports.ts";
import { Position } from "../../../stores/operator-ports.ts";
import { Review, reviewKinds } from "../../../domain/records/review.ts";
import { cursorOf, cursorText, Max, Next } from "../page.ts";
import { getRoute, Tenant } from "../route.ts";
import type { Reply } from "../serve.ts";
import { kindsByCost } from "./rank.ts";

/** Where the last page ended: in which kind, and where in it. */
const Place = z.object({ kind: z.enum(reviewKinds), after: Position.optional() });

const Query = z.strictObject({ max: Max, cursor: cursorOf(Place) });

const Row = Review.omit({ type: true, schemaVersion: true, resolution: true }).extend({
  externalRef: z.string(),
  workflow: z.string(),
  status: z.string(),
  ageMs: z.int().describe("How long it has been open, by the worker's clock."),
});

const Listed = z.object({ reviews: z.array(Row), next: Next });

export const listReviewsRoute = getRoute({
  name: "list-reviews",
  path: "reviews/{tenant}",
  summary: "The open reviews of a tenant and its held cases, by what waiting costs.",
  role: "reader",
  params: z.strictObject({ tenant: Tenant }),
  query: Query,
  answer: { schema: Listed, says: "One page, the costliest first and the oldest first in a kind." },
  problems: [],
});

export async function listReviews(
  ports: { operators: OperatorStore; nowMs(): number },
  tenantId: string,
  { cursor, max }: z.output<typeof Query>,
): Promise<Reply<z.infer<typeof Listed>>> {
  const { found, next } = await pageOfReviews(ports.operators, { tenantId, max, from: cursor });
  const caseIds = found.map(({ caseId }) => caseId);
  const rows = await ports.operators.caseRows(tenantId, caseIds);
  const cases = new Map(rows.map((row) => [row.caseId, row]));
  const reviews = found.map((review) => rowOf(review, cases.get(review.caseId), ports.nowMs()));
  return { kind: "done", body: { reviews, ...cursorText(next) } };
}

/** One kind after the other, until the page is full. */
async function pageOfReviews(
  operators: OperatorStore,
  wanted: { tenantId: string; max: number; from: z.infer<typeof Place> | undefined },
): Promise<{ found: Review[]; next?: z.infer<typeof Place> }> {
  const { from, max, tenantId } = wanted;
  const found: Review[] = [];
  const begin = from === undefined ? 0 : kindsByCost.indexOf(from.kind);
  for (const kind of kindsByCost.slice(begin)) {
    if (found.length === max) return { found, next: { kind } };
    const after = kind === from?.kind ? from.after : undefined;
    const page = await operators.openReviews({ tenantId, kind, max: max - found.length, after });
    found.push(...page.rows);
    if (page.next !== undefined) return { found, next: { kind, after: page.next } };
  }
  return { found };
}

function rowOf(review: Review, row: CaseRow | undefined, nowMs: number): z.infer<typeof Row> {
  const { type: _review, schemaVersion: _version, resolution: _open, ...shown } = review;
  return {
    ...shown,
    externalRef: row?.externalRef ?? "",
    workflow: row?.workflow.type ?? "",
    status: row?.status ?? "",
    ageMs: Math.max(0, nowMs - review.openedAtMs),
  };
}
