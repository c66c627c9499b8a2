import { CosmosClient } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { failureOf, situation } from "../fixture.ts";

const cosmos = await situation();

describe("databases and containers", () => {
  test("are created, listed, read and deleted, and missing ones are 404", async () => {
    const { database } = await cosmos.client.databases.createIfNotExists({ id: "shop" });
    expect((await failureOf(cosmos.client.databases.create({ id: "shop" }))).code).toBe(409);
    const created = await database.containers.createIfNotExists({
      id: "orders",
      partitionKey: "/customer",
      defaultTtl: 60,
    });
    expect(created.statusCode).toBe(201);
    const again = await database.containers.createIfNotExists({ id: "orders" });
    expect(again.statusCode).toBe(200);
    expect(again.resource?.partitionKey).toEqual({
      paths: ["/customer"],
      kind: "Hash",
      version: 1,
    });
    expect(again.resource?.defaultTtl).toBe(60);
    const { resources } = await database.containers.readAll().fetchAll();
    expect(resources.map(({ id }) => id)).toEqual(["orders"]);
    const databases = await cosmos.client.databases.readAll().fetchAll();
    expect(databases.resources.map(({ id }) => id)).toEqual(["test", "shop"]);
    await database.delete();
    expect((await failureOf(database.read())).code).toBe(404);
    const gone = database.container("orders").items.create({ id: "x" });
    expect((await failureOf(gone)).code).toBe(404);
  });

  test("keep hierarchical keys and indexing policies as they were given", async () => {
    const { resource } = await cosmos.container("cases").read();
    expect(resource?.partitionKey?.kind).toBe("MultiHash");
    expect(resource?.indexingPolicy?.includedPaths?.[0]).toEqual({ path: "/type/?" });
    const one = await cosmos.client.database("test").containers.create({ id: "nokey" });
    expect(one.resource?.partitionKey?.paths).toEqual(["/_partitionKey"]);
    await one.container.items.create({ id: "x" });
    expect((await one.container.item("x").read()).statusCode).toBe(200);
  });

  test("may change time to live and indexes, never the key", async () => {
    const { container, resource } = await cosmos.client
      .database("test")
      .containers.create({ id: "changing", partitionKey: { paths: ["/pk"] } });
    if (resource === undefined) throw new Error("no definition");
    await container.items.create({ id: "x", pk: "p", n: 1 });
    await container.items.create({ id: "y", pk: "p", n: 2, ttl: -1 });
    await container.replace({
      ...resource,
      defaultTtl: 30,
      indexingPolicy: { includedPaths: [{ path: "/n/?" }], excludedPaths: [{ path: "/*" }] },
    });
    const query = "SELECT VALUE c.n FROM c WHERE c.n >= 1 ORDER BY c.n DESC";
    expect((await container.items.query(query).fetchAll()).resources).toEqual([2, 1]);
    await cosmos.local.skewClock(31_000);
    expect((await container.items.query(query).fetchAll()).resources).toEqual([2]);
    await cosmos.local.skewClock(0);
    const other = { ...resource, partitionKey: { paths: ["/other"], kind: "Hash", version: 2 } };
    expect((await failureOf(container.replace(other as never))).code).toBe(400);
  });

  test("have a throughput that is read and changed", async () => {
    const { container } = await cosmos.client
      .database("test")
      .containers.create({ id: "offered", partitionKey: "/pk", throughput: 700 });
    const { offer, resource } = await container.readOffer();
    expect(resource?.content?.offerThroughput).toBe(700);
    if (offer === undefined || resource?.content === undefined) throw new Error("no offer");
    await offer.replace({ ...resource, content: { ...resource.content, offerThroughput: 900 } });
    expect((await container.readOffer()).resource?.content?.offerThroughput).toBe(900);
  });
});

describe("the key", () => {
  test("is asked for: a wrong one is 401, a clock far off is 403", async () => {
    const stranger = new CosmosClient({
      endpoint: cosmos.endpoint,
      key: Buffer.from("wrong").toString("base64"),
    });
    expect((await failureOf(stranger.database("test").read())).code).toBe(401);
    stranger.dispose();
    await cosmos.local.skewClock(16 * 60_000);
    expect((await failureOf(cosmos.client.database("test").read())).code).toBe(403);
    await cosmos.local.skewClock(0);
    const bare = await fetch(`${cosmos.endpoint}dbs`);
    expect(bare.status).toBe(401);
    expect(await bare.json()).toHaveProperty("message");
  });
});

describe("what this server does not have", () => {
  test("is refused with a message, not answered with something else", async () => {
    const scripts = cosmos.container("things").scripts;
    const refused = scripts.storedProcedures.create({ id: "s", body: "function () {}" });
    expect((await failureOf(refused)).code).toBe(405);
  });
});
