// The Cosmos DB trigger and output. Rules from Microsoft Learn: "Azure Cosmos DB trigger for Azure Functions", "Azure Cosmos DB
// output binding", "Reading from the change feed", "Azure Functions error handling and retries".
import { describe, expect, test } from "vitest";
import { awaited, runningHost } from "./running-host.ts";

const { fetch, items, records } = await runningHost();

type Document = { id: string; v?: number };
const create = async (id: string, more: object = {}) => {
  await items?.items.create({ id, ...more });
  return id;
};
const fresh = () => `i-${crypto.randomUUID()}`;

/** What a function was given of these ids, call by call. */
async function calls(name: string, ids: string[]): Promise<Document[][]> {
  const all = await records<Document[]>(name);
  return all
    .map((documents) => documents.filter(({ id }) => ids.includes(id)))
    .filter((documents) => documents.length > 0);
}
const seen = (name: string, ids: string[], count: number) =>
  awaited(`${count} changes`, async () => {
    const found = await calls(name, ids);
    return found.flat().length >= count && found;
  });

describe.runIf(items !== undefined)("a change feed function", () => {
  test("is called with an array of the documents that were created", async () => {
    const id = await create(fresh(), { v: 1 });
    const [documents] = await seen("feed", [id], 1);
    expect(documents).toMatchObject([{ id, v: 1 }]);
  });

  test("is called for updates, with the document as it is now", async () => {
    const id = await create(fresh(), { v: 1 });
    await seen("feed", [id], 1);
    await items?.items.upsert({ id, v: 2 });
    const found = (await seen("feed", [id], 2)).flat();
    expect(found.at(-1)).toMatchObject({ id, v: 2 });
  });

  test("is not called for deletes", async () => {
    const [id, next] = [await create(fresh()), fresh()];
    await seen("feed", [id], 1);
    await items?.item(id, id).delete();
    await create(next);
    const found = (await seen("feed", [id, next], 2)).flat();
    expect(found.map((document) => document.id)).toEqual([id, next]);
  });

  test("gets at most as many documents as maxItemsPerInvocation says", async () => {
    const ids = [await create(fresh()), await create(fresh()), await create(fresh())];
    const found = await seen("feed-singly", ids, 3);
    expect(found.map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  test("sees each change once, whatever other functions do with leases of other prefixes", async () => {
    const [first, last] = [await create(fresh()), fresh()];
    await seen("feed", [first], 1);
    await seen("feed-singly", [first], 1);
    await create(last);
    await seen("feed", [last], 1);
    expect((await calls("feed", [first])).flat()).toHaveLength(1);
  });

  test("that throws without a retry policy goes on with the next changes", async () => {
    const bad = await create(fresh(), { poison: true });
    await seen("feed-failing", [bad], 1);
    const next = await create(fresh());
    const found = (await seen("feed-failing", [bad, next], 2)).flat();
    expect(found.map(({ id }) => id)).toEqual([bad, next]);
  });
});

describe.runIf(items !== undefined)("a retry policy of a change feed function", () => {
  test("repeats the same changes as often as it says, and then goes on", async () => {
    const bad = await create(fresh(), { poison: true });
    const attempts = async () =>
      (await records<{ ids: string[] }>("feed-retried")).filter(({ ids }) => ids.includes(bad));
    await awaited("three attempts", async () => (await attempts()).length >= 3);
    const next = await create(fresh());
    await awaited("the next change", async () =>
      (await records<{ ids: string[] }>("feed-retried")).some(({ ids }) => ids.includes(next)),
    );
    expect(await attempts()).toHaveLength(3);
  });
});

describe.runIf(items !== undefined)("an output to Cosmos DB", () => {
  test("writes each element of an array, and replaces what is there", async () => {
    const [old, other] = [await create(fresh(), { v: 1 }), fresh()];
    const body = JSON.stringify([
      { id: old, v: 2 },
      { id: other, v: 3 },
    ]);
    expect((await fetch("/api/puts", { method: "POST", body })).status).toBe(202);
    const read = async (id: string) => (await items?.item(id, id).read<Document>())?.resource?.v;
    expect([await read(old), await read(other)]).toEqual([2, 3]);
  });
});
