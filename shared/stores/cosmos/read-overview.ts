// How a tenant stands, in counts: each is one query over the first part of the key, answered from the index, but for the repeats
// of the last day. Counts are of this moment and of no snapshot: they may disagree by what was written in between.
import { z } from "zod";
import type { Overview } from "../operator-ports.ts";
import { queryPages } from "./query-pages.ts";
import type { Source } from "./source.ts";

const statuses = ["prepared", "started", "confirmed", "rejected", "unknown", "cancelled"] as const;

export async function readOverview(
  source: Source,
  wanted: { tenantId: string; nowMs: number; sinceMs: number },
): Promise<Overview> {
  const { nowMs, sinceMs, tenantId } = wanted;
  const count = async (where: string): Promise<number> => {
    const query = `SELECT VALUE COUNT(1) FROM c WHERE ${where}`;
    // The store's own time of the last write, in seconds: every document has it, indexed.
    const parameters = [
      { name: "@nowMs", value: nowMs },
      { name: "@since", value: Math.floor(sinceMs / 1000) },
    ].filter(({ name }) => where.includes(name));
    const { pages } = await queryPages(
      source,
      { query, parameters },
      { partitionKey: [tenantId], ids: { tenantId }, what: "a count of the overview" },
    );
    return z
      .array(z.int())
      .parse(pages.flat())
      .reduce((sum, part) => sum + part, 0);
  };
  const recent = `c.type = "effect" AND c._ts >= @since`;
  const unknown = readUnknown(source, tenantId);
  const [openReviews, heldCases, openApprovals, workDue, confirmedAfterRetry, ...byStatus] =
    await Promise.all([
      count(`c.type = "review" AND NOT IS_DEFINED(c.resolution)`),
      count(`c.type = "case" AND IS_DEFINED(c.held.reason)`),
      count(`c.type = "approval" AND c.expiresAtMs > @nowMs AND NOT IS_DEFINED(c.answer.answerId)`),
      count(`c.dueAtMs <= @nowMs`),
      count(`${recent} AND c.status = "confirmed" AND ARRAY_LENGTH(c.attempts) > 1`),
      ...statuses.map((status) => count(`${recent} AND c.status = "${status}"`)),
    ]);
  const effects = Object.fromEntries(
    statuses.map((status, index) => [status, byStatus[index] ?? 0]),
  );
  return {
    openReviews,
    heldCases,
    openApprovals,
    workDue,
    confirmedAfterRetry,
    effects,
    unknown: await unknown,
  };
}

const Since = z.number();
/** More unknown effects than these are an incident, and counted no further. */
const unknownMax = 1000;

async function readUnknown(source: Source, tenantId: string): Promise<Overview["unknown"]> {
  const query = `SELECT VALUE c.unknownSinceMs FROM c WHERE c.type = "effect" AND c.status = "unknown"
    AND NOT IS_DEFINED(c.abandonedBy) OFFSET 0 LIMIT ${unknownMax}`;
  const { pages } = await queryPages(
    source,
    { query },
    { partitionKey: [tenantId], ids: { tenantId }, what: "the query for unknown effects" },
  );
  const since = z.array(Since).parse(pages.flat());
  const count = since.length;
  return count === 0 ? { count } : { count, oldestSinceMs: Math.min(...since) };
}
