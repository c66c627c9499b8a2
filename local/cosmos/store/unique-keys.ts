// Unique keys: within one logical partition no two items have the same values at all paths of a key.
//
// A path that is missing counts as null, so two items that both lack it are equal there, as on the
// service. The partition is searched on each write; there is no index of its own for it.
import { conflict } from "../protocol/refusals.ts";
import type { Container } from "./catalog.ts";
import type { StoredItem } from "./stored-item.ts";
import { ITEM_COLUMNS, toItem } from "./stored-item.ts";
import type { Json, JsonObject } from "./json.ts";
import { canonicalText, valueAt } from "./json.ts";
import { pathParts } from "./keys/partition-key.ts";
import type { Sqlite } from "./sqlite.ts";

function valuesAt(document: JsonObject, paths: readonly string[]): string {
  return canonicalText(paths.map((path): Json => valueAt(document, pathParts(path)) ?? null));
}

export function requireUnique(
  sqlite: Sqlite,
  container: Container,
  item: { pk: string; id: string; document: JsonObject },
  isLive: (item: StoredItem) => boolean,
): void {
  const keys = container.definition.uniqueKeyPolicy?.uniqueKeys ?? [];
  if (keys.length === 0) return;
  const wanted = keys.map(({ paths }) => valuesAt(item.document, paths));
  const sql = `SELECT ${ITEM_COLUMNS} FROM ${container.table} WHERE pk = ? AND id <> ?`;
  for (const row of sqlite.all(sql, item.pk, item.id)) {
    const other = toItem(row);
    if (!isLive(other)) continue;
    const document = JSON.parse(other.body) as JsonObject;
    if (keys.some(({ paths }, at) => valuesAt(document, paths) === wanted[at])) {
      throw conflict(`${other.id} (unique key constraint)`);
    }
  }
}
