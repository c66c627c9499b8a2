// What is due, the oldest or the newest of it: the sweeper's one query, over all partitions (design.md 6).
//
// Azure answers a cross-partition ORDER BY only through the SDK's query plan, which cannot sort null or mixed keys and
// takes no continuation token: so `dueAtMs` is a number or absent, and the answer is bounded by LIMIT.
import { z } from "zod";
import type { DueCase } from "../ports.ts";
import { queryPages } from "./query-pages.ts";
import type { Source } from "./source.ts";

const query = `SELECT c.tenantId, c.caseId, c.id AS documentId, c.dueAtMs, IS_DEFINED(c.claim) AS hasClaim
  FROM c WHERE c.dueAtMs <= @nowMs ORDER BY c.dueAtMs`;

const orders = { oldest: "ASC", newest: "DESC" } as const;

const Row = z.object({
  tenantId: z.string(),
  caseId: z.string(),
  documentId: z.string(),
  dueAtMs: z.number(),
  hasClaim: z.boolean(),
});

export async function readDue(
  source: Source,
  { from, max, nowMs }: { nowMs: number; max: number; from: keyof typeof orders },
): Promise<DueCase[]> {
  // The bound is part of the query's text: the SDK reads it from the plan, not from a parameter.
  const bounded = {
    query: `${query} ${orders[from]} OFFSET 0 LIMIT ${Math.trunc(max)}`,
    parameters: [{ name: "@nowMs", value: nowMs }],
  };
  const { pages } = await queryPages({ pageSize: max, ...source }, bounded, {
    what: "the query for what is due",
    ids: {},
  });
  return pages.flat().map((row) => Row.parse(row));
}
