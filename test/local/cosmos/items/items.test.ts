import { describe, expect, test } from "vitest";
import { failureOf, plain, situation } from "../fixture.ts";

const cosmos = await situation();
const things = cosmos.container("things");
const cases = cosmos.container("cases");

describe("an item", () => {
  test("is read as it was created, with the properties that the service adds", async () => {
    const body = { id: "a", pk: "p", text: "naïve 🙂 \u2028", list: [1, { two: null }], n: -0.5 };
    const created = await things.items.create(body);
    expect(created.statusCode).toBe(201);
    const read = await things.item("a", "p").read();
    expect(plain(read.resource)).toEqual(body);
    expect(read.resource).toEqual(created.resource);
    expect(read.etag).toBe(read.resource?._etag);
    expect(read.etag).toMatch(/^".+"$/);
    expect(Buffer.from(read.resource?._rid.replaceAll("-", "/"), "base64")).toHaveLength(16);
    expect(Number(read.headers["x-ms-request-charge"])).toBe(1);
  });

  test("is not created twice", async () => {
    await things.items.create({ id: "twice", pk: "p" });
    expect((await failureOf(things.items.create({ id: "twice", pk: "p" }))).code).toBe(409);
    expect((await things.items.create({ id: "twice", pk: "q" })).statusCode).toBe(201);
  });

  test("that is missing reads as 404 without a throw, and throws when it is changed", async () => {
    expect((await things.item("none", "p").read()).statusCode).toBe(404);
    expect((await failureOf(things.item("none", "p").delete())).code).toBe(404);
    expect((await failureOf(things.item("none", "p").replace({ id: "none", pk: "p" }))).code).toBe(
      404,
    );
  });

  test("is upserted: 201 when new, 200 when replaced, under the same rid", async () => {
    const first = await things.items.upsert({ id: "up", pk: "p", v: 1 });
    const second = await things.items.upsert({ id: "up", pk: "p", v: 2 });
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    expect((second.resource as { _rid?: string })._rid).toBe(
      (first.resource as { _rid?: string })._rid,
    );
    expect((await things.item("up", "p").read()).resource?.v).toBe(2);
  });

  test("does not keep what looks like a system property", async () => {
    await things.items.create({ id: "system", pk: "p", _ts: 1, _etag: "mine", _lsn: 7, _rid: "x" });
    const { resource } = await things.item("system", "p").read();
    expect(resource?._ts).toBeGreaterThan(1e9);
    expect(resource?._etag).not.toBe("mine");
    expect(resource).not.toHaveProperty("_lsn");
  });

  test("has an id of at most 1,023 bytes without / \\ ? and #", async () => {
    const id = "é".repeat(511);
    await things.items.create({ id, pk: "p" });
    expect((await things.item(id, "p").read()).statusCode).toBe(200);
    for (const refused of ["é".repeat(512), "a/b", "a?b", "a#b", "a\\b", "ends "]) {
      expect((await failureOf(things.items.create({ id: refused, pk: "p" }))).message).not.toBe("");
    }
    await things.items.create({ id: "a b%c:d", pk: "p" });
    expect((await things.item("a b%c:d", "p").read()).statusCode).toBe(200);
  });

  test("of 2 MB is the largest that is taken", async () => {
    const frame = JSON.stringify({ id: "big", pk: "p", text: "" }).length;
    const text = "x".repeat(2 * 1024 * 1024 - frame);
    expect((await things.items.create({ id: "big", pk: "p", text })).statusCode).toBe(201);
    const refused = things.items.create({ id: "big2", pk: "p", text: `${text}xx` });
    expect((await failureOf(refused)).code).toBe(413);
  });
});

