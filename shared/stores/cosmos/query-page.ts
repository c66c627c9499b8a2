// One page of a tenant's documents in the order of one time, going on exactly where the last page ended.
//
// Azure answers ORDER BY over many partitions only through the SDK's query plan, which takes no continuation token. So the
// next page begins at the last time shown, and leaves out what was shown of that very time. The answer is bounded by LIMIT.
import type { SqlParameter } from "@azure/cosmos";
import { z } from "zod";
import type { Position } from "../operator-ports.ts";
import { queryPages } from "./query-pages.ts";
import type { Source } from "./source.ts";

export interface PageQuery {
  tenantId: string;
  /** Columns, `*` for all. */
  select: string;
  where: string;
  parameters: readonly SqlParameter[];
  /** A number in every document that `where` finds. */
  time: string;
  order: "ASC" | "DESC";
  max: number;
  after?: Position | undefined;
  what: string;
}

export interface RowsPage {
  rows: readonly unknown[];
  next?: Position;
}

const Row = z.looseObject({ id: z.string(), caseId: z.string() });

export async function queryPage(source: Source, wanted: PageQuery): Promise<RowsPage> {
  const { after, max, order, parameters, select, tenantId, time, what, where } = wanted;
  const beyond =
    after === undefined ? "" : `AND c.${time} ${order === "ASC" ? ">=" : "<="} @afterMs`;
  // The bound is part of the query's text: the SDK reads it from the plan, not from a parameter.
  const limit = max + (after?.seen.length ?? 0) + 1;
  const query = `SELECT ${select} FROM c WHERE ${where} ${beyond} ORDER BY c.${time} ${order} OFFSET 0 LIMIT ${limit}`;
  const bound = after === undefined ? [] : [{ name: "@afterMs", value: after.atMs }];
  const { pages } = await queryPages(
    source,
    { query, parameters: [...parameters, ...bound] },
    { partitionKey: [tenantId], ids: { tenantId }, what },
  );
  return pageOf(pages.flat(), wanted);
}

/** Cuts a page out of what was found, one row more than it holds. */
export function pageOf(
  found: readonly unknown[],
  { after, max, time }: Pick<PageQuery, "after" | "max" | "time">,
): RowsPage {
  const seen = new Set(after?.seen);
  const fresh = found.filter((row) => !seen.has(nameOf(row)));
  const rows = fresh.slice(0, max);
  const last = rows.at(-1);
  if (fresh.length <= max || last === undefined) return { rows };
  const atMs = timeOf(last, time);
  const before = after?.atMs === atMs ? after.seen : [];
  const shown = rows.filter((row) => timeOf(row, time) === atMs).map(nameOf);
  return { rows, next: { atMs, seen: [...before, ...shown] } };
}

function nameOf(row: unknown): string {
  const { caseId, id } = Row.parse(row);
  return `${caseId}/${id}`;
}

function timeOf(row: unknown, time: string): number {
  return z.int().parse(Row.parse(row)[time]);
}
