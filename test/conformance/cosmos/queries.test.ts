// The query language, rule by rule: within one partition, and conditions across several. query-rules.ts and value-rules.ts say
// where the rules come from.
import type { SqlParameter } from "@azure/cosmos";
import { beforeAll, describe, expect, test } from "vitest";
import { account, aimedAt, failureOf } from "./account.ts";
import * as rules from "./query-rules.ts";
import { AGGREGATES, FUNCTIONS } from "./value-rules.ts";

const cosmos = await account();
const things = cosmos.container("things");
const spread = cosmos.container("cases");

beforeAll(async () => {
  for (const document of rules.DOCUMENTS) {
    await things.items.create(document);
    await spread.items.create({ ...document, tenantId: document.id, caseId: "c" });
  }
});

function specOf({ query, parameters = {} }: rules.QueryCase) {
  const named = Object.entries(parameters).map(([name, value]): SqlParameter => ({
    name,
    value: value ?? null,
  }));
  return { query, parameters: named };
}

const within = async (each: rules.QueryCase): Promise<unknown[]> =>
  (await things.items.query(specOf(each), { partitionKey: "p" }).fetchAll()).resources;
const across = async (each: rules.QueryCase): Promise<unknown[]> =>
  (await spread.items.query<unknown>(specOf(each)).fetchAll()).resources;

const sorted = (found: unknown[]) => found.map(String).toSorted((a, b) => a.localeCompare(b));
const titled = (list: readonly rules.Rule[]) => list.map((each) => [each.title, each] as const);

describe.each([
  ["a condition", rules.FILTERS],
  ["a projection", rules.PROJECTIONS],
  ["an order", rules.ORDERS],
  ["an aggregate", AGGREGATES],
  ["a function", FUNCTIONS],
])("in %s", (_, list) => {
  test.each(titled(list))("%s", async (_title, { cases }) => {
    for (const each of cases) {
      expect([each.query, await within(each)]).toEqual([each.query, each.gives]);
    }
  });
});

test.each(titled(rules.FILTERS))("across partitions, %s", async (_title, { cases }) => {
  for (const each of cases) {
    expect([each.query, sorted(await across(each))]).toEqual([each.query, each.gives]);
  }
});

test.each(titled(rules.REFUSED))(
  "a query with %s is refused with 400",
  async (_title, { cases }) => {
    for (const each of cases) {
      const failure = await failureOf(within(each));
      expect([each.query, failure.code]).toEqual([each.query, 400]);
      expect(failure.message).toContain(aimedAt === undefined ? each.error : "");
    }
  },
);
