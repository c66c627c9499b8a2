// The recent past, for reads that lag on purpose (the `staleReads` fault).
//
// For each container the last few thousand replaced versions are kept in memory. A read that lags by
// n transactions sees its scope exactly as it was before the last n of them: a consistent prefix,
// never a mixture. Nothing here survives a restart; a lagging read then sees the present.
import type { Container } from "./catalog.ts";
import type { Transaction } from "./items.ts";
import type { StoredItem } from "./stored-item.ts";

interface Replaced {
  lsn: number;
  pk: string;
  id: string;
  before: StoredItem | undefined;
}

/** What differs from the present: item key to the version then, or undefined where none existed. */
export type Past = Map<string, StoredItem | undefined>;

export interface History {
  remember(transaction: Transaction): void;
  /** `isInScope` limits which transactions count, by partition key text. */
  past(container: Container, transactions: number, isInScope: (pk: string) => boolean): Past;
}

const VERSIONS_MAX = 5_000;

export function itemKey(pk: string, id: string): string {
  return `${pk}/${id}`;
}

export function openHistory(): History {
  const byContainer = new Map<number, Replaced[]>();
  return {
    remember: ({ container, lsn, changes }) => {
      const replaced = byContainer.get(container.cid) ?? [];
      byContainer.set(container.cid, replaced);
      for (const change of changes) replaced.push({ lsn, ...change });
      if (replaced.length > 2 * VERSIONS_MAX) replaced.splice(0, replaced.length - VERSIONS_MAX);
    },
    past: (container, transactions, isInScope) => {
      const replaced = byContainer.get(container.cid) ?? [];
      const past: Past = new Map();
      const undone = new Set<number>();
      for (let at = replaced.length - 1; at >= 0; at -= 1) {
        const change = replaced[at];
        if (change === undefined || !isInScope(change.pk)) continue;
        if (!undone.has(change.lsn) && undone.size === transactions) break;
        undone.add(change.lsn);
        past.set(itemKey(change.pk, change.id), change.before);
      }
      return past;
    },
  };
}
