// Databases and containers, keys and unique keys. Rules from Microsoft Learn: the REST API's "Databases" and "Collections",
// "Unique key constraints", "Hierarchical partition keys", "Access control" (the master key).
import { CosmosClient } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { account, failureOf, freshKey, until } from "./account.ts";

const cosmos = await account();
const unique = cosmos.container("unique");
const freshContainer = async (more: object = {}) => {
  const id = freshKey();
  const definition = { id, partitionKey: "/pk", ...more };
  const { container, resource } = await cosmos.database.containers.create(definition);
  return { container, resource: defined(resource) };
};
const defined = <Value>(value: Value | undefined): Value => value ?? expect.fail("it is missing");

describe("a database", () => {
  test("cannot be created twice under one id", async () => {
    const { id } = cosmos.database;
    expect((await failureOf(cosmos.connect().databases.create({ id }))).code).toBe(409);
  });

  test("is found by createIfNotExists: 200 when it is there", async () => {
    const { id } = cosmos.database;
    expect((await cosmos.connect().databases.createIfNotExists({ id })).statusCode).toBe(200);
  });

  test("that does not exist is 404, and so is what is written into it", async () => {
    const missing = cosmos.connect().database(freshKey());
    expect((await failureOf(missing.read())).code).toBe(404);
    const item = missing.container("x").items.create({ id: "x" });
    expect((await failureOf(item)).code).toBe(404);
  });
});

describe("a container", () => {
  test("is listed among the others of its database, and gone once it is deleted", async () => {
    const { container } = await freshContainer();
    const ids = async () =>
      (await cosmos.database.containers.readAll().fetchAll()).resources.map(({ id }) => id);
    expect(await ids()).toEqual(expect.arrayContaining(["cases", "things", container.id]));
    await container.delete();
    expect(await ids()).not.toContain(container.id);
    expect((await failureOf(container.read())).code).toBe(404);
  });

  test("is created once: createIfNotExists answers 201, then 200", async () => {
    const definition = { id: freshKey(), partitionKey: "/pk" };
    const first = await cosmos.database.containers.createIfNotExists(definition);
    const second = await cosmos.database.containers.createIfNotExists(definition);
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    expect((await failureOf(cosmos.database.containers.create(definition))).code).toBe(409);
  });

  test("keeps its hierarchical key, its time to live and its indexing policy as they were given", async () => {
    const { resource } = await freshContainer({
      partitionKey: { paths: ["/a", "/b"], kind: "MultiHash", version: 2 },
      defaultTtl: 60,
      indexingPolicy: { includedPaths: [{ path: "/n/?" }], excludedPaths: [{ path: "/*" }] },
    });
    expect(resource.partitionKey).toMatchObject({ paths: ["/a", "/b"], kind: "MultiHash" });
    expect(resource.defaultTtl).toBe(60);
    expect(resource.indexingPolicy?.includedPaths?.[0]?.path).toBe("/n/?");
  });

  test("indexes every path unless it is told otherwise", async () => {
    const { resource } = await freshContainer();
    expect(resource.indexingPolicy).toMatchObject({
      indexingMode: "consistent",
      automatic: true,
      includedPaths: [{ path: "/*" }],
    });
  });

  test("may change its time to live, which then holds for its items (waits)", async () => {
    const { container, resource } = await freshContainer();
    await container.items.create({ id: "x", pk: "p" });
    await container.items.create({ id: "y", pk: "p", ttl: -1 });
    await container.replace({ ...resource, defaultTtl: 1 });
    const item = (id: string) => container.item(id, "p").read();
    await until("the item is over", async () => (await item("x")).statusCode === 404);
    expect((await item("y")).statusCode).toBe(200);
  });

  test("may change its indexes, and answers as before", async () => {
    const { container, resource } = await freshContainer();
    for (const n of [1, 2]) await container.items.create({ id: `${n}`, pk: "p", n });
    const indexingPolicy = {
      includedPaths: [{ path: "/n/?" }],
      excludedPaths: [{ path: "/*" }],
    };
    await container.replace({ ...resource, indexingPolicy });
    const query = "SELECT VALUE c.n FROM c WHERE c.n >= 1 ORDER BY c.n DESC";
    expect((await container.items.query(query).fetchAll()).resources).toEqual([2, 1]);
  });

  test("never changes its partition key", async () => {
    const { container, resource } = await freshContainer();
    const other = { ...resource, partitionKey: { paths: ["/other"], kind: "Hash", version: 2 } };
    expect((await failureOf(container.replace(other as never))).code).toBe(400);
  });

  test("has a throughput that is read and changed", async () => {
    const id = freshKey();
    const definition = { id, partitionKey: "/pk", throughput: 700 };
    const { container } = await cosmos.database.containers.create(definition);
    const { offer, resource } = await container.readOffer();
    expect(resource?.content?.offerThroughput).toBe(700);
    const content = { ...defined(resource?.content), offerThroughput: 900 };
    await defined(offer).replace({ ...defined(resource), content });
    expect((await container.readOffer()).resource?.content?.offerThroughput).toBe(900);
  });
});

