// One container's items as a SQLite table: `n` counts documents and is also their `_rid`, so it is
// the stable order of unordered queries; `lsn` and `position` give the order of the change feed.
import type { IndexedColumn } from "./indexing.ts";
import { jsonPath } from "./indexing.ts";
import type { Sqlite } from "./sqlite.ts";

export function createItemTable(
  sqlite: Sqlite,
  table: string,
  columns: readonly IndexedColumn[],
): void {
  sqlite.exec(`
    CREATE TABLE ${table}(
      n INTEGER PRIMARY KEY, pk TEXT NOT NULL, id TEXT NOT NULL, epk TEXT NOT NULL,
      etag TEXT NOT NULL, ts INTEGER NOT NULL, lsn INTEGER NOT NULL, position INTEGER NOT NULL,
      expires INTEGER, body TEXT NOT NULL);
    CREATE UNIQUE INDEX ${table}_key ON ${table}(pk, id);
    CREATE INDEX ${table}_feed ON ${table}(lsn, position);
    CREATE INDEX ${table}_partition_feed ON ${table}(pk, lsn, position);
    CREATE INDEX ${table}_expiry ON ${table}(expires) WHERE expires IS NOT NULL;`);
  indexItemTable(sqlite, table, [], columns);
}

/** Brings the virtual columns and their indexes from one policy to another. */
export function indexItemTable(
  sqlite: Sqlite,
  table: string,
  from: readonly IndexedColumn[],
  to: readonly IndexedColumn[],
): void {
  if (JSON.stringify(from) === JSON.stringify(to)) return;
  for (const { column } of from) {
    // The second is of tables that an earlier version made.
    sqlite.exec(`DROP INDEX ${table}_${column}; DROP INDEX IF EXISTS ${table}_pk_${column};`);
    sqlite.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
  for (const { column, path } of to) {
    const literal = `'${jsonPath(path).replaceAll("'", "''")}'`;
    sqlite.exec(`
      ALTER TABLE ${table} ADD COLUMN ${column} GENERATED ALWAYS AS (json_extract(body, ${literal})) VIRTUAL;
      CREATE INDEX ${table}_${column} ON ${table}(${column}, pk, n) WHERE ${column} IS NOT NULL;`);
  }
}
