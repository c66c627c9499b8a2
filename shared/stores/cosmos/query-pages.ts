// All pages of one query, with the store's time of the first (`fetchAll` would drop the headers).
//
// Azure may cut an answer into pages wherever it likes, also into empty ones, so a caller that needs one
// consistent view must mind `pages.length`.
import type { SqlQuerySpec } from "@azure/cosmos";
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
  options: { what: string; ids: FaultIds; partitionKey?: string[] },
): Promise<Pages> {
  const { what, ids, partitionKey } = options;
  const iterator = source.container.items.query<unknown>(query, {
    ...withinBudget(source),
    ...(partitionKey === undefined ? {} : { partitionKey }),
    // -1: as much as fits into one answer.
    maxItemCount: source.pageSize ?? -1,
  });
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

export function partitionOf(key: CaseKey): string[] {
  return [key.tenantId, key.caseId];
}

export function idsOf(key: CaseKey): FaultIds {
  return { tenantId: key.tenantId, caseId: key.caseId };
}
