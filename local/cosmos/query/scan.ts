// Reads the items that a query or a feed looks at: one partition, a prefix of a hierarchical key, a
// range of effective keys, or the whole container; live ones only; as of now or of a recent past.
import type { Container } from "../store/catalog.ts";
import type { Past } from "../store/history.ts";
import { itemKey } from "../store/history.ts";
import type { StoredItem } from "../store/stored-item.ts";
import { ITEM_COLUMNS, toItem } from "../store/stored-item.ts";
import type { Json, Value } from "../store/json.ts";
import { prefixRange } from "../store/keys/partition-key.ts";
import type { Sqlite } from "../store/sqlite.ts";
import type { Condition, SqlValue } from "./pushdown.ts";

export interface ScanScope {
  /** All levels of the key, or the leading ones. */
  key?: { parts: readonly Json[]; isWhole: boolean };
  range?: { minInclusive: string; maxExclusive: string };
  past?: Past;
}

export interface ScanOptions {
  condition?: Condition | undefined;
  /** Documents up to this number are passed over. */
  after?: number;
  order?: { column: string; descending: boolean; from: Value } | undefined;
}

export interface ItemScan {
  items(container: Container, scope: ScanScope, options: ScanOptions): Iterable<StoredItem>;
}

/** The scope as SQL, with its values. */
export function scopeSql(scope: ScanScope): { terms: string[]; values: SqlValue[] } {
  const terms: string[] = [];
  const values: SqlValue[] = [];
  if (scope.key?.isWhole === true) {
    terms.push("pk = ?");
    values.push(JSON.stringify(scope.key.parts));
  } else if (scope.key !== undefined) {
    const { from, before } = prefixRange(scope.key.parts);
    terms.push("pk >= ? AND pk < ?");
    values.push(from, before);
  }
  if (scope.range !== undefined && !isWholeRing(scope.range)) {
    terms.push("epk >= ? AND epk < ?");
    values.push(scope.range.minInclusive, scope.range.maxExclusive);
  }
  return { terms, values };
}

function isWholeRing(range: { minInclusive: string; maxExclusive: string }): boolean {
  return range.minInclusive === "" && range.maxExclusive === "FF";
}

export function isInScope(scope: ScanScope, pk: string, epk: string): boolean {
  if (scope.key?.isWhole === true && pk !== JSON.stringify(scope.key.parts)) return false;
  if (scope.key !== undefined && !scope.key.isWhole) {
    const { from, before } = prefixRange(scope.key.parts);
    if (pk < from || pk >= before) return false;
  }
  const { range } = scope;
  return range === undefined || (range.minInclusive <= epk && epk < range.maxExclusive);
}

function scanSql(
  { table }: Container,
  scope: ScanScope,
  { condition, after = 0, order }: ScanOptions,
): { sql: string; values: SqlValue[] } {
  const { terms, values } = scopeSql(scope);
  if (condition !== undefined) {
    terms.push(condition.sql);
    values.push(...condition.values);
  }
  if (order !== undefined) {
    const { from, column, descending } = order;
    if (typeof from === "string" || typeof from === "number") {
      terms.push(`${column} ${descending ? "<=" : ">="} ?`);
      values.push(from);
    }
    const direction = descending ? "DESC" : "ASC";
    const filter = terms.length > 0 ? `WHERE ${terms.join(" AND ")}` : "";
    const sql = `SELECT ${ITEM_COLUMNS} FROM ${table} ${filter} ORDER BY ${column} ${direction}, n ${direction}`;
    return { sql, values };
  }
  if (after > 0) {
    terms.push("n > ?");
    values.push(after);
  }
  const filter = terms.length > 0 ? `WHERE ${terms.join(" AND ")}` : "";
  // Through an index the numbers alone are sorted, and bodies are read only for the page.
  const isThroughIndex = scope.key !== undefined || condition?.isIndexed === true;
  const sql = isThroughIndex
    ? `SELECT ${ITEM_COLUMNS} FROM ${table} WHERE n IN (SELECT n FROM ${table} ${filter.replace("n > ?", "+n > ?")}) ORDER BY n`
    : `SELECT ${ITEM_COLUMNS} FROM ${table} ${filter} ORDER BY n`;
  return { sql, values };
}

export function openScan(sqlite: Sqlite, isLive: (item: StoredItem) => boolean): ItemScan {
  function* present(
    container: Container,
    scope: ScanScope,
    options: ScanOptions,
  ): Iterable<StoredItem> {
    const { sql, values } = scanSql(container, scope, options);
    for (const row of sqlite.iterate(sql, ...values)) {
      const item = toItem(row);
      if (isLive(item)) yield item;
    }
  }

  /** As it was: present items that did not change, and the versions then of those that did. Never
   * in the order of an index, whose entries are of the present. */
  function asOf(container: Container, scope: ScanScope, options: ScanOptions, past: Past) {
    const { condition, after = 0 } = options;
    const unchanged = [...present(container, scope, { condition, after })].filter(
      (item) => !past.has(itemKey(item.pk, item.id)),
    );
    const then = [...past.values()]
      .filter((item) => item !== undefined)
      .filter((item) => isLive(item) && item.n > after && isInScope(scope, item.pk, item.epk));
    return [...unchanged, ...then].sort((left, right) => left.n - right.n);
  }

  return {
    items: (container, scope, options) =>
      scope.past === undefined || scope.past.size === 0
        ? present(container, scope, options)
        : asOf(container, scope, options, scope.past),
  };
}
