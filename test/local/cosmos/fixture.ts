// A server in a folder of its own and the unmodified SDK connected to it, for each test file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import type { Container, CosmosClientOptions, JSONObject } from "@azure/cosmos";
import { afterAll } from "vitest";
import { localCosmos } from "../../../local/cosmos/faults.ts";
import type { LocalCosmos } from "../../../local/cosmos/faults.ts";
import { startCosmos } from "../../../local/cosmos/server.ts";
import type { ContainerEntity, CosmosOptions } from "../../../local/cosmos/server.ts";

export interface Situation {
  dataFolder: string;
  endpoint: string;
  connectionString: string;
  client: CosmosClient;
  local: LocalCosmos;
  container(id: string): Container;
  /** Another client, with options of its own. */
  connect(options?: Partial<CosmosClientOptions>): CosmosClient;
}

/** The containers that most tests need: the app's own shape, and a single key. */
export const CONTAINERS: ContainerEntity[] = [
  {
    id: "cases",
    partitionKey: { paths: ["/tenantId", "/caseId"], kind: "MultiHash", version: 2 },
    defaultTtl: -1,
    indexingPolicy: {
      indexingMode: "consistent",
      automatic: true,
      includedPaths: [
        { path: "/type/?" },
        { path: "/dueAtMs/?" },
        { path: "/atMs/?" },
        { path: "/folded/?" },
      ],
      excludedPaths: [{ path: "/*" }],
    },
  },
  { id: "things", partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } },
];

const temporary: string[] = [];
const opened: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of opened.splice(0)) await close();
  for (const folder of temporary.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cosmos-"));
  temporary.push(folder);
  return folder;
}

export async function situation(options: Partial<CosmosOptions> = {}): Promise<Situation> {
  const dataFolder = options.dataFolder ?? temporaryFolder();
  const server = await startCosmos({
    entities: { database: "test", containers: CONTAINERS },
    ...options,
    dataFolder,
  });
  const clients: CosmosClient[] = [];
  const connect = (more: Partial<CosmosClientOptions> = {}): CosmosClient => {
    const client = new CosmosClient({ connectionString: server.connectionString, ...more });
    clients.push(client);
    return client;
  };
  const client = connect();
  opened.push(async () => {
    for (const each of clients) each.dispose();
    await server.close();
  });
  return {
    dataFolder,
    endpoint: server.endpoint,
    connectionString: server.connectionString,
    client,
    local: localCosmos(server.endpoint),
    container: (id) => client.database("test").container(id),
    connect,
  };
}

/** What an expected failure carries; fails the test when there was none. */
export async function failureOf(work: Promise<unknown>): Promise<{
  code: unknown;
  substatus?: number;
  message: string;
  cause?: { code?: unknown };
}> {
  try {
    await work;
  } catch (error) {
    return error as { code: unknown; message: string };
  }
  throw new Error("expected a failure");
}

/** A document without what the service adds. */
export function plain(document: object | undefined): JSONObject {
  return Object.fromEntries(
    Object.entries(document ?? {}).filter(
      ([key]) => !/^_(rid|self|etag|attachments|ts|lsn)$/.test(key),
    ),
  );
}

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 10_000;
  while (!(await isTrue())) {
    if (performance.now() > deadlineMs) throw new Error("the condition never came true");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
