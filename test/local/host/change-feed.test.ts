// The Cosmos DB trigger against the local Cosmos DB server: leases, checkpoints, and what a throw costs.
import { CosmosClient } from "@azure/cosmos";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { localCosmos } from "../../../local/cosmos/faults.ts";
import { startCosmos } from "../../../local/cosmos/server.ts";
import { leasesToTake, type Lease } from "../../../local/host/triggers/cosmos/leases.ts";
import { afterwards, type Fixture, startFixture, temporaryFolder, until } from "./fixture-app.ts";

function feedApp(options: string): string {
  return `
const { app, output } = require("@azure/functions");
const { appendFileSync, existsSync, writeFileSync } = require("node:fs");
app.cosmosDB("feed", { connection: "Db", databaseName: "db", containerName: "items", feedPollDelay: 50,
  leaseAcquireInterval: 200, leaseExpirationInterval: 1500, leaseRenewInterval: 300, ${options}
  handler: async (documents, context) => {
    for (const { id } of documents) appendFileSync("record.txt", process.pid + " " + id + "\\n");
    if (documents.some(({ hang }) => hang) && !existsSync("hung")) { writeFileSync("hung", ""); await new Promise(() => {}); }
  } });
app.http("put", { extraOutputs: [output.cosmosDB({ name: "out", connection: "Db", databaseName: "db", containerName: "items" })],
  handler: (request, context) => { context.extraOutputs.set("out", [{ id: "o1" }, { id: "o2" }]); return {}; } });
`;
}

async function startFeed(options = "", workers = 1, physicalPartitions = 1) {
  const server = await startCosmos({
    dataFolder: await temporaryFolder(),
    physicalPartitions,
    entities: {
      database: "db",
      containers: [
        { id: "items", partitionKey: { paths: ["/id"] } },
        { id: "leases", partitionKey: { paths: ["/id"] } },
      ],
    },
  });
  afterwards(() => server.close());
  const database = new CosmosClient(server.connectionString).database("db");
  const start = () =>
    startFixture(
      { files: { "main.js": feedApp(options) } },
      { workers, settings: { Db: server.connectionString } },
    );
  const leases = async () => {
    const { resources } = await database.container("leases").items.readAll<Lease>().fetchAll();
    return resources;
  };
  return {
    start,
    leases,
    split: (rangeId: string) => localCosmos(server.endpoint).splitPartition("items", rangeId),
    items: database.container("items").items,
    /** Every range has an owner who has begun to read: what is written from now on will be seen. */
    isFollowed: () =>
      until("each range is followed", async () => {
        const all = await leases().catch((): Lease[] => []);
        return all.length > 0 && all.every((l) => l.owner !== "" && l.continuation !== null);
      }),
  };
}

async function seen({ appFolder }: Fixture): Promise<string[]> {
  try {
    const text = await readFile(join(appFolder, "record.txt"), "utf8");
    return text.trim().split("\n");
  } catch {
    return [];
  }
}
const ids = (lines: string[]) => lines.map((line) => line.split(" ")[1]);
const pids = (lines: string[]) => new Set(lines.map((line) => line.split(" ")[0]));

describe("a change feed function", () => {
  test("sees what is written from its first start on, and goes on there after a restart", async () => {
    const { start, items, isFollowed } = await startFeed();
    await items.create({ id: "before" });
    const fixture = await start();
    await isFollowed();
    await items.create({ id: "a" });
    await until("the first change", async () => (await seen(fixture)).length === 1);
    await fixture.host.close();
    await items.create({ id: "b" });
    await fixture.restart();
    await until("the change made meanwhile", async () => (await seen(fixture)).length === 2);
    expect(ids(await seen(fixture))).toEqual(["a", "b"]);
  });

  test("gets the batch again when its instance was killed, once the lease has expired", async () => {
    const { start, items, isFollowed } = await startFeed();
    const fixture = await start();
    await isFollowed();
    await items.create({ id: "a", hang: true });
    const [first] = await until("the batch", async () => {
      const lines = await seen(fixture);
      return lines.length === 1 && lines;
    });
    process.kill(Number(first?.split(" ")[0]), "SIGKILL");
    await until("the batch again", async () => (await seen(fixture)).length === 2);
    const lines = await seen(fixture);
    expect(ids(lines)).toEqual(["a", "a"]);
    expect(pids(lines).size).toBe(2);
  });

  test("is told of a lease container that is missing", async () => {
    const { start } = await startFeed('leaseContainerName: "absent",');
    const fixture = await start();
    const line = await until("the error", () =>
      fixture.logs().find((text) => text.includes("The listener for 'feed' is not running")),
    );
    expect(line).toContain('The lease container "db/absent" does not exist');
  });

  test("may have its lease container made", async () => {
    const { start, items } = await startFeed(
      'leaseContainerName: "made", createLeaseContainerIfNotExists: true, startFromBeginning: true,',
    );
    const fixture = await start();
    expect((await fixture.fetch("/api/put")).status).toBe(200);
    await items.create({ id: "a" });
    await until("all three", async () => (await seen(fixture)).length === 3);
    expect(ids(await seen(fixture))).toEqual(["o1", "o2", "a"]);
  });
});