describe("a unique key", () => {
  test("refuses a second item with the same value in a partition, with 409", async () => {
    const pk = freshKey();
    await unique.items.create({ id: "1", pk, email: "x", a: 1 });
    const second = unique.items.create({ id: "2", pk, email: "x", a: 2 });
    expect((await failureOf(second)).code).toBe(409);
  });

  test("of several paths refuses only where all of them are the same", async () => {
    const pk = freshKey();
    await unique.items.create({ id: "1", pk, email: "x", a: 1, b: 1 });
    const other = await unique.items.create({ id: "2", pk, email: "y", a: 1, b: 2 });
    expect(other.statusCode).toBe(201);
    const same = unique.items.create({ id: "3", pk, email: "z", a: 1, b: 1 });
    expect((await failureOf(same)).code).toBe(409);
  });

  test("holds within one partition alone", async () => {
    for (const pk of [freshKey(), freshKey()]) {
      const outcome = await unique.items.create({ id: "1", pk, email: "x" }).then(
        ({ statusCode }) => statusCode,
        ({ code }: { code: unknown }) => code,
      );
      expect(outcome).toBe(201);
    }
  });

  test("holds for upserts, replaces and patches too", async () => {
    const pk = freshKey();
    await unique.items.create({ id: "1", pk, email: "x", a: 1 });
    await unique.items.create({ id: "2", pk, email: "y", a: 2 });
    const taken = { id: "2", pk, email: "x", a: 2 };
    const item = unique.item("2", pk);
    const attempts = [
      () => unique.items.upsert(taken),
      () => item.replace(taken),
      () => item.patch([{ op: "set", path: "/email", value: "x" }]),
    ];
    for (const attempt of attempts) expect((await failureOf(attempt())).code).toBe(409);
  });

  test("lets an item keep its own value", async () => {
    const pk = freshKey();
    await unique.items.create({ id: "1", pk, email: "x", a: 1 });
    const again = await unique.items.upsert({ id: "1", pk, email: "x", a: 1, more: true });
    expect(again.statusCode).toBe(200);
  });

  test("is free again once its item is deleted", async () => {
    const pk = freshKey();
    await unique.items.create({ id: "1", pk, email: "x", a: 1 });
    await unique.item("1", pk).delete();
    expect((await unique.items.create({ id: "2", pk, email: "x", a: 1 })).statusCode).toBe(201);
  });

  test("fails a batch as a whole", async () => {
    const pk = freshKey();
    await unique.items.create({ id: "1", pk, email: "x", a: 1 });
    const create = (id: string, email: string) =>
      ({ operationType: "Create", resourceBody: { id, pk, email, a: id } }) as const;
    const refused = await unique.items.batch([create("2", "y"), create("3", "x")], pk);
    expect(refused.result?.map(({ statusCode }) => statusCode)).toEqual([424, 409]);
    expect((await unique.item("2", pk).read()).statusCode).toBe(404);
  });
});

describe("the account's key", () => {
  test("is asked for: a request signed with another one is 401", async () => {
    const endpoint = /AccountEndpoint=([^;]+)/.exec(cosmos.connectionString)?.[1] ?? "";
    const key = Buffer.from("not the key of this account").toString("base64");
    const stranger = new CosmosClient({ endpoint, key });
    const refused = await failureOf(stranger.database(cosmos.database.id).read());
    stranger.dispose();
    expect(refused.code).toBe(401);
  });

  test("is asked for: a request without a signature is refused", async () => {
    const endpoint = /AccountEndpoint=([^;]+)/.exec(cosmos.connectionString)?.[1] ?? "";
    const { status } = await fetch(new URL("dbs", endpoint));
    expect([400, 401]).toContain(status);
  });
});
