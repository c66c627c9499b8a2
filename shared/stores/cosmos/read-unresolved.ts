// Unknown effects and open reviews over all partitions, for the sweep's gauges: no order and no aggregate, so no query plan.
//
// Pages are read only up to the bound: what it costs grows with what is unresolved, and not with what is stored.
import { z } from "zod";
import type { Unresolved } from "../ports.ts";
import { readFault } from "./answers.ts";
import { withinBudget, type Source } from "./source.ts";

const query = `SELECT c.tenantId, c.caseId, c.type, c.unknownSinceMs, c.openedAtMs, IS_DEFINED(c.abandonedBy) AS abandoned
  FROM c WHERE (c.type = "effect" AND c.status = "unknown") OR (c.type = "review" AND NOT IS_DEFINED(c.resolution))`;

const common = { tenantId: z.string(), caseId: z.string(), abandoned: z.boolean() };
const Row = z.discriminatedUnion("type", [
  z.object({ ...common, type: z.literal("effect"), unknownSinceMs: z.number() }),
  z.object({ ...common, type: z.literal("review"), openedAtMs: z.number() }),
]);

export async function readUnresolved(
  source: Source,
  { max }: { max: number },
): Promise<Unresolved[]> {
  const iterator = source.container.items.query<unknown>(query, {
    ...withinBudget(source),
    maxItemCount: source.pageSize ?? max,
  });
  const found: Unresolved[] = [];
  do {
    try {
      const { resources } = await iterator.fetchNext();
      found.push(...(resources ?? []).map((row) => unresolvedOf(Row.parse(row))));
    } catch (error) {
      if (error instanceof z.ZodError) throw error;
      throw readFault(error, "the query for what is unresolved", {});
    }
  } while (found.length < max && iterator.hasMoreResults());
  return found.slice(0, max);
}

function unresolvedOf(row: z.infer<typeof Row>): Unresolved {
  const { abandoned, caseId, tenantId } = row;
  return row.type === "effect"
    ? { tenantId, caseId, abandoned, kind: "unknown", sinceMs: row.unknownSinceMs }
    : { tenantId, caseId, abandoned, kind: "review", sinceMs: row.openedAtMs };
}
