// Queries over several physical partitions, and page by page. Rules from Microsoft Learn: "Pagination in Azure Cosmos DB",
// "ORDER BY", "Aggregate functions", "GROUP BY", "OFFSET LIMIT".
import type { FeedOptions, SqlParameter } from "@azure/cosmos";
import { beforeAll, describe, expect, test } from "vitest";
import { account } from "./account.ts";

const cosmos = await account();
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

/** Page by page, each page from a new iterator that knows only the token before it. */
async function paged(query: string, options: FeedOptions): Promise<number[]> {
  const seen: number[] = [];
  let continuationToken: string | undefined;
  do {
    const page = await things.items
      .query<number>(query, {
        ...options,
        ...(continuationToken === undefined ? {} : { continuationToken }),
      })
      .fetchNext();
    seen.push(...(page.resources ?? []));
    ({ continuationToken } = page);
  } while (continuationToken !== undefined && seen.length <= 2 * COUNT);
  return seen;
}

describe("over several partitions", () => {
  test("finds the items of every partition", async () => {
    const found = await ask("SELECT VALUE c.n FROM c");
    expect(found.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers);
  });

  test("ORDER BY merges the partitions into one order", async () => {
    expect(await ask("SELECT VALUE c.n FROM c ORDER BY c.n")).toEqual(numbers);
    expect(await ask("SELECT VALUE c.n FROM c WHERE c.n < 5 ORDER BY c.n DESC")).toEqual([
      4, 3, 2, 1, 0,
    ]);
  });

  test("OFFSET LIMIT and TOP count over all partitions", async () => {
    const found = await ask("SELECT * FROM c ORDER BY c.n OFFSET 3 LIMIT 2");
    expect(found).toMatchObject([{ n: 3 }, { n: 4 }]);
    expect(await ask("SELECT TOP 2 c.n, c.name FROM c ORDER BY c.n")).toEqual([
      { n: 0, name: "name0" },
      { n: 1, name: "name1" },
    ]);
  });

  test("OFFSET LIMIT takes its numbers from parameters", async () => {
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
  ])("an aggregate covers all partitions: %s", async (query, expected) => {
    expect(await ask(query)).toEqual(expected);
  });

  test("GROUP BY covers all partitions", async () => {
    const found = await ask("SELECT c['group'] AS g, COUNT(1) AS n FROM c GROUP BY c['group']");
    expect(found.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      { g: 0, n: 14 },
      { g: 1, n: 13 },
      { g: 2, n: 13 },
    ]);
  });

  test("DISTINCT gives each value once over all partitions", async () => {
    const found = await ask("SELECT DISTINCT c['group'] FROM c");
    expect(found).toHaveLength(3);
  });

  test("a continuation token resumes a query, repeating and leaving out no row", async () => {
    const seen = await paged("SELECT VALUE c.n FROM c", { maxItemCount: 7 });
    expect(seen.toSorted((a, b) => a - b)).toEqual(numbers);
  });

  test("a continuation token resumes an order under enableQueryControl", async () => {
    const query = "SELECT VALUE c.n FROM c ORDER BY c.n";
    expect(await paged(query, { maxItemCount: 7, enableQueryControl: true })).toEqual(numbers);
  });

  test("a query with a partition key sees that partition alone", async () => {
    const query = "SELECT VALUE c.n FROM c ORDER BY c.n";
    const found = await things.items.query(query, { partitionKey: "p7" }).fetchAll();
    expect(found.resources).toEqual([7]);
  });
});

describe("within a partition", () => {
  const inOne = { partitionKey: "one" };
  beforeAll(async () => {
    for (let n = 0; n < 25; n += 1) {
      await things.items.create({ id: `one-${n}`, pk: "one", at: n });
    }
  });

  test("a page has at most as many items as asked for, and its token leads to the next", async () => {
    const pages = things.items.query("SELECT VALUE c.at FROM c", { ...inOne, maxItemCount: 10 });
    const sizes: number[] = [];
    while (pages.hasMoreResults()) sizes.push((await pages.fetchNext()).resources?.length ?? 0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(25);
  });

  test("a new client resumes an order from a continuation token, repeating no row", async () => {
    const query = "SELECT VALUE c.at FROM c ORDER BY c.at DESC";
    const seen = await paged(query, { ...inOne, maxItemCount: 6 });
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => 24 - n));
  });
});
