// A host that runs the app of this folder: the stand-in, with a broker and a Cosmos DB server of its own, or the one that
// CONFORMANCE_HOST names (CONFORMANCE_HOST_KEY: its master key).
//
// Elsewhere the app in ./app must be running already, on one instance (`func start`, or deployed), with the settings of
// app/settings.json and two more: `Bus` and `Db`, the connection strings that are also given to this suite by --service-bus and
// --cosmos; without those the cases of their triggers are left out. Start it anew for each run: some cases look at its start. Database `conformance-host` needs a container `items`
// (partition key /id); the queues are in service-bus/entities.json. `func start` asks for no keys unless it has --enableAuth.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient, type Container } from "@azure/cosmos";
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, expect } from "vitest";
import { startCosmos } from "../../../local/cosmos/server.ts";
import { startHost } from "../../../local/host/server.ts";
import type { EmulatorConfig } from "../../../local/service-bus/entities.ts";
import { startServiceBus } from "../../../local/service-bus/server.ts";

export const aimedAt = process.env["CONFORMANCE_HOST"];

export type RunningHost = {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** With the master key; a body is sent as JSON. */
  asMaster(path: string, init?: { method: string; body: string }): Promise<Response>;
  keys: { master: string; host: string | undefined };
  /** What a function of the app recorded. */
  records<Row>(name: string): Promise<Row[]>;
  serviceBus: ServiceBusClient | undefined;
  items: Container | undefined;
};

type Place = {
  url: string;
  keys: RunningHost["keys"];
  serviceBus: string | undefined;
  cosmos: string | undefined;
};

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

export async function runningHost(): Promise<RunningHost> {
  const { cosmos, keys, serviceBus, url } =
    aimedAt === undefined ? await startStandIns() : elsewhere(aimedAt);
  const ask: RunningHost["fetch"] = (path, init) => fetch(new URL(path, url), init);
  const bus = serviceBus === undefined ? undefined : new ServiceBusClient(serviceBus);
  if (bus !== undefined) closing.push(() => bus.close());
  const database = cosmos === undefined ? undefined : new CosmosClient(cosmos);
  return {
    fetch: ask,
    asMaster: (path, init) =>
      ask(path, {
        ...init,
        headers: { "content-type": "application/json", "x-functions-key": keys.master },
      }),
    keys,
    records: async <Row>(name: string) =>
      (await (await ask(`/api/records/${name}`)).json()) as Row[],
    serviceBus: bus,
    items: database?.database("conformance-host").container("items"),
  };
}

function elsewhere(url: string): Place {
  return {
    url,
    keys: { master: process.env["CONFORMANCE_HOST_KEY"] ?? "", host: undefined },
    serviceBus: process.env["CONFORMANCE_SERVICE_BUS"],
    cosmos: process.env["CONFORMANCE_COSMOS"],
  };
}

const APP = join(import.meta.dirname, "app");
const ENTITIES = join(import.meta.dirname, "..", "service-bus", "entities.json");

async function startStandIns(): Promise<Place> {
  const dataFolder = mkdtempSync(join(tmpdir(), "conformance-host-"));
  closing.push(async () => rmSync(dataFolder, { recursive: true, force: true }));
  const bus = await startServiceBus({
    dataFolder,
    entities: JSON.parse(readFileSync(ENTITIES, "utf8")) as EmulatorConfig,
  });
  closing.push(() => bus.close());
  const cosmos = await startCosmos({
    dataFolder,
    entities: {
      database: "conformance-host",
      containers: [{ id: "items", partitionKey: { paths: ["/id"] } }],
    },
  });
  closing.push(() => cosmos.close());
  const settings = JSON.parse(readFileSync(join(APP, "settings.json"), "utf8")) as object;
  const host = await startHost({
    appFolder: APP,
    dataFolder: join(dataFolder, "host"),
    settings: {
      ...settings,
      RECORDS_FOLDER: dataFolder,
      Bus: bus.connectionString,
      Db: cosmos.connectionString,
    },
  });
  closing.push(() => host.close());
  return {
    url: host.url,
    keys: host.keys,
    serviceBus: bus.connectionString,
    cosmos: cosmos.connectionString,
  };
}

const PATIENCE_MS = aimedAt === undefined ? 8000 : 120_000;

/** Waits for what a function is to have recorded; what never comes is a failed claim. */
export async function awaited<Value>(
  what: string,
  read: () => Promise<Value | undefined | false>,
): Promise<Value> {
  const givenUpAtMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > givenUpAtMs) expect.fail(`in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, aimedAt === undefined ? 20 : 500));
  }
}
