// The one SQLite file below the server, opened for durability: write-ahead log, and every commit
// waits for the disk (`synchronous=FULL`), so an acknowledged write survives `kill -9`.
//
// Statements are prepared once per text, `BEGIN` and `COMMIT` too, when they go through `run`. Values that come back are unknown
// until a store narrows them; rows never leave the `store/` folder unnarrowed.
import { DatabaseSync } from "node:sqlite";
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export type Row = Record<string, string | number | null>;

export interface Sqlite {
  run(sql: string, ...values: SQLInputValue[]): number;
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: SQLInputValue[]): Row[];
  iterate(sql: string, ...values: SQLInputValue[]): Iterable<Row>;
  exec(sql: string): void;
  close(): void;
}

const STATEMENTS_MAX = 500;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS databases(
  id TEXT PRIMARY KEY, rid TEXT NOT NULL, etag TEXT NOT NULL, ts INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS containers(
  cid INTEGER PRIMARY KEY AUTOINCREMENT, databaseId TEXT NOT NULL, id TEXT NOT NULL,
  rid TEXT NOT NULL, etag TEXT NOT NULL, ts INTEGER NOT NULL, definition TEXT NOT NULL,
  throughput INTEGER, lsn INTEGER NOT NULL, documents INTEGER NOT NULL, ranges TEXT NOT NULL,
  UNIQUE(databaseId, id));
`;

export function openSqlite(dataFolder: string): Sqlite {
  mkdirSync(dataFolder, { recursive: true });
  const database = new DatabaseSync(join(dataFolder, "cosmos.sqlite"));
  database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=5000;");
  database.exec("PRAGMA cache_size=-64000; PRAGMA temp_store=MEMORY;");
  // The same few pages are written again and again: the more commits share one checkpoint, the fewer copies.
  database.exec("PRAGMA wal_autocheckpoint=8000;");
  database.exec(SCHEMA);
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      if (statements.size >= STATEMENTS_MAX) statements.clear();
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  /** A running iteration owns its statement; one that has ended leaves it to the next. */
  const idle = new Map<string, StatementSync>();
  function* iterate(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    const statement = idle.get(sql) ?? database.prepare(sql);
    idle.delete(sql);
    try {
      yield* statement.iterate(...values) as Iterable<Row>;
    } finally {
      if (idle.size >= STATEMENTS_MAX) idle.clear();
      idle.set(sql, statement);
    }
  }
  return {
    run: (sql, ...values) => Number(prepare(sql).run(...values).changes),
    get: (sql, ...values) => prepare(sql).get(...values) as Row | undefined,
    all: (sql, ...values) => prepare(sql).all(...values) as Row[],
    iterate,
    exec: (sql) => database.exec(sql),
    close: () => {
      statements.clear();
      idle.clear();
      database.close();
    },
  };
}
