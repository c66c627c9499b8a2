// Databases and containers: the names, the definitions, and one item table for each container.
//
// Definitions are kept in memory too, because every request needs one; the memory copy changes only
// after SQLite accepted the change, and `reload` rebuilds it should a commit fail. `lsn` and
// `documents` count up in memory and are written with the commit that used them (`saveCounters`).
import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { IndexedColumn, IndexingPolicy } from "./indexing.ts";
import { indexedColumns } from "./indexing.ts";
import type { PartitionKeyDefinition } from "./partition-key.ts";
import { createItemTable, indexItemTable } from "./item-table.ts";
import { containerRid, databaseRid } from "./resource-ids.ts";
import type { PartitionRange } from "./ranges.ts";
import { initialRanges } from "./ranges.ts";
import type { Row, Sqlite } from "./sqlite.ts";
import { conflict, notFound } from "../protocol/refusals.ts";

export interface Database {
  id: string;
  rid: string;
  etag: string;
  ts: number;
}

export interface ContainerDefinition {
  id: string;
  partitionKey: PartitionKeyDefinition;
  indexingPolicy: IndexingPolicy;
  defaultTtl?: number;
  uniqueKeyPolicy?: { uniqueKeys: { paths: string[] }[] };
  [other: string]: unknown;
}

export interface Container {
  cid: number;
  databaseId: string;
  id: string;
  rid: string;
  databaseRid: string;
  etag: string;
  ts: number;
  definition: ContainerDefinition;
  throughput: number | null;
  lsn: number;
  documents: number;
  ranges: PartitionRange[];
  table: string;
  columns: IndexedColumn[];
}

export interface Catalog {
  databases(): Database[];
  database(id: string): Database;
  createDatabase(id: string): Database;
  deleteDatabase(id: string): void;
  containers(databaseId: string): Container[];
  allContainers(): Container[];
  container(databaseId: string, id: string): Container;
  createContainer(
    databaseId: string,
    definition: ContainerDefinition,
    options: { throughput: number | null; physicalPartitions: number },
  ): Container;
  replaceContainer(container: Container, definition: ContainerDefinition): Container;
  setThroughput(container: Container, throughput: number): void;
  setRanges(container: Container, ranges: PartitionRange[]): void;
  deleteContainer(container: Container): void;
  saveCounters(): void;
  reload(): void;
}

function newEtag(): string {
  return `"${randomUUID()}"`;
}

function linkOf(databaseId: string, id: string): string {
  return `${databaseId}/${id}`;
}

function toContainer(row: Row, databaseRid: string): Container {
  const definition = JSON.parse(String(row["definition"])) as ContainerDefinition;
  const cid = Number(row["cid"]);
  return {
    cid,
    databaseId: String(row["databaseId"]),
    id: String(row["id"]),
    rid: String(row["rid"]),
    databaseRid,
    etag: String(row["etag"]),
    ts: Number(row["ts"]),
    definition,
    throughput: row["throughput"] === null ? null : Number(row["throughput"]),
    lsn: Number(row["lsn"]),
    documents: Number(row["documents"]),
    ranges: JSON.parse(String(row["ranges"])) as PartitionRange[],
    table: `items_${cid}`,
    columns: indexedColumns(definition.indexingPolicy),
  };
}

