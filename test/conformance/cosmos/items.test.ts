// Items by id. Rules from Microsoft Learn: "Documents" of the REST API, "Azure Cosmos DB service quotas", "Partitioning",
// "Request units", "Time to live".
import { describe, expect, test } from "vitest";
import { account, chargeOf, failureOf, freshKey, plain, until } from "./account.ts";

const cosmos = await account();
const things = cosmos.container("things");
const cases = cosmos.container("cases");

describe("an item", () => {
  test("is read as it was created: 201, then 200, with every value as it was", async () => {
    const pk = freshKey();
    const body = { id: "a", pk, text: "naïve 🙂 \u2028", list: [1, { two: null }], n: -0.5 };
    const created = await things.items.create(body);
    const read = await things.item("a", pk).read();
    expect([created.statusCode, read.statusCode]).toEqual([201, 200]);
    expect(plain(read.resource)).toEqual(body);
    expect(read.resource).toEqual(created.resource);
  });

  test("has the properties that the service adds", async () => {
    const pk = freshKey();
    const { resource, etag } = await things.items.create({ id: "a", pk });
    expect(Object.keys(resource ?? {})).toEqual(
      expect.arrayContaining(["_rid", "_self", "_etag", "_ts", "_attachments"]),
    );
    expect(etag).toBe((resource as { _etag?: string } | undefined)?._etag);
  });

  test("does not keep what looks like a system property", async () => {
    const pk = freshKey();
    await things.items.create({ id: "a", pk, _ts: 1, _etag: "mine" });
    const { resource } = await things.item("a", pk).read();
    expect(resource?._ts).toBeGreaterThan(1e9);
    expect(resource?._etag).not.toBe("mine");
  });

  test("is unique by id within its partition: a second create is 409", async () => {
    const pk = freshKey();
    await things.items.create({ id: "twice", pk, v: 1 });
    expect((await failureOf(things.items.create({ id: "twice", pk, v: 2 }))).code).toBe(409);
    expect((await things.item("twice", pk).read()).resource?.v).toBe(1);
  });

  test("may have the id of an item of another partition", async () => {
    const [p, q] = [freshKey(), freshKey()];
    for (const pk of [p, q]) await things.items.create({ id: "same", pk, of: pk });
    expect((await things.item("same", p).read()).resource?.of).toBe(p);
    expect((await things.item("same", q).read()).resource?.of).toBe(q);
  });

  test("that is missing is 404: a read says so, a replace and a delete are refused", async () => {
    const pk = freshKey();
    expect((await things.item("none", pk).read()).statusCode).toBe(404);
    expect((await failureOf(things.item("none", pk).delete())).code).toBe(404);
    const replaced = things.item("none", pk).replace({ id: "none", pk });
    expect((await failureOf(replaced)).code).toBe(404);
  });

  test("is upserted: 201 when it is new, 200 when it is replaced, and stays the same resource", async () => {
    const pk = freshKey();
    const first = await things.items.upsert({ id: "up", pk, v: 1 });
    const second = await things.items.upsert({ id: "up", pk, v: 2 });
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    const [before, after] = [first, second].map(({ resource }) => resource as { _rid?: string });
    expect(after?._rid).toBe(before?._rid);
    expect((await things.item("up", pk).read()).resource?.v).toBe(2);
  });

  test("is replaced whole: what the new body lacks is gone", async () => {
    const pk = freshKey();
    await things.items.create({ id: "a", pk, old: 1 });
    await things.item("a", pk).replace({ id: "a", pk, new: 2 });
    expect(plain((await things.item("a", pk).read()).resource)).toEqual({ id: "a", pk, new: 2 });
  });

  test("is gone once it is deleted, and its id is free", async () => {
    const pk = freshKey();
    await things.items.create({ id: "a", pk });
    expect((await things.item("a", pk).delete()).statusCode).toBe(204);
    expect((await things.item("a", pk).read()).statusCode).toBe(404);
    expect((await things.items.create({ id: "a", pk })).statusCode).toBe(201);
  });

  test("has an id of at most 1,023 bytes", async () => {
    const pk = freshKey();
    const id = "x".repeat(1023);
    await things.items.create({ id, pk });
    expect((await things.item(id, pk).read()).statusCode).toBe(200);
    expect((await failureOf(things.items.create({ id: `${id}x`, pk }))).message).not.toBe("");
  });

  test("has an id without slashes, question marks and number signs; others are allowed", async () => {
    const pk = freshKey();
    for (const refused of ["a/b", "a?b", "a#b", "a\\b"]) {
      expect((await failureOf(things.items.create({ id: refused, pk }))).message).not.toBe("");
    }
    await things.items.create({ id: "a b%c:d", pk });
    expect((await things.item("a b%c:d", pk).read()).statusCode).toBe(200);
  });

  test("of more than 2 MB is refused with 413", async () => {
    const pk = freshKey();
    const large = { id: "big", pk, text: "x".repeat(2 * 1024 * 1024) };
    expect((await failureOf(things.items.create(large))).code).toBe(413);
    const fits = { ...large, text: "x".repeat(1_900_000) };
    expect((await things.items.create(fits)).statusCode).toBe(201);
  });
});

