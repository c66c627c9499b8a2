import { afterEach, describe, expect, test } from "vitest";
import { failureOf, situation, until } from "../fixture.ts";

const cosmos = await situation();
const things = cosmos.container("things");
const stored = async (id: string) => (await things.item(id, "p").read()).resource;

afterEach(() => cosmos.local.clearFaults());

describe("a fault at the wire", () => {
  test("that drops before the commit leaves nothing, and after it everything", async () => {
    await cosmos.local.inject({ match: { kind: "create" }, fault: "dropBefore", times: 1 });
    expect((await failureOf(things.items.create({ id: "before", pk: "p" }))).code).toBe(
      "ECONNRESET",
    );
    expect(await stored("before")).toBeUndefined();
    await cosmos.local.inject({ match: { kind: "create" }, fault: "dropAfterCommit", times: 1 });
    expect((await failureOf(things.items.create({ id: "after", pk: "p" }))).code).toBe(
      "ECONNRESET",
    );
    expect(await stored("after")).toMatchObject({ id: "after" });
    expect((await failureOf(things.items.create({ id: "after", pk: "p" }))).code).toBe(409);
  });

  test("that breaks the answer off comes after the commit", async () => {
    await cosmos.local.inject({ match: { kind: "create" }, fault: "halfBody", times: 1 });
    expect((await failureOf(things.items.create({ id: "half", pk: "p" }))).code).toBe(
      "PARSE_ERROR",
    );
    expect(await stored("half")).toMatchObject({ id: "half" });
  });

  test("that hangs after the commit ends in the client's own time-out", async () => {
    const hasty = cosmos.connect({ connectionPolicy: { requestTimeout: 300 } });
    const container = hasty.database("test").container("things");
    await container.item("warm", "p").read();
    await cosmos.local.inject({ match: { kind: "upsert" }, fault: "hangAfterCommit", times: 1 });
    const failure = await failureOf(container.items.upsert({ id: "hang", pk: "p" }));
    expect(failure.code).toBe("TimeoutError");
    expect(await stored("hang")).toMatchObject({ id: "hang" });
  });

  test("that lands later writes after the client gave up", async () => {
    const hasty = cosmos.connect({ connectionPolicy: { requestTimeout: 200 } });
    const container = hasty.database("test").container("things");
    await container.item("warm", "p").read();
    await cosmos.local.inject({
      match: { kind: "create" },
      fault: "landLater",
      delayMs: 500,
      times: 1,
    });
    expect((await failureOf(container.items.create({ id: "late", pk: "p" }))).code).toBe(
      "TimeoutError",
    );
    expect(await stored("late")).toBeUndefined();
    await until(async () => (await stored("late")) !== undefined);
  });

  test("that is a status comes before the commit, or after it", async () => {
    await cosmos.local.inject(
      { match: { kind: "create" }, fault: "status", status: 503, times: 1 },
      { match: { kind: "create" }, fault: "status", status: 408, afterCommit: true, times: 1 },
    );
    expect((await failureOf(things.items.create({ id: "s1", pk: "p" }))).code).toBe(503);
    expect(await stored("s1")).toBeUndefined();
    expect((await failureOf(things.items.create({ id: "s2", pk: "p" }))).code).toBe(408);
    expect(await stored("s2")).toMatchObject({ id: "s2" });
  });

  test("of 429 is retried by the SDK, as often as it is told", async () => {
    await cosmos.local.inject({
      match: { kind: "create" },
      fault: "status",
      status: 429,
      substatus: 3200,
      retryAfterMs: 5,
      times: 3,
    });
    const done = await things.items.create({ id: "busy", pk: "p" });
    expect(done.statusCode).toBe(201);
    expect(done.headers["x-ms-throttle-retry-count"]).toBe(3);
  });

  test("of 503 after the commit is not repeated by the SDK on an account with one write region", async () => {
    const fault = { fault: "status", status: 503, afterCommit: true, times: 1 } as const;
    await cosmos.local.inject({ match: { kind: "create" }, ...fault });
    expect((await failureOf(things.items.create({ id: "once", pk: "p" }))).code).toBe(503);
  });

  test("meets only what its rule matches, and says how often", async () => {
    const named = cosmos.connect({ userAgentSuffix: "worker-7" });
    await cosmos.local.inject({
      match: {
        kind: "read",
        container: "things",
        partitionKeyContains: "p",
        userAgentContains: "worker-7",
      },
      fault: "status",
      status: 400,
    });
    const item = named.database("test").container("things").item("x", "p");
    expect((await things.item("x", "p").read()).statusCode).toBe(404);
    expect((await failureOf(item.read())).code).toBe(400);
    expect((await failureOf(item.read())).code).toBe(400);
    expect(await cosmos.local.faults()).toMatchObject([{ fired: 2, remaining: null }]);
  });

  test("by chance falls the same way for the same seed", async () => {
    const draw = async (seed: number) => {
      await cosmos.local.clearFaults();
      const rule = { fault: "status", status: 400, probability: 0.5, seed } as const;
      await cosmos.local.inject({ match: { kind: "read" }, ...rule });
      const item = things.item("x", "p");
      const fell: boolean[] = [];
      for (let n = 0; n < 12; n += 1) {
        fell.push(
          await item.read().then(
            () => false,
            () => true,
          ),
        );
      }
      return fell;
    };
    const first = await draw(7);
    expect(await draw(7)).toEqual(first);
    expect(new Set(first).size).toBe(2);
  });
});

