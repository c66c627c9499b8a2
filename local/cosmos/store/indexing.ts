// A container's indexing policy, used twice: to refuse what Azure would refuse, and to index what
// Azure would index.
//
// Each path that the policy includes by name (`/dueAtMs/?`) becomes a virtual column of the item
// table with one partial index, by value and then by partition: half of what a write costs are its indexes. `/*` names nothing, so it
// yields no column: such a container answers from scans. What a column holds is a superset of what a
// filter needs (SQLite reads `true` as 1), which is why the query engine always looks again.
import { pathParts } from "./keys/partition-key.ts";

export interface IndexedColumn {
  column: string;
  path: string[];
}

export interface CompositePath {
  path: string;
  order?: string;
}

export interface IndexingPolicy {
  indexingMode?: string;
  automatic?: boolean;
  includedPaths?: { path: string }[];
  excludedPaths?: { path: string }[];
  compositeIndexes?: CompositePath[][];
}

export const DEFAULT_POLICY: IndexingPolicy = {
  indexingMode: "consistent",
  automatic: true,
  includedPaths: [{ path: "/*" }],
  excludedPaths: [{ path: '/"_etag"/?' }],
};

const ENDING = /\/(\?|\*)$/;

export function indexedColumns(policy: IndexingPolicy): IndexedColumn[] {
  const paths = new Set<string>();
  for (const { path } of policy.includedPaths ?? []) {
    if (path.endsWith("/?") && !path.includes("[]")) paths.add(path.replace(ENDING, ""));
  }
  for (const { path } of (policy.compositeIndexes ?? []).flat()) paths.add(path);
  return [...paths]
    .map((path) => pathParts(path))
    .filter(isPlainPath)
    .map((path, at) => ({ column: `p${at}`, path }));
}

/** Only such names are quoted alike by JSON and by SQLite's JSON paths. */
export function isPlainPath(path: readonly string[]): boolean {
  return path.length > 0 && path.every((part) => /^[\w-]+$/.test(part));
}

export function jsonPath(path: readonly string[]): string {
  return `$${path.map((part) => `."${part}"`).join("")}`;
}

/** True when `ORDER BY` on this property can be served: the most precise matching path decides. */
export function isPathIndexed(policy: IndexingPolicy, path: readonly string[]): boolean {
  if (policy.indexingMode === "none") return false;
  if (path.length === 1 && (path[0] === "_ts" || path[0] === "id")) return true;
  const included = bestMatch(policy.includedPaths ?? [], path);
  const excluded = bestMatch(policy.excludedPaths ?? [], path);
  return included >= excluded && included >= 0;
}

function bestMatch(entries: readonly { path: string }[], path: readonly string[]): number {
  let best = -1;
  for (const entry of entries) {
    const parts = pathParts(entry.path.replace(ENDING, ""));
    const isExact = entry.path.endsWith("/?");
    if (isExact ? parts.length !== path.length : parts.length > path.length) continue;
    if (!parts.every((part, at) => part === path[at])) continue;
    best = Math.max(best, parts.length * 2 + (isExact ? 1 : 0));
  }
  return best;
}

/** `ORDER BY a, b` needs a composite index in just that order, or in the exact reverse. */
export function hasCompositeIndex(
  policy: IndexingPolicy,
  keys: readonly { path: readonly string[]; descending: boolean }[],
): boolean {
  return (policy.compositeIndexes ?? []).some((composite) => {
    if (composite.length !== keys.length) return false;
    const flips = composite.map((entry, at) => {
      const key = keys[at];
      if (key === undefined || pathParts(entry.path).join("/") !== key.path.join("/")) return null;
      return (entry.order === "descending") !== key.descending;
    });
    return flips.every((flip) => flip === false) || flips.every((flip) => flip === true);
  });
}