describe("the request charge", () => {
  test("of a point read of 1 KB is 1, or 2 under strong and bounded staleness", async () => {
    const pk = freshKey();
    await things.items.create({ id: "a", pk, text: "x".repeat(800) });
    expect([1, 2]).toContain(Math.round(chargeOf(await things.item("a", pk).read())));
  });

  test("of a write is several times that, and grows with the item", async () => {
    const pk = freshKey();
    const small = chargeOf(await things.items.create({ id: "a", pk }));
    const large = chargeOf(await things.items.create({ id: "b", pk, text: "x".repeat(200_000) }));
    expect(small).toBeGreaterThan(3);
    expect(large).toBeGreaterThan(5 * small);
  });

  test("is the same for the same operation on the same data", async () => {
    const pk = freshKey();
    await things.items.create({ id: "a", pk });
    const read = async () => chargeOf(await things.item("a", pk).read());
    expect(await read()).toBe(await read());
  });

  test("of a query is above nothing, and told on every page", async () => {
    const pk = freshKey();
    for (const id of ["a", "b"]) await things.items.create({ id, pk });
    const options = { partitionKey: pk, maxItemCount: 1 };
    const pages = things.items.query("SELECT * FROM c", options);
    expect((await pages.fetchNext()).requestCharge).toBeGreaterThan(0);
    expect((await pages.fetchNext()).requestCharge).toBeGreaterThan(0);
  });
});

describe("a partition key", () => {
  test("tells types apart, and may be null or missing", async () => {
    const id = freshKey();
    const keys = ["5", 5, null, true, "é\u2028\"'", undefined];
    for (const [at, pk] of keys.entries()) {
      await things.items.create({ id, at, ...(pk === undefined ? {} : { pk }) });
    }
    for (const [at, pk] of keys.entries()) {
      expect((await things.item(id, pk as string).read()).resource?.at).toBe(at);
    }
  });

  test("of two levels holds an id once for each pair", async () => {
    const tenantId = freshKey();
    for (const [v, caseId] of ["1", "2"].entries()) {
      await cases.items.create({ id: "case", tenantId, caseId, v });
    }
    expect((await cases.item("case", [tenantId, "1"]).read()).resource?.v).toBe(0);
    expect((await cases.item("case", [tenantId, "2"]).read()).resource?.v).toBe(1);
    expect((await cases.item("case", [tenantId, "3"]).read()).statusCode).toBe(404);
  });

  test("cannot be changed by a replace", async () => {
    const pk = freshKey();
    await things.items.create({ id: "a", pk, v: 1 });
    const other = things.item("a", pk).replace({ id: "a", pk: freshKey(), v: 2 });
    expect((await failureOf(other)).code).toBe(400);
    expect((await things.item("a", pk).read()).resource?.v).toBe(1);
  });
});

describe("time to live", () => {
  const seen = async (key: string[]) =>
    (await cases.items.query("SELECT VALUE c.id FROM c", { partitionKey: key }).fetchAll())
      .resources as string[];

  test("ends an item for reads and queries, and frees its id (waits)", async () => {
    const key = [freshKey(), "1"];
    const [tenantId, caseId] = key;
    await cases.items.create({ id: "short", tenantId, caseId, ttl: 1 });
    await cases.items.create({ id: "long", tenantId, caseId });
    const endsAtMs = Date.now() + 2500;
    await until("its time is over", () => Date.now() > endsAtMs);
    expect((await cases.item("short", key).read()).statusCode).toBe(404);
    expect(await seen(key)).toEqual(["long"]);
    const again = await cases.items.create({ id: "short", tenantId, caseId });
    expect(again.statusCode).toBe(201);
  });

  test("is ignored where the container has none (waits)", async () => {
    const pk = freshKey();
    await things.items.create({ id: "a", pk, ttl: 1 });
    const endsAtMs = Date.now() + 2500;
    await until("its time would be over", () => Date.now() > endsAtMs);
    expect((await things.item("a", pk).read()).statusCode).toBe(200);
  });

  test("counts from the last write (waits)", async () => {
    const key = [freshKey(), "1"];
    const [tenantId, caseId] = key;
    await cases.items.create({ id: "a", tenantId, caseId, ttl: 2 });
    const item = cases.item("a", key);
    const writtenUntilMs = Date.now() + 3500;
    let n = 0;
    await until("it was written for longer than its time", async () => {
      await item.replace({ id: "a", tenantId, caseId, ttl: 2, n: (n += 1) });
      return Date.now() > writtenUntilMs;
    });
    expect((await item.read()).resource?.n).toBe(n);
  });

  test("must be a positive number of seconds, or -1", async () => {
    const [tenantId, caseId] = [freshKey(), "1"];
    for (const ttl of [0, -2, "soon"]) {
      const refused = cases.items.create<object>({ id: "a", tenantId, caseId, ttl });
      expect((await failureOf(refused)).code).toBe(400);
    }
    expect((await cases.items.create({ id: "a", tenantId, caseId, ttl: -1 })).statusCode).toBe(201);
  });
});