describe("an ETag", () => {
  test("changes with every write, and the old one is refused", async () => {
    const created = await things.items.create({ id: "etag", pk: "p", v: 1 });
    const condition = { type: "IfMatch", condition: created.etag };
    const item = things.item("etag", "p");
    const replaced = await item.replace(
      { id: "etag", pk: "p", v: 2 },
      { accessCondition: condition },
    );
    expect(replaced.etag).not.toBe(created.etag);
    const late = { accessCondition: condition };
    expect((await failureOf(item.replace({ id: "etag", pk: "p", v: 3 }, late))).code).toBe(412);
    expect((await failureOf(item.delete(late))).code).toBe(412);
    expect((await failureOf(things.items.upsert({ id: "etag", pk: "p" }, late))).code).toBe(412);
    const ops = [{ op: "incr" as const, path: "/v", value: 1 }];
    expect((await failureOf(item.patch(ops, late))).code).toBe(412);
    expect((await item.read()).resource?.v).toBe(2);
    const ok = { accessCondition: { type: "IfMatch", condition: replaced.etag } };
    expect((await item.delete(ok)).statusCode).toBe(204);
  });

  test("that the reader already has answers 304 without a body", async () => {
    const created = await things.items.create({ id: "same", pk: "p" });
    const accessCondition = { type: "IfNoneMatch", condition: created.etag };
    const read = await things.item("same", "p").read({ accessCondition });
    expect(read.statusCode).toBe(304);
    expect(read.resource ?? undefined).toBeUndefined();
  });
});

describe("a partition key", () => {
  test("tells types apart and holds null, nothing and any text", async () => {
    const keys = ["5", 5, null, true, "é\u2028\"'", undefined];
    for (const [at, pk] of keys.entries()) {
      await things.items.create({ id: "typed", at, ...(pk === undefined ? {} : { pk }) });
    }
    for (const [at, pk] of keys.entries()) {
      expect((await things.item("typed", pk as string).read()).resource?.at).toBe(at);
    }
  });

  test("of two levels holds the same id once for each case", async () => {
    await cases.items.create({ id: "case", tenantId: "t", caseId: "1", v: 1 });
    await cases.items.create({ id: "case", tenantId: "t", caseId: "2", v: 2 });
    expect((await cases.item("case", ["t", "1"]).read()).resource?.v).toBe(1);
    expect((await cases.item("case", ["t", "2"]).read()).resource?.v).toBe(2);
    expect((await cases.item("case", ["t", "3"]).read()).statusCode).toBe(404);
  });

  test("cannot be changed by a replace", async () => {
    await things.items.create({ id: "fixed", pk: "p" });
    const refused = await failureOf(
      things.item("fixed", "p").replace({ id: "fixed", pk: "other" }),
    );
    expect([refused.code, refused.substatus]).toEqual([400, 1001]);
  });
});

describe("the server's clock", () => {
  test("stamps the date header and _ts, however far it runs from the machine's", async () => {
    await cosmos.local.skewClock(120_000);
    const created = await things.items.create({ id: "clock", pk: "p" });
    await cosmos.local.skewClock(0);
    const ahead = Date.parse(created.headers["date"] as string) - Date.now();
    expect(ahead).toBeGreaterThan(110_000);
    expect(ahead).toBeLessThanOrEqual(120_000);
    const { _ts: ts } = created.resource as unknown as { _ts: number };
    expect(Math.abs(ts * 1000 - Date.now() - 120_000)).toBeLessThan(10_000);
  });
});

describe("time to live", () => {
  test("ends an item for reads, queries and the feed, and frees its id", async () => {
    const partition = ["ttl", "1"];
    await cases.items.create({ id: "short", tenantId: "ttl", caseId: "1", ttl: 60 });
    await cases.items.create({ id: "long", tenantId: "ttl", caseId: "1" });
    await cosmos.local.skewClock(61_000);
    const options = { partitionKey: partition };
    const seen = async () =>
      (await cases.items.query("SELECT VALUE c.id FROM c", options).fetchAll()).resources;
    expect((await cases.item("short", partition).read()).statusCode).toBe(404);
    expect(await seen()).toEqual(["long"]);
    const again = { id: "short", tenantId: "ttl", caseId: "1", ttl: 60, second: true };
    expect((await cases.items.create(again)).statusCode).toBe(201);
    await cosmos.local.skewClock(0);
  });

  test("is ignored where the container has none", async () => {
    await things.items.create({ id: "ttl", pk: "p", ttl: 1 });
    await cosmos.local.skewClock(10_000);
    expect((await things.item("ttl", "p").read()).statusCode).toBe(200);
    await cosmos.local.skewClock(0);
  });
});