describe("a range that splits", () => {
  test("is followed: each part goes on where the whole stood, also after a restart", async () => {
    const { start, items, leases, isFollowed, split } = await startFeed("", 1, 2);
    const fixture = await start();
    await isFollowed();
    const batch = async (name: string) => {
      const wanted = Array.from({ length: 12 }, (_, n) => `${name}-${n}`);
      for (const id of wanted) await items.create({ id });
      return wanted;
    };
    const sawAll = (wanted: string[]) =>
      until("every change", async () => {
        const found = ids(await seen(fixture));
        return wanted.every((id) => found.includes(id));
      });
    await sawAll(await batch("before"));
    await split("0");
    await sawAll(await batch("during"));
    await until("three leases", async () => (await leases()).length === 3);
    const after = await batch("after");
    await sawAll(after);
    await fixture.host.close();
    const known = (await seen(fixture)).length;
    const meanwhile = await batch("meanwhile");
    await fixture.restart();
    await sawAll(meanwhile);
    // Whoever followed the whole until it saw the parts may have told of the last changes: the parts tell of them, too.
    const again = ids(await seen(fixture))
      .slice(known)
      .filter((id) => !new Set<unknown>(after).has(id));
    expect(new Set(again)).toEqual(new Set(meanwhile));
    expect(again).toHaveLength(meanwhile.length);
    expect(await leases()).toHaveLength(3);
  });
});

describe("two instances", () => {
  test("share the ranges of a container, and no change is missed", async () => {
    const { start, items, leases } = await startFeed("", 2, 4);
    const fixture = await start();
    await until("a fair share", async () => {
      const all = await leases().catch((): Lease[] => []);
      const owners = Map.groupBy(all, ({ owner }) => owner);
      const isFair = [...owners.values()].every(({ length }) => length === 2);
      return all.length === 4 && owners.size === 2 && isFair && all.every((l) => l.continuation);
    });
    const wanted = Array.from({ length: 40 }, (_, index) => `item-${index}`);
    for (const id of wanted) await items.create({ id });
    // Who lost a lease learns it at its next write: a change may be seen twice just after, as on Azure.
    const lines = await until("all changes", async () => {
      const found = await seen(fixture);
      return new Set(ids(found)).size === wanted.length && found;
    });
    expect(pids(lines).size).toBe(2);
  });

  test("take expired leases first and steal one only from who has two more", () => {
    const lease = (id: string, owner: string, agoMs = 0): Lease => ({
      id,
      owner,
      timestamp: new Date(100_000 - agoMs).toISOString(),
      continuation: null,
      feedRange: { minInclusive: "", maxExclusive: "FF" },
    });
    const take = (leases: Lease[]) =>
      leasesToTake(leases, "me", 100_000, 60_000).map(({ id }) => id);
    expect(take([lease("a", ""), lease("b", "")])).toEqual(["a", "b"]);
    expect(take([lease("a", "you"), lease("b", "dead", 61_000)])).toEqual(["b"]);
    expect(take([lease("a", "you"), ...["b", "c", "d"].map((id) => lease(id, ""))])).toEqual([
      "b",
      "c",
    ]);
    expect(take([lease("a", "you"), lease("b", "you")])).toEqual(["a"]);
    expect(take([lease("a", "you")])).toEqual([]);
    expect(take([lease("a", "me"), lease("b", "you"), lease("c", "you")])).toEqual([]);
  });
});
