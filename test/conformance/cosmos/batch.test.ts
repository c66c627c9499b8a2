// Transactional batches. Rules from Microsoft Learn: "Transactional batch operations", "Azure Cosmos DB service quotas".
import type { OperationInput } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { account, chargeOf, failureOf, plain } from "./account.ts";

const cosmos = await account();
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
  test("carries out every kind of operation in order, each seeing the one before, and answers 200", async () => {
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
  });

  test("tells the ETag that each item has afterwards", async () => {
    const { key, create } = freshCase();
    const done = await cases.items.batch([create("a"), create("b")], key);
    const told = done.result?.map(({ eTag }) => eTag);
    const read = await Promise.all(["a", "b"].map((id) => cases.item(id, key).read()));
    expect(read.map(({ etag }) => etag)).toEqual(told);
  });

  test("is all or nothing: when one operation fails, the others are 424 and nothing is left behind", async () => {
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
    expect(refused.result?.map((each) => each.statusCode)).toEqual([424, 424, 409, 424]);
    expect(await ask()).toEqual([{ id: "case", ...ids, v: 1 }]);
  });

  test("that fails is answered as a multi-status, 207", async () => {
    const { key, create } = freshCase();
    const refused = await cases.items.batch([create("a"), create("a")], key);
    expect(refused.code).toBe(207);
  });

  test("fails as a whole when it reads an item that is not there", async () => {
    const { key, create, ask } = freshCase();
    const refused = await cases.items.batch(
      [create("a"), { operationType: "Read", id: "none" }],
      key,
    );
    expect(refused.result?.map((each) => each.statusCode)).toEqual([424, 404]);
    expect(await ask()).toEqual([]);
  });

  test("honours an ETag condition on each operation", async () => {
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

  test("is isolated: of many that race on one ETag, exactly one is carried out, whole", async () => {
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

  test("of more than 2 MB is refused", async () => {
    const { key, create, ask } = freshCase();
    const half = "x".repeat(1024 * 1024);
    const large = cases.items.batch([create("a", { half }), create("b", { half })], key);
    expect((await failureOf(large)).cause?.code).toBe(413);
    expect(await ask()).toEqual([]);
  });

  test("of more than 100 operations is refused, and of 100 is not", async () => {
    const { key, create, ask } = freshCase();
    const operations = Array.from({ length: 101 }, (_, n) => create(`i${n}`));
    await failureOf(cases.items.batch(operations, key));
    expect(await ask()).toEqual([]);
    expect((await cases.items.batch(operations.slice(1), key)).code).toBe(200);
    expect(await ask()).toHaveLength(100);
  });

  test("holds items of one partition only", async () => {
    const { key, create, ask } = freshCase();
    const elsewhere: OperationInput = {
      operationType: "Create",
      resourceBody: { id: "x", tenantId: "t", caseId: "other" },
    };
    const refused = await cases.items.batch([create("a"), elsewhere], key).then(
      ({ result }) => result?.[1]?.statusCode,
      ({ code }: { code: unknown }) => code,
    );
    expect(refused).toBe(400);
    expect(await ask()).toEqual([]);
  });

  test("tells what each of its operations costs, and the sum", async () => {
    const { key, create } = freshCase();
    const done = await cases.items.batch([create("a"), create("b")], key);
    const sum = (done.result ?? []).reduce((total, each) => total + each.requestCharge, 0);
    expect(sum).toBeGreaterThan(6);
    expect(chargeOf(done)).toBeCloseTo(sum, 0);
  });

  test("sends no bodies back when a brief answer is asked for", async () => {
    const { key, create } = freshCase();
    const brief = { contentResponseOnWriteEnabled: false };
    const done = await cases.items.batch([create("a")], key, brief);
    expect(done.result?.[0]).not.toHaveProperty("resourceBody");
  });
});
