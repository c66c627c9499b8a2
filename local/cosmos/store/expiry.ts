// Time to live: when a container's default changes, every item's expiry is computed anew; and expired
// rows are deleted in the background, a few at a time. Nobody sees the difference: an expired item is
// invisible from the second it expires.
import type { Container } from "./catalog.ts";
import type { Sqlite } from "./sqlite.ts";

export function recomputeExpiry(sqlite: Sqlite, container: Container): void {
  const { table, definition } = container;
  const byDefault = definition.defaultTtl;
  if (byDefault === undefined) {
    sqlite.run(`UPDATE ${table} SET expires = NULL WHERE expires IS NOT NULL`);
    return;
  }
  const own =
    "CASE WHEN json_type(body, '$.ttl') IN ('integer', 'real') THEN json_extract(body, '$.ttl') END";
  sqlite.run(
    `UPDATE ${table} SET expires =
       CASE WHEN coalesce(${own}, ?) > 0 THEN ts + coalesce(${own}, ?) END`,
    byDefault,
    byDefault,
  );
}
