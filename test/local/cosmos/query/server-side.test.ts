// The stand-in's own way of answering cross-partition queries, by itself: the same as within one partition. And the plans that it
// makes for the SDK's pipeline: their rewritten texts are ones that it understands.
import type { SqlParameter } from "@azure/cosmos";
import { beforeAll, describe, expect, test } from "vitest";
import * as rules from "../../../conformance/cosmos/query-rules.ts";
import { AGGREGATES, FUNCTIONS } from "../../../conformance/cosmos/value-rules.ts";
import { failureOf, situation } from "../fixture.ts";

const cosmos = await situation();
const things = cosmos.container("things");

beforeAll(async () => {
  for (const document of rules.DOCUMENTS) await things.items.create(document);
});

function ask({ query, parameters = {} }: rules.QueryCase, options = {}) {
  const named = Object.entries(parameters).map(([name, value]): SqlParameter => ({
    name,
    value: value ?? null,
  }));
  return things.items.query({ query, parameters: named }, options).fetchAll();
}

const rows = (lists: readonly (readonly rules.Rule[])[]) =>
  lists.flat().flatMap(({ cases }) => cases.map((each) => [each.query, each] as const));

describe("across partitions the server gives what it gives within one", () => {
  const answered = [rules.FILTERS, rules.PROJECTIONS, rules.ORDERS, AGGREGATES, FUNCTIONS];
  test.each(rows(answered))("%s", async (_query, each) => {
    expect((await ask(each)).resources).toEqual(each.gives);
  });

  test.each(rows([rules.REFUSED]))("%s", async (_query, each) => {
    expect((await failureOf(ask(each))).code).toBe(400);
  });
});

describe("the query plan", () => {
  test("rewrites queries into texts that this server understands", async () => {
    const texts = rows([rules.FILTERS, rules.PROJECTIONS]);
    for (const [, each] of texts) await ask(each, { forceQueryPlan: true });
    expect(texts.length).toBeGreaterThan(50);
  });
});
