import { ChangeFeedStartFrom } from "@azure/cosmos";
import type { SqlParameter } from "@azure/cosmos";
import { beforeAll, describe, expect, test } from "vitest";
import { failureOf, situation } from "../fixture.ts";
import * as cases from "./query-cases.ts";

// Four physical partitions, and a server that sends cross-partition queries back to the client's own
// pipeline, as Azure does.
const cosmos = await situation({ physicalPartitions: 4, crossPartitionQueries: "client" });
const things = cosmos.container("things");
const COUNT = 40;

beforeAll(async () => {
  for (let n = 0; n < COUNT; n += 1) {
    await things.items.create({
      id: `i${n}`,
      pk: `p${n}`,
      n,
      group: n % 3,
      name: `name${String(n % 10)}`,
      ...(n % 2 === 0 ? { even: true } : {}),
    });
  }
});

async function ask(query: string, parameters: SqlParameter[] = []): Promise<unknown[]> {
  return (await things.items.query<unknown>({ query, parameters }).fetchAll()).resources;
}

const numbers = Array.from({ length: COUNT }, (_, n) => n);

describe("over several partitions the client's own pipeline", () => {
  test("finds items on every partition", async () => {
    const ranges = await cosmos.client
      .database("test")
      .container("things")
      .readPartitionKeyRanges()
      .fetchAll();
    expect(ranges.resources.map((range) => range.minInclusive)).toEqual([
      "",
      "10000000",
      "20000000",
      "30000000",
    ]);
    expect(
      (await ask("SELECT VALUE c.n FROM c")).toSorted((a, b) => Number(a) - Number(b)),
    ).toEqual(numbers);
  });

  test("merges an order", async () => {
    expect(await ask("SELECT VALUE c.n FROM c ORDER BY c.n")).toEqual(numbers);
    expect(await ask("SELECT VALUE c.n FROM c WHERE c.n < 5 ORDER BY c.n DESC")).toEqual([
      4, 3, 2, 1, 0,
    ]);
    const found = await ask("SELECT * FROM c ORDER BY c.n OFFSET 3 LIMIT 2");
    expect(found).toMatchObject([{ n: 3 }, { n: 4 }]);
    expect(await ask("SELECT TOP 2 c.n, c.name FROM c ORDER BY c.n")).toEqual([
      { n: 0, name: "name0" },
      { n: 1, name: "name1" },
    ]);
  });

  test("takes offset and limit from parameters", async () => {
    const parameters = [
      { name: "@from", value: 10 },
      { name: "@count", value: 3 },
    ];
    const query = "SELECT VALUE c.n FROM c ORDER BY c.n OFFSET @from LIMIT @count";
    expect(await ask(query, parameters)).toEqual([10, 11, 12]);
  });

  test.each([
    ["SELECT VALUE COUNT(1) FROM c", [COUNT]],
    ["SELECT VALUE SUM(c.n) FROM c", [780]],
    ["SELECT VALUE AVG(c.n) FROM c", [19.5]],
    ["SELECT VALUE MIN(c.n) FROM c", [0]],
    ["SELECT VALUE MAX(c.name) FROM c", ["name9"]],
    ["SELECT VALUE MAX(c.n) FROM c WHERE c.n < 2", [1]],
  ])("adds up %s", async (query, expected) => {
    expect(await ask(query)).toEqual(expected);
  });

  test("groups", async () => {
    const found = await ask(
      "SELECT c.group AS g, COUNT(1) AS n FROM c GROUP BY c['group']".replace(
        "c.group",
        "c['group']",
      ),
    );
    expect(found.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      { g: 0, n: 14 },
      { g: 1, n: 13 },
      { g: 2, n: 13 },
    ]);
  });

  test("tells distinct values", async () => {
    const found = await ask("SELECT DISTINCT c['group'] FROM c");
    expect(found).toHaveLength(3);
  });

  test("resumes an order from a token under enableQueryControl", async () => {
    const query = "SELECT VALUE c.n FROM c ORDER BY c.n";
    const seen: number[] = [];
    let continuationToken: string | undefined;
    do {
      const page = await things.items
        .query<number>(query, {
          maxItemCount: 7,
          enableQueryControl: true,
          ...(continuationToken === undefined ? {} : { continuationToken }),
        })
        .fetchNext();
      seen.push(...(page.resources ?? []));
      ({ continuationToken } = page);
    } while (continuationToken !== undefined && seen.length <= COUNT);
    expect(seen).toEqual(numbers);
  });

  test("refuses what it refuses against Azure", async () => {
    const aggregate = await failureOf(ask("SELECT COUNT(1) AS n FROM c"));
    expect(aggregate.message).toContain("must use the VALUE keyword");
    await things.items.create({ id: "text", pk: "px", n: "text" });
    const mixed = await failureOf(
      ask("SELECT VALUE c.n FROM c WHERE c.n >= 39 OR c.n = 'text' ORDER BY c.n"),
    );
    expect(mixed.message).toContain("mixed types");
    await things.item("text", "px").delete();
  });

  test("answers within one partition without a plan", async () => {
    const query = "SELECT VALUE c.n FROM c ORDER BY c.n";
    const found = await things.items.query(query, { partitionKey: "p7" }).fetchAll();
    expect(found.resources).toEqual([7]);
  });
});

describe("the query plan", () => {
  test("rewrites queries into texts that this server understands, each case of the table", async () => {
    const texts = [...cases.FILTERS, ...cases.PROJECTIONS].map(({ query }) => query);
    for (const query of texts) {
      const parameters = [
        { name: "@n", value: 1 },
        { name: "@p", value: 2 },
        { name: "@ids", value: [] as string[] },
      ];
      const options = { forceQueryPlan: true };
      await things.items.query({ query, parameters }, options).fetchAll();
    }
    expect(texts.length).toBeGreaterThan(50);
  });
});

describe("a partition that splits", () => {
  test("loses nothing: points, new clients and a feed that is under way go on", async () => {
    const iterator = things.items.getChangeFeedIterator<{ n: number }>({
      changeFeedStartFrom: ChangeFeedStartFrom.Beginning(),
      maxItemCount: 3,
    });
    const seen: number[] = (await iterator.readNext()).result.map(({ n }) => n);
    await cosmos.local.splitPartition("things", "1");
    await cosmos.local.splitPartition("things", "0");
    let idle = 0;
    while (idle < 8) {
      const page = await iterator.readNext();
      idle = page.statusCode === 304 ? idle + 1 : 0;
      if (page.statusCode !== 304) seen.push(...page.result.map(({ n }) => n));
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(numbers);
    expect((await things.item("i3", "p3").read()).resource?.n).toBe(3);
    const fresh = cosmos.connect().database("test").container("things");
    expect((await fresh.readPartitionKeyRanges().fetchAll()).resources).toHaveLength(6);
    const query = "SELECT VALUE c.n FROM c ORDER BY c.n";
    expect((await fresh.items.query(query).fetchAll()).resources).toEqual(numbers);
  });
});
