import type { SqlParameter } from "@azure/cosmos";
import { beforeAll, describe, expect, test } from "vitest";
import { failureOf, situation } from "../fixture.ts";
import * as cases from "./query-cases.ts";
import type { QueryCase } from "./query-cases.ts";

const cosmos = await situation();
const things = cosmos.container("things");

beforeAll(async () => {
  for (const document of cases.DOCUMENTS) await things.items.create(document);
});

function parametersOf({ parameters = {} }: QueryCase): SqlParameter[] {
  return Object.entries(parameters).map(([name, value]) => ({ name, value }));
}

function ask(query: QueryCase, partitionKey?: string) {
  return things.items
    .query(
      { query: query.query, parameters: parametersOf(query) },
      partitionKey === undefined ? {} : { partitionKey },
    )
    .fetchAll();
}

function named(list: readonly QueryCase[], isRefused: boolean) {
  return list
    .filter((each) => (each.error !== undefined) === isRefused)
    .map((each) => [each.query, each] as const);
}

describe.each([
  ["a filter", cases.FILTERS],
  ["a projection", cases.PROJECTIONS],
  ["an aggregate", cases.AGGREGATES],
  ["an order", cases.ORDERS],
  ["a function", cases.FUNCTIONS],
])("%s gives the same within a partition and across", (_, list) => {
  test.each(named(list, false))("%s", async (_query, each) => {
    expect((await ask(each, "p")).resources).toEqual(each.gives);
    expect((await ask(each)).resources).toEqual(each.gives);
  });
});

describe("a query that Azure would not run is refused", () => {
  test.each(named([...cases.REFUSED, ...cases.ORDERS], true))("%s", async (_query, each) => {
    const failure = await failureOf(ask(each, "p"));
    expect(failure.code).toBe(400);
    expect(failure.message).toContain(each.error);
  });
});
