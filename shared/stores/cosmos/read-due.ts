// What is due, oldest first: the sweeper's one query, over all partitions (design.md 6).
//
// Azure answers a cross-partition ORDER BY only through the SDK's query plan, which cannot sort null or mixed keys and
// takes no continuation token: so `dueAtMs` is a number or absent, and the answer is bounded by LIMIT.
import type { Container } from "@azure/cosmos";
import { z } from "zod";
import type { DueCase } from "../ports.ts";
import { queryPages } from "./query-pages.ts";

const query = `SELECT c.tenantId, c.caseId, c.id AS documentId, c.dueAtMs, IS_DEFINED(c.claim) AS hasClaim
  FROM c WHERE c.dueAtMs <= @nowMs ORDER BY c.dueAtMs OFFSET 0 LIMIT @max`;

const Row = z.object({
  tenantId: z.string(),
  caseId: z.string(),
  documentId: z.string(),
  dueAtMs: z.number(),
  hasClaim: z.boolean(),
});

export async function readDue(
  container: Container,
  { nowMs, max }: { nowMs: number; max: number },
): Promise<DueCase[]> {
  const parameters = [
    { name: "@nowMs", value: nowMs },
    { name: "@max", value: max },
  ];
  const { pages } = await queryPages(
    container,
    { query, parameters },
    { what: "the query for what is due", ids: {}, pageSize: max },
  );
  return pages.flat().map((row) => Row.parse(row));
}
