// The calls that are on their way, over all tenants: what a drain waits for. Bounded, and in no order.
import { z } from "zod";
import type { StartedEffect } from "../operator-ports.ts";
import { queryPages } from "./query-pages.ts";
import type { Source } from "./source.ts";

const query = `SELECT c.tenantId, c.caseId, c.operationId, c.action, c.attempts, c._ts
  FROM c WHERE c.type = "effect" AND c.status = "started"`;

const Row = z.object({
  tenantId: z.string(),
  caseId: z.string(),
  operationId: z.string(),
  action: z.string(),
  /** While it is started, hardly anything rewrites the document: this is the start, or later. */
  _ts: z.int(),
  attempts: z.array(z.object({ callTimeoutMs: z.int() })).min(1),
});

export async function readStarted(source: Source, max: number): Promise<StartedEffect[]> {
  const bounded = { query: `${query} OFFSET 0 LIMIT ${Math.trunc(max)}` };
  const what = "the query for started effects";
  const { pages } = await queryPages(source, bounded, { what, ids: {} });
  return pages.flat().map((row) => startedOf(row));
}

/** From a stored document, or from the columns above. */
export function startedOf(row: unknown): StartedEffect {
  const { _ts, attempts, ...named } = Row.parse(row);
  const callTimeoutMs = attempts.at(-1)?.callTimeoutMs ?? 0;
  return { ...named, startedAtMs: _ts * 1000, callTimeoutMs };
}
