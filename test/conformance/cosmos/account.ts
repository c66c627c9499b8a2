// A Cosmos DB account for one test file: a stand-in of its own, or the one that CONFORMANCE_COSMOS names.
//
// Either way the cases work in a database of a name of its own, made through the SDK and deleted at the end: three containers at
// the lowest throughput. The stand-in is set up as Azure is where several physical partitions matter: it has four, and sends
// cross-partition queries back to the SDK's own pipeline; `serverSide` asks for its other way, to answer them itself.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CosmosClient,
  type Container,
  type ContainerDefinition,
  type Database,
  type JSONObject,
} from "@azure/cosmos";
import { afterAll, expect } from "vitest";
import { localCosmos, type LocalCosmos } from "../../../local/cosmos/faults.ts";
import { startCosmos } from "../../../local/cosmos/server.ts";

export const aimedAt = process.env["CONFORMANCE_COSMOS"];

export interface Account {
  database: Database;
  container(id: "cases" | "things" | "unique"): Container;
  connectionString: string;
  /** Another client. */
  connect(): CosmosClient;
  /** The stand-in's own API; nothing elsewhere. */
  standIn: LocalCosmos | undefined;
}

const V2 = { kind: "Hash", version: 2 } as const;
const CONTAINERS = [
  {
    id: "cases",
    partitionKey: { paths: ["/tenantId", "/caseId"], kind: "MultiHash", version: 2 },
    defaultTtl: -1,
  },
  { id: "things", partitionKey: { paths: ["/pk"], ...V2 } },
  {
    id: "unique",
    partitionKey: { paths: ["/pk"], ...V2 },
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }, { paths: ["/a", "/b"] }] },
  },
] as unknown as ContainerDefinition[];

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

export async function account(options: { serverSide?: boolean } = {}): Promise<Account> {
  const connectionString = aimedAt ?? (await startStandIn(options.serverSide ?? false));
  const connect = (): CosmosClient => {
    const client = new CosmosClient(connectionString);
    closing.push(async () => client.dispose());
    return client;
  };
  const client = connect();
  const id = `conformance-${crypto.randomUUID()}`;
  const { database } = await client.databases.create({ id });
  closing.push(() => database.delete());
  for (const container of CONTAINERS) await database.containers.create(container);
  const endpoint = /AccountEndpoint=([^;]+)/.exec(connectionString)?.[1] ?? "";
  return {
    database,
    connectionString,
    connect,
    container: (name) => database.container(name),
    standIn: aimedAt === undefined ? localCosmos(endpoint) : undefined,
  };
}

async function startStandIn(serverSide: boolean): Promise<string> {
  const dataFolder = mkdtempSync(join(tmpdir(), "conformance-cosmos-"));
  const server = await startCosmos({
    dataFolder,
    physicalPartitions: 4,
    crossPartitionQueries: serverSide ? "server" : "client",
  });
  closing.push(async () => {
    await server.close();
    rmSync(dataFolder, { recursive: true, force: true });
  });
  return server.connectionString;
}

/** A partition key that no other case uses. */
export function freshKey(): string {
  return `p-${crypto.randomUUID()}`;
}

/** What an expected failure carries; fails the case when there was none. */
export async function failureOf(work: Promise<unknown>): Promise<{
  code: unknown;
  substatus?: number;
  message: string;
  cause?: { code?: unknown };
}> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error as { code: unknown; message: string },
  );
  return failure ?? expect.fail("it was not refused");
}

/** A document without what the service adds. */
export function plain(document: object | undefined): JSONObject {
  return Object.fromEntries(
    Object.entries(document ?? {}).filter(
      ([key]) => !/^_(rid|self|etag|attachments|ts|lsn)$/.test(key),
    ),
  );
}

export function chargeOf({ headers }: { headers: object }): number {
  return Number((headers as Record<string, unknown>)["x-ms-request-charge"]);
}

export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  withinMs = aimedAt === undefined ? 8000 : 60_000,
): Promise<void> {
  const givenUpAtMs = Date.now() + withinMs;
  while (!(await isTrue())) {
    if (Date.now() > givenUpAtMs) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
