// A local Azure Cosmos DB (NoSQL API) server: the unmodified SDK talks to it over HTTP on 127.0.0.1.
//
// Everything lives in one SQLite file in `dataFolder`, and a reply means that the write is on disk,
// so `kill -9` loses nothing acknowledged and tears no batch. What differs from Azure is in README.md.
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { completeDefinition } from "./catalog/containers.ts";
import { openFaultRules } from "./observe/fault-rules.ts";
import { openRequestLog } from "./observe/request-log.ts";
import { requestListener } from "./protocol/listener.ts";
import { openThrottle } from "./protocol/throttle.ts";
import { openScan } from "./query/scan.ts";
import type { Service, Settings } from "./service.ts";
import { openCatalog } from "./store/catalog.ts";
import type { Catalog } from "./store/catalog.ts";
import { systemClock } from "./store/clock.ts";
import { openCommitQueue } from "./store/commit-queue.ts";
import { openHistory } from "./store/history.ts";
import { openItems } from "./store/items.ts";
import type { JsonObject } from "./store/json.ts";
import { openSqlite } from "./store/sqlite.ts";

/** The key that Microsoft's own emulator publishes; it protects nothing. */
export const EMULATOR_KEY =
  "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

export interface ContainerEntity {
  id: string;
  partitionKey: { paths: string[]; kind?: string; version?: number };
  defaultTtl?: number;
  indexingPolicy?: object;
  uniqueKeyPolicy?: object;
}

export interface CosmosEntities {
  database: string;
  containers: ContainerEntity[];
}

export interface CosmosOptions {
  dataFolder: string;
  port?: number;
  key?: string;
  entities?: CosmosEntities;
  physicalPartitions?: number;
  crossPartitionQueries?: Settings["crossPartitionQueries"];
  enforceThroughput?: boolean;
  multipleWriteLocations?: boolean;
  consistencyLevel?: string;
  /** Takes bearer tokens, for the SDK's `aadCredentials` (which insist on `tls`). */
  acceptBearerTokens?: boolean;
  tls?: { key: string; cert: string };
}

export interface RunningCosmos {
  endpoint: string;
  port: number;
  connectionString: string;
  close(): Promise<void>;
}

const PURGE_INTERVAL_MS = 1000;
const PURGE_ITEMS = 500;

function settingsOf(options: CosmosOptions): Settings {
  return {
    physicalPartitions: options.physicalPartitions ?? 1,
    crossPartitionQueries: options.crossPartitionQueries ?? "server",
    enforceThroughput: options.enforceThroughput ?? false,
    multipleWriteLocations: options.multipleWriteLocations ?? false,
    // A new Azure account has Session; an app that many workers share needs this one, and says so.
    consistencyLevel: options.consistencyLevel ?? "BoundedStaleness",
  };
}

function createMissing(catalog: Catalog, entities: CosmosEntities, settings: Settings): void {
  const { database, containers } = entities;
  if (!catalog.databases().some(({ id }) => id === database)) catalog.createDatabase(database);
  for (const entity of containers) {
    if (catalog.containers(database).some(({ id }) => id === entity.id)) continue;
    const definition = completeDefinition(JSON.parse(JSON.stringify(entity)) as JsonObject);
    const { physicalPartitions } = settings;
    catalog.createContainer(database, definition, { throughput: null, physicalPartitions });
  }
}

export async function startCosmos(options: CosmosOptions): Promise<RunningCosmos> {
  const key = options.key ?? EMULATOR_KEY;
  const settings = settingsOf(options);
  const clock = systemClock();
  const sqlite = openSqlite(options.dataFolder);
  const catalog = openCatalog(sqlite, clock);
  const history = openHistory();
  const items = openItems(sqlite, clock, history);
  const scan = openScan(sqlite, (item) => items.isLive(item));
  const service: Service = { clock, sqlite, catalog, items, scan, history, settings };
  const queue = openCommitQueue(sqlite, {
    beforeCommit: () => catalog.saveCounters(),
    afterFailure: () => catalog.reload(),
  });
  if (options.entities !== undefined) createMissing(catalog, options.entities, settings);

  const scheme = options.tls === undefined ? "http" : "https";
  const listener = requestListener({
    service,
    queue,
    scheme,
    log: openRequestLog(),
    faults: openFaultRules(),
    throttle: openThrottle(),
    credentials: { key, acceptBearerTokens: options.acceptBearerTokens ?? false },
  });
  const server =
    options.tls === undefined
      ? createHttpServer(listener)
      : createHttpsServer(options.tls, listener);
  // Idle connections stay open longer than the client's own limit, so that the client closes first.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  }).catch((error: unknown) => {
    sqlite.close();
    throw error;
  });
  const purge = setInterval(() => {
    for (const container of catalog.allContainers()) items.purgeExpired(container, PURGE_ITEMS);
  }, PURGE_INTERVAL_MS);
  purge.unref();

  const { port } = server.address() as AddressInfo;
  const endpoint = `${scheme}://127.0.0.1:${port}/`;
  return {
    endpoint,
    port,
    connectionString: `AccountEndpoint=${endpoint};AccountKey=${key};`,
    close: async () => {
      clearInterval(purge);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      queue.flush();
      server.closeAllConnections();
      await closed;
      sqlite.close();
    },
  };
}
