// Databases and containers: the names, the definitions, and one item table for each container.
//
// Definitions are kept in memory too, because every request needs one; the memory copy changes only
// after SQLite accepted the change, and `reload` rebuilds it should a commit fail. `lsn` and
// `documents` count up in memory and are written with the commit that used them (`saveCounters`).
import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { IndexedColumn, IndexingPolicy } from "./indexing.ts";
import { indexedColumns } from "./indexing.ts";
import type { PartitionKeyDefinition } from "./keys/partition-key.ts";
import { createItemTable, indexItemTable } from "./item-table.ts";
import { containerRid, databaseRid } from "./keys/resource-ids.ts";
import type { PartitionRange } from "./keys/ranges.ts";
import { initialRanges } from "./keys/ranges.ts";
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

interface State {
  sqlite: Sqlite;
  clock: Clock;
  databases: Map<string, Database>;
  containers: Map<string, Container>;
  /** The LSN of each container as the file has it. */
  savedLsn: Map<number, number>;
}

export function openCatalog(sqlite: Sqlite, clock: Clock): Catalog {
  const state: State = {
    sqlite,
    clock,
    databases: new Map(),
    containers: new Map(),
    savedLsn: new Map(),
  };
  reload(state);
  return {
    databases: () => [...state.databases.values()],
    database: (id) => databaseOf(state, id),
    createDatabase: (id) => createDatabase(state, id),
    deleteDatabase: (id) => deleteDatabase(state, id),
    containers: (databaseId) => containersOf(state, databaseId),
    allContainers: () => [...state.containers.values()],
    container: (databaseId, id) => {
      const found = state.containers.get(linkOf(databaseId, id));
      if (found === undefined) throw notFound(`container ${databaseId}/${id}`, 1003);
      return found;
    },
    createContainer: (databaseId, definition, options) =>
      createContainer(state, databaseId, definition, options),
    replaceContainer: (container, definition) => replaceContainer(state, container, definition),
    setThroughput: (container, throughput) => {
      sqlite.run("UPDATE containers SET throughput = ? WHERE cid = ?", throughput, container.cid);
      container.throughput = throughput;
    },
    setRanges: (container, ranges) => {
      const text = JSON.stringify(ranges);
      sqlite.run("UPDATE containers SET ranges = ? WHERE cid = ?", text, container.cid);
      container.ranges = ranges;
    },
    deleteContainer: (container) => deleteContainer(state, container),
    saveCounters: () => saveCounters(state),
    reload: () => reload(state),
  };
}

function load(state: State, row: Row): Container {
  const owner = state.databases.get(String(row["databaseId"]));
  const container = toContainer(row, owner?.rid ?? "");
  state.containers.set(linkOf(container.databaseId, container.id), container);
  state.savedLsn.set(container.cid, container.lsn);
  return container;
}

function loadOne(state: State, cid: number): Container {
  const row = state.sqlite.get("SELECT * FROM containers WHERE cid = ?", cid);
  if (row === undefined) throw new Error(`container ${cid} vanished`);
  return load(state, row);
}

function reload(state: State): void {
  state.databases.clear();
  state.containers.clear();
  state.savedLsn.clear();
  for (const row of state.sqlite.all("SELECT * FROM databases")) {
    const id = String(row["id"]);
    const rid = String(row["rid"]);
    state.databases.set(id, { id, rid, etag: String(row["etag"]), ts: Number(row["ts"]) });
  }
  for (const row of state.sqlite.all("SELECT * FROM containers ORDER BY cid")) load(state, row);
}

function databaseOf({ databases }: State, id: string): Database {
  const found = databases.get(id);
  if (found === undefined) throw notFound(`database ${id}`, 1003);
  return found;
}

function createDatabase({ sqlite, clock, databases }: State, id: string): Database {
  if (databases.has(id)) throw conflict(`database ${id}`);
  const rid = databaseRid(randomBytes(4));
  const created: Database = { id, rid, etag: newEtag(), ts: clock.nowSeconds() };
  sqlite.run(
    "INSERT INTO databases(id, rid, etag, ts) VALUES (?, ?, ?, ?)",
    id,
    rid,
    created.etag,
    created.ts,
  );
  databases.set(id, created);
  return created;
}

function deleteDatabase(state: State, id: string): void {
  for (const container of containersOf(state, id)) deleteContainer(state, container);
  state.sqlite.run("DELETE FROM databases WHERE id = ?", id);
  state.databases.delete(id);
}

function containersOf(state: State, databaseId: string): Container[] {
  databaseOf(state, databaseId);
  return [...state.containers.values()].filter((each) => each.databaseId === databaseId);
}

function createContainer(
  state: State,
  databaseId: string,
  definition: ContainerDefinition,
  { throughput, physicalPartitions }: { throughput: number | null; physicalPartitions: number },
): Container {
  const { sqlite, clock, containers } = state;
  const owner = databaseOf(state, databaseId);
  if (containers.has(linkOf(databaseId, definition.id))) {
    throw conflict(`container ${definition.id}`);
  }
  const ranges = initialRanges(physicalPartitions, definition.partitionKey);
  sqlite.run(
    `INSERT INTO containers(databaseId, id, rid, etag, ts, definition, throughput, lsn, documents, ranges)
     VALUES (?, ?, '', ?, ?, ?, ?, 0, 0, ?)`,
    databaseId,
    definition.id,
    newEtag(),
    clock.nowSeconds(),
    JSON.stringify(definition),
    throughput,
    JSON.stringify(ranges),
  );
  const cid = Number(sqlite.get("SELECT last_insert_rowid() AS cid")?.["cid"]);
  sqlite.run("UPDATE containers SET rid = ? WHERE cid = ?", containerRid(owner.rid, cid), cid);
  createItemTable(sqlite, `items_${cid}`, indexedColumns(definition.indexingPolicy));
  return loadOne(state, cid);
}

function replaceContainer(
  state: State,
  container: Container,
  definition: ContainerDefinition,
): Container {
  const { sqlite, clock } = state;
  // Loading it anew must not take the counters back to what the file has.
  saveCounters(state);
  sqlite.run(
    "UPDATE containers SET definition = ?, etag = ?, ts = ? WHERE cid = ?",
    JSON.stringify(definition),
    newEtag(),
    clock.nowSeconds(),
    container.cid,
  );
  const columns = indexedColumns(definition.indexingPolicy);
  indexItemTable(sqlite, container.table, container.columns, columns);
  return loadOne(state, container.cid);
}

function deleteContainer({ sqlite, containers, savedLsn }: State, container: Container): void {
  sqlite.exec(`DROP TABLE ${container.table}`);
  sqlite.run("DELETE FROM containers WHERE cid = ?", container.cid);
  containers.delete(linkOf(container.databaseId, container.id));
  savedLsn.delete(container.cid);
}

function saveCounters({ sqlite, containers, savedLsn }: State): void {
  for (const { cid, lsn, documents } of containers.values()) {
    if (savedLsn.get(cid) === lsn) continue;
    const sql = "UPDATE containers SET lsn = ?, documents = ? WHERE cid = ?";
    sqlite.run(sql, lsn, documents, cid);
    savedLsn.set(cid, lsn);
  }
}
