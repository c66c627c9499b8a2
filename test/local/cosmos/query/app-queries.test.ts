import { beforeAll, describe, expect, test } from "vitest";
import { failureOf, situation } from "../fixture.ts";

const cosmos = await situation();
const cases = cosmos.container("cases");
const KEY = ["t1", "c1"];
const SNAPSHOT = `SELECT * FROM c WHERE c.type IN ("case","effect")
  OR (c.type IN ("event","finding") AND NOT IS_DEFINED(c.folded))
  OR (c.type = "review" AND NOT IS_DEFINED(c.resolution))`;
const DUE = `SELECT c.tenantId, c.caseId, c.type, c.dueAtMs, c.claim FROM c
  WHERE c.dueAtMs <= @now ORDER BY c.dueAtMs OFFSET 0 LIMIT 200`;

beforeAll(async () => {
  const documents = [
    { id: "case", type: "case", dueAtMs: 50 },
    { id: "effect:1", type: "effect" },
    { id: "event:1", type: "event", folded: true },
    { id: "event:2", type: "event", dueAtMs: 10 },
    { id: "finding:1", type: "finding", folded: false },
    { id: "review:1", type: "review" },
    { id: "review:2", type: "review", resolution: "done" },
    ...Array.from({ length: 25 }, (_, n) => ({ id: `log:${n}`, type: "log", atMs: 100 - n })),
  ];
  for (const document of documents) {
    for (const caseId of ["c1", "c2"]) {
      await cases.items.create({ tenantId: "t1", caseId, ...document });
    }
  }
  for (let n = 0; n < 30; n += 1) {
    await cases.items.create({
      tenantId: `m${n}`,
      caseId: "c",
      id: "case",
      type: "case",
      dueAtMs: n,
    });
  }
});

describe("the queries of the app", () => {
  test("the snapshot of one case holds what is open and nothing else", async () => {
    const found = await cases.items.query(SNAPSHOT, { partitionKey: KEY }).fetchNext();
    expect(found.resources.map(({ id }) => id)).toEqual([
      "case",
      "effect:1",
      "event:2",
      "review:1",
    ]);
    expect(found.resources.every(({ caseId }) => caseId === "c1")).toBe(true);
    // Private by its type only: the page carries the date of the server that answered.
    const { date } = Reflect.get(found, "headers") as { date: string };
    expect(Date.parse(date)).toBeGreaterThan(0);
  });

  test("the gate reads the case and what is unfolded", async () => {
    const gate = `SELECT c.id, c.type, c._etag FROM c WHERE c.id = "case"
      OR (c.type IN ("event", "finding") AND NOT IS_DEFINED(c.folded))`;
    const found = await cases.items.query(gate, { partitionKey: KEY }).fetchAll();
    const { etag } = await cases.item("case", KEY).read();
    expect(found.resources).toEqual([
      { id: "case", type: "case", _etag: etag },
      { id: "event:2", type: "event", _etag: expect.any(String) },
    ]);
  });

  test("what is due comes in order, over all partitions, up to now and no further", async () => {
    const parameters = [{ name: "@now", value: 12 }];
    const found = await cases.items.query({ query: DUE, parameters }).fetchAll();
    const due = found.resources.map(({ dueAtMs }) => dueAtMs as number);
    expect(due).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 11, 12]);
  });

  test("an order that continues over pages neither repeats nor loses a row", async () => {
    const query = 'SELECT VALUE c.atMs FROM c WHERE c.type = "log" ORDER BY c.atMs';
    const pages = cases.items.query<number>(query, { partitionKey: KEY, maxItemCount: 10 });
    const seen: number[] = [];
    const sizes: number[] = [];
    while (pages.hasMoreResults()) {
      const { resources } = await pages.fetchNext();
      seen.push(...resources);
      sizes.push(resources.length);
    }
    expect(sizes).toEqual([10, 10, 5]);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => 76 + n));
  });

  test("a page's token goes on in another client, although rows came and went meanwhile", async () => {
    const query = "SELECT VALUE c.dueAtMs FROM c WHERE c.dueAtMs >= 0 ORDER BY c.dueAtMs";
    const first = await cases.items.query<number>(query, { maxItemCount: 5 }).fetchNext();
    await cases.items.create({ tenantId: "late", caseId: "c", id: "x", dueAtMs: 1.5 });
    await cases.item("case", ["m7", "c"]).delete();
    const { continuationToken } = first;
    expect(continuationToken.length).toBeLessThan(1024);
    const other = cosmos.connect().database("test").container("cases");
    const rest = await other.items.query<number>(query, { continuationToken }).fetchAll();
    expect(first.resources).toEqual([0, 1, 2, 3, 4]);
    expect(rest.resources.slice(0, 3)).toEqual([5, 6, 8]);
    await cases.item("x", ["late", "c"]).delete();
  });

  test("unordered pages of every size give the same rows", async () => {
    const query = "SELECT VALUE CONCAT(c.tenantId, c.caseId, c.id) FROM c";
    const all = (await cases.items.query<string>(query, { maxItemCount: -1 }).fetchAll()).resources;
    for (const maxItemCount of [1, 7, 64]) {
      const paged = await cases.items.query<string>(query, { maxItemCount }).fetchAll();
      expect(paged.resources).toEqual(all);
    }
  });

  test("a prefix of the key reads one tenant", async () => {
    const query = "SELECT VALUE COUNT(1) FROM c";
    const { resources } = await cases.items.query(query, { partitionKey: ["t1"] }).fetchAll();
    expect(resources).toEqual([64]);
  });

  test("an order by a path outside the indexing policy is refused, as on Azure", async () => {
    const query = "SELECT * FROM c ORDER BY c.status";
    const refused = await failureOf(cases.items.query(query, { partitionKey: KEY }).fetchAll());
    expect(refused.code).toBe(400);
    expect(refused.message).toContain("order-by item is excluded");
  });
});
