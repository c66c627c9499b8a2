// Reading and writing items. A write happens inside a transaction that the commit queue opened;
// here it takes the transaction's LSN, stamps `_etag` and `_ts`, and remembers the version it
// replaced (`history.ts`, for reads that lag on purpose).
//
// An expired item does not exist for anybody from the second it expires; its row is deleted when
// somebody writes over it or by `purgeExpired`.
import { randomUUID } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { Container } from "./catalog.ts";
import type { History } from "./history.ts";
import type { JsonObject } from "./json.ts";
import type { PartitionKey } from "./partition-key.ts";
import { documentRid } from "./resource-ids.ts";
import type { Row, Sqlite } from "./sqlite.ts";

export interface StoredItem {
  n: number;
  pk: string;
  id: string;
  epk: string;
  etag: string;
  ts: number;
  lsn: number;
  position: number;
  expires: number | null;
  body: string;
}

/** One request's changes: they share an LSN and are remembered only once the request succeeded. */
export interface Transaction {
  container: Container;
  lsn: number;
  changes: { pk: string; id: string; before: StoredItem | undefined }[];
}

export interface Items {
  begin(container: Container): Transaction;
  find(container: Container, key: PartitionKey, id: string): StoredItem | undefined;
  put(transaction: Transaction, key: PartitionKey, id: string, document: JsonObject): StoredItem;
  remove(transaction: Transaction, item: StoredItem): void;
  isLive(item: StoredItem): boolean;
  finish(transaction: Transaction): void;
  purgeExpired(container: Container, limit: number): number;
}

export const ITEM_COLUMNS = "n, pk, id, epk, etag, ts, lsn, position, expires, body";

export function toItem(row: Row): StoredItem {
  return {
    n: Number(row["n"]),
    pk: String(row["pk"]),
    id: String(row["id"]),
    epk: String(row["epk"]),
    etag: String(row["etag"]),
    ts: Number(row["ts"]),
    lsn: Number(row["lsn"]),
    position: Number(row["position"]),
    expires: row["expires"] === null ? null : Number(row["expires"]),
    body: String(row["body"]),
  };
}

/** The document as the service shows it: what was stored, then the system properties. */
export function itemText(container: Container, item: StoredItem, withLsn = false): string {
  const rid = documentRid(container.rid, item.n);
  const self = `dbs/${container.databaseRid}/colls/${container.rid}/docs/${rid}/`;
  const etag = JSON.stringify(item.etag);
  const lsn = withLsn ? `,"_lsn":${item.lsn}` : "";
  const system = `"_rid":"${rid}","_self":"${self}","_etag":${etag},"_attachments":"attachments/","_ts":${item.ts}`;
  return `${item.body.slice(0, -1)},${system}${lsn}}`;
}

function expiryOf(container: Container, document: JsonObject, ts: number): number | null {
  const byDefault = container.definition.defaultTtl;
  if (byDefault === undefined) return null;
  const own = document["ttl"];
  const ttl = typeof own === "number" ? own : byDefault;
  return ttl > 0 ? ts + ttl : null;
}

export function openItems(sqlite: Sqlite, clock: Clock, history: History): Items {
  const isLive = (item: StoredItem): boolean =>
    item.expires === null || item.expires > clock.nowSeconds();

  const findRow = (container: Container, pk: string, id: string): StoredItem | undefined => {
    const row = sqlite.get(
      `SELECT ${ITEM_COLUMNS} FROM ${container.table} WHERE pk = ? AND id = ?`,
      ...[pk, id],
    );
    return row === undefined ? undefined : toItem(row);
  };

  const items: Items = {
    isLive,
    begin: (container) => ({ container, lsn: container.lsn + 1, changes: [] }),
    find: (container, key, id) => {
      const item = findRow(container, key.text, id);
      return item !== undefined && isLive(item) ? item : undefined;
    },
    put: (transaction, key, id, document) => {
      const { container } = transaction;
      const there = findRow(container, key.text, id);
      const before = there !== undefined && isLive(there) ? there : undefined;
      const ts = clock.nowSeconds();
      if (before === undefined) container.documents += 1;
      const stored: StoredItem = {
        n: before?.n ?? container.documents,
        pk: key.text,
        id,
        epk: key.epk,
        etag: `"${randomUUID()}"`,
        ts,
        lsn: transaction.lsn,
        position: transaction.changes.length,
        expires: expiryOf(container, document, ts),
        body: JSON.stringify(document),
      };
      const { table } = container;
      if (before === undefined) {
        if (there !== undefined) sqlite.run(`DELETE FROM ${table} WHERE n = ?`, there.n);
        sqlite.run(
          `INSERT INTO ${table}(${ITEM_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[stored.n, stored.pk, stored.id, stored.epk, stored.etag, stored.ts],
          ...[stored.lsn, stored.position, stored.expires, stored.body],
        );
      } else {
        sqlite.run(
          `UPDATE ${table} SET etag = ?, ts = ?, lsn = ?, position = ?, expires = ?, body = ? WHERE n = ?`,
          ...[stored.etag, stored.ts, stored.lsn, stored.position],
          ...[stored.expires, stored.body, stored.n],
        );
      }
      transaction.changes.push({ pk: key.text, id, before });
      return stored;
    },
    remove: (transaction, item) => {
      sqlite.run(`DELETE FROM ${transaction.container.table} WHERE n = ?`, item.n);
      transaction.changes.push({ pk: item.pk, id: item.id, before: item });
    },
    finish: (transaction) => {
      if (transaction.changes.length === 0) return;
      transaction.container.lsn = transaction.lsn;
      history.remember(transaction);
    },
    purgeExpired: (container, limit) =>
      sqlite.run(
        `DELETE FROM ${container.table} WHERE n IN
           (SELECT n FROM ${container.table} WHERE expires IS NOT NULL AND expires <= ? LIMIT ?)`,
        ...[clock.nowSeconds(), limit],
      ),
  };
  return items;
}
