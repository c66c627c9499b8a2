// Documents of three schemas under one code: older ones come forward, newer ones are left out, broken ones are named.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { schemaVersion } from "../../shared/domain/records/evidence.ts";
import { documentSteps, type DocumentStep } from "../../shared/domain/records/upcast-document.ts";
import { decode } from "../../shared/stores/case-documents.ts";

const Third = z.object({
  id: z.string(),
  type: z.literal("thing"),
  schemaVersion: z.literal(3),
  amount: z.string(),
  currency: z.string(),
});
const steps: readonly DocumentStep[] = [
  ({ amount, ...rest }) => ({ ...rest, amount: z.number().parse(amount).toFixed(2) }),
  (document) => ({ ...document, currency: "EUR" }),
];
const stored = (version: number, rest: object) => ({
  id: "thing:1",
  type: "thing",
  schemaVersion: version,
  _etag: "e",
  _ts: 1,
  ...rest,
});
const today = {
  id: "thing:1",
  type: "thing",
  schemaVersion: 3,
  amount: "5.00",
  currency: "EUR",
};

describe("a stored document", () => {
  test.each([
    [1, { amount: 5 }],
    [2, { amount: "5.00" }],
    [3, { amount: "5.00", currency: "EUR" }],
  ])(
    "of schema %i comes to the shape of today, without the store's own fields",
    (version, rest) => {
      expect(decode(Third, stored(version, rest), steps)).toEqual(today);
    },
  );

  test("of a newer schema is left out", () => {
    expect(decode(Third, stored(4, { amount: {} }), steps)).toBeUndefined();
  });

  test.each([
    [1, { amount: "s3cret" }],
    [2, { amount: { value: "s3cret" } }],
  ])("of schema %i that no step and no schema takes is named, and not shown", (version, rest) => {
    const read = () => decode(Third, stored(version, rest), steps);
    expect(read).toThrow(expect.objectContaining({ ids: { documentId: "thing:1" } }));
    expect(read).not.toThrow(/s3cret/);
  });

  test("is not changed by bringing it forward: the store's own copy stays as it was", () => {
    const document = stored(1, { amount: 5 });
    decode(Third, document, steps);
    expect(document).toEqual(stored(1, { amount: 5 }));
  });
});

test("there is one step between each version and the next", () => {
  expect(documentSteps.length + 1).toBe(schemaVersion);
});
