// Optimistic concurrency with ETags. Rules from Microsoft Learn: "Transactions and optimistic concurrency control".
import { describe, expect, test } from "vitest";
import { account, failureOf, freshKey } from "./account.ts";

const cosmos = await account();
const things = cosmos.container("things");
const cases = cosmos.container("cases");

/** An item that was written twice, and the condition that only its first version meets. */
async function overtaken() {
  const pk = freshKey();
  const { etag } = await things.items.create({ id: "a", pk, v: 1 });
  const item = things.item("a", pk);
  const late = { accessCondition: { type: "IfMatch", condition: etag } };
  const second = await item.replace({ id: "a", pk, v: 2 }, late);
  const current = { accessCondition: { type: "IfMatch", condition: second.etag } };
  const v = async () => (await item.read()).resource?.v as unknown;
  return { pk, item, late, current, v, etags: [etag, second.etag] };
}

describe("an ETag", () => {
  test("changes with every write, though the body stays the same", async () => {
    const pk = freshKey();
    const first = await things.items.create({ id: "a", pk });
    const second = await things.item("a", pk).replace({ id: "a", pk });
    const third = await things.items.upsert({ id: "a", pk });
    expect(new Set([first.etag, second.etag, third.etag]).size).toBe(3);
  });

  test("is told by a read as by the write", async () => {
    const { item, etags } = await overtaken();
    expect((await item.read()).etag).toBe(etags[1]);
  });
});

describe("If-Match", () => {
  test("with the current ETag lets a replace and a delete through", async () => {
    const { item, current } = await overtaken();
    expect((await item.delete(current)).statusCode).toBe(204);
  });

  test("with an old ETag refuses a replace with 412, and nothing changes", async () => {
    const { pk, item, late, v } = await overtaken();
    expect((await failureOf(item.replace({ id: "a", pk, v: 3 }, late))).code).toBe(412);
    expect(await v()).toBe(2);
  });

  test("with an old ETag refuses a delete", async () => {
    const { item, late, v } = await overtaken();
    expect((await failureOf(item.delete(late))).code).toBe(412);
    expect(await v()).toBe(2);
  });

  test("with an old ETag refuses an upsert of an item that is there", async () => {
    const { pk, late, v } = await overtaken();
    expect((await failureOf(things.items.upsert({ id: "a", pk, v: 3 }, late))).code).toBe(412);
    expect(await v()).toBe(2);
  });

  test("with an old ETag refuses a patch", async () => {
    const { item, late, v } = await overtaken();
    const increment = item.patch([{ op: "incr", path: "/v", value: 1 }], late);
    expect((await failureOf(increment)).code).toBe(412);
    expect(await v()).toBe(2);
  });

  test("lets one of many writers through who all read the same version", async () => {
    const { pk, item, current } = await overtaken();
    const writes = Array.from({ length: 10 }, (_, n) =>
      item.replace({ id: "a", pk, v: 100 + n }, current).then(
        () => "written",
        ({ code }: { code: unknown }) => code,
      ),
    );
    const outcomes = await Promise.all(writes);
    expect(outcomes.filter((outcome) => outcome === "written")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 412)).toHaveLength(9);
  });

  test("holds in a partition of two levels too", async () => {
    const [tenantId, caseId] = [freshKey(), "1"];
    const { etag } = await cases.items.create({ id: "a", tenantId, caseId });
    const late = { accessCondition: { type: "IfMatch", condition: etag } };
    const item = cases.item("a", [tenantId, caseId]);
    await item.replace({ id: "a", tenantId, caseId }, late);
    expect((await failureOf(item.replace({ id: "a", tenantId, caseId }, late))).code).toBe(412);
  });
});

describe("If-None-Match", () => {
  test("answers 304 without a body when the reader has the current version", async () => {
    const { item, etags } = await overtaken();
    const accessCondition = { type: "IfNoneMatch", condition: etags[1] ?? "" };
    const read = await item.read({ accessCondition });
    expect([read.statusCode, read.resource ?? undefined]).toEqual([304, undefined]);
  });

  test("answers with the item when it has changed since", async () => {
    const { item, etags } = await overtaken();
    const accessCondition = { type: "IfNoneMatch", condition: etags[0] ?? "" };
    const read = await item.read({ accessCondition });
    expect([read.statusCode, read.resource?.v]).toEqual([200, 2]);
  });
});
