// Facts of an older revision under newer code: one typed step a revision, then the schema of today.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { digestOf } from "../../shared/domain/canonical-json.ts";
import { forwardFacts } from "../../shared/domain/decisions/forward-facts.ts";
import { bookOf } from "../../shared/domain/book-of.ts";
import { defineUpcaster, type Workflow } from "../../shared/domain/definitions.ts";
import { caseOf, withCase } from "../../shared/domain/records/snapshot.ts";
import { book, openedCase } from "./situations.ts";

const First = z.object({ amount: z.number() });
const Second = z.object({ amount: z.string() });
const Third = z.object({ amount: z.string(), currency: z.string().length(3) });

const upcasters = {
  2: defineUpcaster(First, ({ amount }) => ({ amount: amount.toFixed(2) })),
  3: defineUpcaster(Second, (facts) => ({ ...facts, currency: "EUR" })),
};

const known = book.workflow("test-flow");
const workflow = (change: Partial<Workflow>): Workflow => {
  if (known === undefined) throw new Error("no workflow");
  return {
    ...known,
    revision: 3,
    facts: Third,
    upcasters,
    ...change,
  };
};

function caseWith(facts: Record<string, z.core.util.JSONType>, revision: number) {
  const change = { facts, factsDigest: digestOf(facts), workflow: { type: "test-flow", revision } };
  return caseOf(withCase(openedCase(), change));
}

describe("facts of an older revision", () => {
  test.each([
    [1, { amount: 5 }],
    [2, { amount: "5.00" }],
    [3, { amount: "5.00", currency: "EUR" }],
  ])("%i come step by step to the shape of today", (revision, facts) => {
    const today = { amount: "5.00", currency: "EUR" };
    expect(forwardFacts(caseWith(facts, revision), workflow({}))).toEqual({
      kind: "fits",
      facts: today,
      digest: digestOf(today),
    });
  });

  test("pass a revision that has no step as they are", () => {
    const { 3: last } = upcasters;
    const forwarded = forwardFacts(
      caseWith({ amount: "5.00" }, 1),
      workflow({ upcasters: { 3: last } }),
    );
    expect(forwarded).toMatchObject({ kind: "fits", facts: { currency: "EUR" } });
  });

  test("that the step before never allowed are refused by field, without the value", () => {
    const forwarded = forwardFacts(caseWith({ amount: "s3cret" }, 1), workflow({}));
    expect(forwarded).toMatchObject({ kind: "refused" });
    expect(JSON.stringify(forwarded)).toContain("amount");
    expect(JSON.stringify(forwarded)).not.toContain("s3cret");
  });

  test("that the schema of today does not allow are broken by field, and kept as far as they came", () => {
    const forwarded = forwardFacts(caseWith({ amount: 5, note: "s3cret" }, 1), {
      ...workflow({}),
      upcasters: { 2: upcasters[2] },
    });
    expect(forwarded).toEqual({
      kind: "broken",
      why: "facts of revision 1 do not fit revision 3 in: currency",
      facts: { amount: "5.00" },
    });
  });

  test.each<[string, Partial<Workflow>]>([
    [
      "a step that makes more than a case can hold",
      { upcasters: { 3: () => ({ amount: "1".repeat(600 * 1024), currency: "EUR" }) } },
    ],
    [
      "a step that throws",
      {
        upcasters: {
          3: () => {
            throw new Error("s3cret");
          },
        },
      },
    ],
    [
      "a step that makes what is no JSON",
      { facts: z.any(), upcasters: { 3: () => ({ at: new Date(0) }) as never } },
    ],
    [
      "a schema that throws",
      {
        facts: Third.refine(() => {
          throw new Error("s3cret");
        }) as never,
      },
    ],
  ])("meet %s without a throw of their own", (_what, change) => {
    const forwarded = forwardFacts(caseWith({ amount: 5 }, 1), workflow(change));
    expect(forwarded.kind).toBe("refused");
    expect(JSON.stringify(forwarded)).not.toContain("s3cret");
  });

  test("of this revision are only checked: nothing of them changes", () => {
    const facts = { amount: "5.00", currency: "EUR", extra: 1 };
    const record = caseWith(facts, 3);
    expect(forwardFacts(record, workflow({}))).toEqual({
      kind: "fits",
      facts,
      digest: record.factsDigest,
    });
  });
});

test("a step that leads nowhere is refused at start-up", () => {
  const odd = workflow({ revision: 2 });
  expect(() => bookOf({ workflows: [odd], actions: [], providers: [] })).toThrow("upcaster 3");
  const none = workflow({ revision: 0, upcasters: {} });
  expect(() => bookOf({ workflows: [none], actions: [], providers: [] })).toThrow("1 or more");
});