export function openCatalog(sqlite: Sqlite, clock: Clock): Catalog {
  const databases = new Map<string, Database>();
  const containers = new Map<string, Container>();
  const savedLsn = new Map<number, number>();

  const load = (row: Row): Container => {
    const owner = databases.get(String(row["databaseId"]));
    const container = toContainer(row, owner?.rid ?? "");
    containers.set(linkOf(container.databaseId, container.id), container);
    savedLsn.set(container.cid, container.lsn);
    return container;
  };
  const loadOne = (cid: number): Container => {
    const row = sqlite.get("SELECT * FROM containers WHERE cid = ?", cid);
    if (row === undefined) throw new Error(`container ${cid} vanished`);
    return load(row);
  };

  const catalog: Catalog = {
    databases: () => [...databases.values()],
    database: (id) => {
      const found = databases.get(id);
      if (found === undefined) throw notFound(`database ${id}`, 1003);
      return found;
    },
    createDatabase: (id) => {
      if (databases.has(id)) throw conflict(`database ${id}`);
      const created = {
        id,
        rid: databaseRid(randomBytes(4)),
        etag: newEtag(),
        ts: clock.nowSeconds(),
      };
      sqlite.run(
        "INSERT INTO databases(id, rid, etag, ts) VALUES (?, ?, ?, ?)",
        ...[created.id, created.rid, created.etag, created.ts],
      );
      databases.set(id, created);
      return created;
    },
    deleteDatabase: (id) => {
      catalog.database(id);
      for (const container of catalog.containers(id)) catalog.deleteContainer(container);
      sqlite.run("DELETE FROM databases WHERE id = ?", id);
      databases.delete(id);
    },
    containers: (databaseId) => {
      catalog.database(databaseId);
      return [...containers.values()].filter((container) => container.databaseId === databaseId);
    },
    allContainers: () => [...containers.values()],
    container: (databaseId, id) => {
      const found = containers.get(linkOf(databaseId, id));
      if (found === undefined) throw notFound(`container ${databaseId}/${id}`, 1003);
      return found;
    },
    createContainer: (databaseId, definition, options) => {
      const owner = catalog.database(databaseId);
      if (containers.has(linkOf(databaseId, definition.id))) {
        throw conflict(`container ${definition.id}`);
      }
      const ranges = initialRanges(options.physicalPartitions, definition.partitionKey);
      sqlite.run(
        `INSERT INTO containers(databaseId, id, rid, etag, ts, definition, throughput, lsn, documents, ranges)
         VALUES (?, ?, '', ?, ?, ?, ?, 0, 0, ?)`,
        ...[databaseId, definition.id, newEtag(), clock.nowSeconds()],
        ...[JSON.stringify(definition), options.throughput, JSON.stringify(ranges)],
      );
      const cid = Number(sqlite.get("SELECT last_insert_rowid() AS cid")?.["cid"]);
      const rid = containerRid(owner.rid, cid);
      sqlite.run("UPDATE containers SET rid = ? WHERE cid = ?", rid, cid);
      createItemTable(sqlite, `items_${cid}`, indexedColumns(definition.indexingPolicy));
      return loadOne(cid);
    },
    replaceContainer: (container, definition) => {
      catalog.saveCounters();
      sqlite.run(
        "UPDATE containers SET definition = ?, etag = ?, ts = ? WHERE cid = ?",
        ...[JSON.stringify(definition), newEtag(), clock.nowSeconds(), container.cid],
      );
      indexItemTable(
        sqlite,
        container.table,
        container.columns,
        indexedColumns(definition.indexingPolicy),
      );
      return loadOne(container.cid);
    },
    setThroughput: (container, throughput) => {
      sqlite.run("UPDATE containers SET throughput = ? WHERE cid = ?", throughput, container.cid);
      container.throughput = throughput;
    },
    setRanges: (container, ranges) => {
      const text = JSON.stringify(ranges);
      sqlite.run("UPDATE containers SET ranges = ? WHERE cid = ?", text, container.cid);
      container.ranges = ranges;
    },
    deleteContainer: (container) => {
      sqlite.exec(`DROP TABLE ${container.table}`);
      sqlite.run("DELETE FROM containers WHERE cid = ?", container.cid);
      containers.delete(linkOf(container.databaseId, container.id));
      savedLsn.delete(container.cid);
    },
    saveCounters: () => {
      for (const container of containers.values()) {
        if (savedLsn.get(container.cid) === container.lsn) continue;
        sqlite.run(
          "UPDATE containers SET lsn = ?, documents = ? WHERE cid = ?",
          ...[container.lsn, container.documents, container.cid],
        );
        savedLsn.set(container.cid, container.lsn);
      }
    },
    reload: () => {
      databases.clear();
      containers.clear();
      savedLsn.clear();
      for (const row of sqlite.all("SELECT * FROM databases")) {
        const id = String(row["id"]);
        const database = { id, rid: String(row["rid"]), etag: String(row["etag"]) };
        databases.set(id, { ...database, ts: Number(row["ts"]) });
      }
      for (const row of sqlite.all("SELECT * FROM containers ORDER BY cid")) load(row);
    },
  };
  catalog.reload();
  return catalog;
}
