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
import type { PartitionKey } from "./keys/partition-key.ts";
import { ITEM_COLUMNS, toItem } from "./stored-item.ts";
import type { StoredItem } from "./stored-item.ts";
import { documentRid } from "./keys/resource-ids.ts";
import type { Sqlite } from "./sqlite.ts";
import { requireUnique } from "./unique-keys.ts";

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

  return {
    isLive,
    begin: (container) => ({ container, lsn: container.lsn + 1, changes: [] }),
    find: (container, key, id) => {
      const item = findRow(sqlite, container, key.text, id);
      return item !== undefined && isLive(item) ? item : undefined;
    },
    put: (transaction, key, id, document) => {
      const { container, changes, lsn } = transaction;
      requireUnique(sqlite, container, { pk: key.text, id, document }, isLive);
      const there = findRow(sqlite, container, key.text, id);
      const before = there !== undefined && isLive(there) ? there : undefined;
      if (before === undefined && there !== undefined) deleteRow(sqlite, container, there);
      if (before === undefined) container.documents += 1;
      const ts = clock.nowSeconds();
      const stored: StoredItem = {
        n: before?.n ?? container.documents,
        pk: key.text,
        id,
        epk: key.epk,
        etag: `"${randomUUID()}"`,
        ts,
        lsn,
        position: changes.length,
        expires: expiryOf(container, document, ts),
        body: JSON.stringify(document),
      };
      if (before === undefined) insertRow(sqlite, container, stored);
      else updateRow(sqlite, container, stored);
      changes.push({ pk: key.text, id, before });
      return stored;
    },
    remove: (transaction, item) => {
      deleteRow(sqlite, transaction.container, item);
      transaction.changes.push({ pk: item.pk, id: item.id, before: item });
    },
    finish: (transaction) => {
      if (transaction.changes.length === 0) return;
      transaction.container.lsn = transaction.lsn;
      history.remember(transaction);
    },
    purgeExpired: ({ table }, limit) =>
      sqlite.run(
        `DELETE FROM ${table} WHERE n IN
           (SELECT n FROM ${table} WHERE expires IS NOT NULL AND expires <= ? LIMIT ?)`,
        clock.nowSeconds(),
        limit,
      ),
  };
}

function findRow(
  sqlite: Sqlite,
  { table }: Container,
  pk: string,
  id: string,
): StoredItem | undefined {
  const sql = `SELECT ${ITEM_COLUMNS} FROM ${table} WHERE pk = ? AND id = ?`;
  const row = sqlite.get(sql, pk, id);
  return row === undefined ? undefined : toItem(row);
}

function insertRow(sqlite: Sqlite, { table }: Container, item: StoredItem): void {
  sqlite.run(
    `INSERT INTO ${table}(${ITEM_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    item.n,
    item.pk,
    item.id,
    item.epk,
    item.etag,
    item.ts,
    item.lsn,
    item.position,
    item.expires,
    item.body,
  );
}

function updateRow(sqlite: Sqlite, { table }: Container, item: StoredItem): void {
  sqlite.run(
    `UPDATE ${table} SET etag = ?, ts = ?, lsn = ?, position = ?, expires = ?, body = ? WHERE n = ?`,
    item.etag,
    item.ts,
    item.lsn,
    item.position,
    item.expires,
    item.body,
    item.n,
  );
}

function deleteRow(sqlite: Sqlite, { table }: Container, item: StoredItem): void {
  sqlite.run(`DELETE FROM ${table} WHERE n = ?`, item.n);
}
