import type { OperationInput } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { failureOf, plain, situation } from "../fixture.ts";

const cosmos = await situation();
const cases = cosmos.container("cases");

let partitions = 0;
function freshCase() {
  partitions += 1;
  const ids = { tenantId: "t", caseId: `c${partitions}` };
  const key = [ids.tenantId, ids.caseId];
  const create = (id: string, more: object = {}): OperationInput => ({
    operationType: "Create",
    resourceBody: { id, ...ids, ...more },
  });
  const ask = async () => {
    const found = await cases.items
      .query("SELECT * FROM c ORDER BY c.id", { partitionKey: key })
      .fetchAll();
    return found.resources.map((each) => plain(each as object));
  };
  return { ids, key, create, ask };
}

describe("a batch", () => {
  test("does every kind of operation, in order, each seeing the one before", async () => {
    const { ids, key, create, ask } = freshCase();
    const done = await cases.items.batch(
      [
        create("a", { v: 1 }),
        { operationType: "Read", id: "a" },
        { operationType: "Patch", id: "a", resourceBody: [{ op: "incr", path: "/v", value: 4 }] },
        { operationType: "Upsert", resourceBody: { id: "b", ...ids } },
        { operationType: "Replace", id: "b", resourceBody: { id: "b", ...ids, v: 2 } },
        create("c"),
        { operationType: "Delete", id: "c" },
      ],
      key,
    );
    expect(done.code).toBe(200);
    expect(done.result?.map((each) => each.statusCode)).toEqual([
      201, 200, 200, 201, 200, 201, 204,
    ]);
    expect(await ask()).toEqual([
      { id: "a", ...ids, v: 5 },
      { id: "b", ...ids, v: 2 },
    ]);
    const { eTag, resourceBody } = done.result?.[4] ?? {};
    expect(resourceBody?.["_etag"]).toBe(eTag);
  });

  test("that fails leaves nothing behind: the first failure tells, the others are 424", async () => {
    const { ids, key, create, ask } = freshCase();
    await cases.items.create({ id: "case", ...ids, v: 1 });
    const refused = await cases.items.batch(
      [
        create("log"),
        { operationType: "Replace", id: "case", resourceBody: { id: "case", ...ids, v: 2 } },
        create("case"),
        { operationType: "Delete", id: "none" },
      ],
      key,
    );
    expect(refused.code).toBe(207);
    expect(refused.result?.map((each) => each.statusCode)).toEqual([424, 424, 409, 424]);
    expect(await ask()).toEqual([{ id: "case", ...ids, v: 1 }]);
  });

  test("honours ifMatch inside, which the official emulator ignores", async () => {
    const { ids, key, create, ask } = freshCase();
    const { etag } = await cases.items.create({ id: "case", ...ids, v: 1 });
    const replace = (v: number): OperationInput => ({
      operationType: "Replace",
      id: "case",
      resourceBody: { id: "case", ...ids, v },
      ifMatch: etag,
    });
    expect((await cases.items.batch([create("log1"), replace(2)], key)).code).toBe(200);
    const late = await cases.items.batch([create("log2"), replace(3)], key);
    expect(late.result?.map((each) => each.statusCode)).toEqual([424, 412]);
    expect((await ask()).map((each) => each["id"])).toEqual(["case", "log1"]);
  });

  test("is decided once when many race: exactly one wins", async () => {
    const { ids, key, create, ask } = freshCase();
    const { etag } = await cases.items.create({ id: "case", ...ids, v: 0 });
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, v) =>
        cases.items.batch(
          [
            create(`log${v}`),
            {
              operationType: "Replace",
              id: "case",
              resourceBody: { id: "case", ...ids, v },
              ifMatch: etag,
            },
          ],
          key,
        ),
      ),
    );
    expect(outcomes.filter(({ code }) => code === 200)).toHaveLength(1);
    expect(await ask()).toHaveLength(2);
  });

  test("with a patch whose condition is false is refused with 412", async () => {
    const { ids, key, create, ask } = freshCase();
    await cases.items.create({ id: "case", ...ids, v: 1 });
    const refused = await cases.items.batch(
      [
        create("log"),
        {
          operationType: "Patch",
          id: "case",
          resourceBody: {
            condition: "from c where c.v > 1",
            operations: [{ op: "set", path: "/v", value: 9 }],
          },
        },
      ],
      key,
    );
    expect(refused.result?.map((each) => each.statusCode)).toEqual([424, 412]);
    expect(await ask()).toEqual([{ id: "case", ...ids, v: 1 }]);
  });

  test("of 2 MB or more, or outside its partition, is refused", async () => {
    const { key, create, ask } = freshCase();
    const half = "x".repeat(1024 * 1024);
    const large = await failureOf(
      cases.items.batch([create("a", { half }), create("b", { half })], key),
    );
    expect(large.cause?.code).toBe(413);
    const elsewhere = await cases.items.batch(
      [{ operationType: "Create", resourceBody: { id: "x", tenantId: "t", caseId: "other" } }],
      key,
    );
    expect(elsewhere.result?.[0]?.statusCode).toBe(400);
    expect(await ask()).toEqual([]);
  });

  test("costs the sum of its operations, and answers briefly on request", async () => {
    const { key, create } = freshCase();
    const done = await cases.items.batch([create("a"), create("b")], key, {
      contentResponseOnWriteEnabled: false,
    });
    const sum = (done.result ?? []).reduce((total, each) => total + each.requestCharge, 0);
    expect(Number(done.headers["x-ms-request-charge"])).toBeCloseTo(sum);
    expect(sum).toBeCloseTo(9.9);
    expect(done.result?.[0]).not.toHaveProperty("resourceBody");
  });
});
