// All pages of one query, with the store's time of the first (`fetchAll` would drop the headers).
//
// Azure may cut an answer into pages wherever it likes, also into empty ones, so a caller that needs one
// consistent view must mind `pages.length`.
import type { QueryIterator, SqlQuerySpec } from "@azure/cosmos";
import type { FaultIds } from "../../domain/faults.ts";
import type { CaseKey } from "../../domain/identity.ts";
import { readFault, storeMsOf } from "./answers.ts";
import { withinBudget, type Source } from "./source.ts";

export interface Pages {
  pages: readonly (readonly unknown[])[];
  storeMs: number | undefined;
}

export async function queryPages(
  source: Source,
  query: SqlQuerySpec,
  options: {
    what: string;
    ids: FaultIds;
    partitionKey?: string[];
    /** The key has all its parts: one logical partition. Fewer are a tenant's cases, which may be in several. */
    isWhole?: boolean;
  },
): Promise<Pages> {
  const { what, ids, isWhole = false, partitionKey } = options;
  const iterator = source.container.items.query<unknown>(query, {
    ...withinBudget(source),
    ...(partitionKey === undefined ? {} : { partitionKey }),
    // -1: as much as fits into one answer.
    maxItemCount: source.pageSize ?? -1,
  });
  if (isWhole || partitionKey?.length === casePartitionParts) forgoPlan(iterator);
  const pages: unknown[][] = [];
  let storeMs: number | undefined;
  do {
    try {
      const page = await iterator.fetchNext();
      // Private to TypeScript only; the SDK offers the store's clock nowhere else.
      if (pages.length === 0) storeMs = storeMsOf(page["headers"]);
      // The SDK answers undefined for a page past the end.
      pages.push(page.resources ?? []);
    } catch (error) {
      throw readFault(error, what, ids);
    }
  } while (iterator.hasMoreResults());
  return { pages, storeMs };
}

const casePartitionParts = 2;
/** Made once: each error keeps a stack. */
const noPlan = Promise.resolve(new Error("this query has one partition")) as never;

/**
 * The SDK asks for a query plan beside every query, and needs one only to put several partitions together: within one logical
 * partition it would be half of all requests. Private to TypeScript only, as above.
 */
function forgoPlan(iterator: QueryIterator<unknown>): void {
  iterator["queryPlanPromise"] = noPlan;
}

export function partitionOf(key: CaseKey): string[] {
  return [key.tenantId, key.caseId];
}

export function idsOf(key: CaseKey): FaultIds {
  return { tenantId: key.tenantId, caseId: key.caseId };
}