describe("stale reads", () => {
  test("see one partition as it was n transactions ago: reads and queries alike", async () => {
    const cases = cosmos.container("cases");
    const key = ["stale", "1"];
    const ids = { tenantId: "stale", caseId: "1" };
    await cases.items.create({ id: "case", ...ids, v: 1 });
    await cases.items.batch(
      [
        { operationType: "Patch", id: "case", resourceBody: [{ op: "set", path: "/v", value: 2 }] },
        { operationType: "Create", resourceBody: { id: "log", ...ids, v: 2 } },
      ],
      key,
    );
    await cases.items.create({ id: "elsewhere", tenantId: "stale", caseId: "2" });
    const seen = async () => {
      const query = "SELECT c.id, c.v FROM c";
      const { resources } = await cases.items.query(query, { partitionKey: key }).fetchAll();
      return [(await cases.item("case", key).read()).resource?.v, resources];
    };
    const rule = { match: { partitionKeyContains: "stale" }, fault: "staleReads" } as const;
    await cosmos.local.inject({ ...rule, versions: 1 });
    expect(await seen()).toEqual([1, [{ id: "case", v: 1 }]]);
    await cosmos.local.clearFaults();
    await cosmos.local.inject({ ...rule, versions: 2 });
    expect(await seen()).toEqual([undefined, []]);
    await cosmos.local.clearFaults();
    expect(await seen()).toEqual([
      2,
      [
        { id: "case", v: 2 },
        { id: "log", v: 2 },
      ],
    ]);
  });

  test("are refused to a session that has seen more, and the SDK asks again without its token", async () => {
    const session = cosmos.connect({ consistencyLevel: "Session" as never });
    const container = session.database("test").container("things");
    await container.items.create({ id: "session", pk: "p", v: 1 });
    await container.items.upsert({ id: "session", pk: "p", v: 2 });
    await cosmos.local.inject({
      match: { kind: "read" },
      fault: "staleReads",
      versions: 1,
      times: 1,
    });
    const { last } = await cosmos.local.log(0, 0);
    expect((await container.item("session", "p").read()).resource?.v).toBe(2);
    const { entries } = await cosmos.local.log(last);
    expect(entries.map(({ kind, status }) => [kind, status])).toEqual([
      ["read", 404],
      ["read", 200],
    ]);
  });
});

describe("the request log", () => {
  test("tells what was asked, what came of it and what it cost", async () => {
    const { last } = await cosmos.local.log(0, 0);
    await things.items.create({ id: "logged", pk: "p" });
    await things.items.batch(
      [{ operationType: "Create", resourceBody: { id: "logged", pk: "p" } }],
      "p",
    );
    await things.items.query("SELECT * FROM c", { partitionKey: "p" }).fetchNext();
    const { entries } = await cosmos.local.log(last);
    expect(entries.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
      "batch 207",
      "create 201",
      "query 200",
      "queryPlan 200",
    ]);
    const batch = entries.find(({ kind }) => kind === "batch");
    expect(batch).toMatchObject({
      container: "things",
      partitionKey: '["p"]',
      operations: [{ operation: "Create", id: "logged", status: 409 }],
    });
    expect(batch?.userAgent).toContain("azure-cosmos-js");
    const counts = await cosmos.local.counts();
    const creates = counts.find(
      (each) => each.container === "things" && each.kind === "create" && each.status === 201,
    );
    expect(creates?.count).toBeGreaterThan(0);
  });
});
