// What can only be asked of the stand-in: its clock set apart from the machine's, what it lacks, and a container without a key.
import { describe, expect, test } from "vitest";
import { failureOf, situation } from "../fixture.ts";

const cosmos = await situation();
const things = cosmos.container("things");

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

  test("decides when an item is over", async () => {
    const cases = cosmos.container("cases");
    await cases.items.create({ id: "short", tenantId: "ttl", caseId: "1", ttl: 60 });
    await cosmos.local.skewClock(61_000);
    expect((await cases.item("short", ["ttl", "1"]).read()).statusCode).toBe(404);
    await cosmos.local.skewClock(0);
  });

  test("far off refuses every request with 403", async () => {
    await cosmos.local.skewClock(16 * 60_000);
    expect((await failureOf(cosmos.client.database("test").read())).code).toBe(403);
    await cosmos.local.skewClock(0);
  });
});

describe("what this server does not have", () => {
  test("is refused with a message, not answered with something else", async () => {
    const refused = things.scripts.storedProcedures.create({ id: "s", body: "function () {}" });
    expect((await failureOf(refused)).code).toBe(405);
    const iterator = things.items.getChangeFeedIterator({
      changeFeedMode: "Full-Fidelity Feed" as never,
    });
    expect((await failureOf(iterator.readNext())).code).toBe(400);
  });
});

describe("a container without a partition key", () => {
  test("is given the system's", async () => {
    const one = await cosmos.client.database("test").containers.create({ id: "nokey" });
    expect(one.resource?.partitionKey?.paths).toEqual(["/_partitionKey"]);
    await one.container.items.create({ id: "x" });
    expect((await one.container.item("x").read()).statusCode).toBe(200);
  });
});

describe("a refusal", () => {
  test("has the substatus that tells its cause", async () => {
    await things.items.create({ id: "fixed", pk: "p", n: 1 });
    const moved = things.item("fixed", "p").replace({ id: "fixed", pk: "other" });
    expect((await failureOf(moved)).substatus).toBe(1001);
    const condition = "from c where c.n > 1";
    const operations = [{ op: "set" as const, path: "/n", value: 2 }];
    const patched = things.item("fixed", "p").patch({ condition, operations });
    expect((await failureOf(patched)).substatus).toBe(1110);
  });
});
