import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectiveKey } from "../../../../local/cosmos/store/keys/effective-key.ts";

// The SDK does not export its hashing; its own file is loaded by path to compare with.
const path = join(
  import.meta.dirname,
  "../../../../node_modules/@azure/cosmos/dist/esm/utils/hashing/hash.js",
);
const { hashPartitionKey } = (await import(path)) as {
  hashPartitionKey(key: unknown[], definition: { kind: string; version: number }): string;
};

const component = fc.oneof(
  fc.string({ unit: "binary", maxLength: 140 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant({}),
);

describe("an effective partition key is what the SDK computes", () => {
  test.each([
    ["Hash", 1, 1],
    ["Hash", 2, 1],
    ["MultiHash", 2, 1],
    ["MultiHash", 2, 3],
  ])("for %s of version %i with %i levels", (kind, version, levels) => {
    fc.assert(
      fc.property(fc.array(component, { minLength: levels, maxLength: levels }), (key) => {
        const theirs = hashPartitionKey(key, { kind, version });
        expect(effectiveKey(key as never[], kind, version)).toBe(theirs);
      }),
      { numRuns: 300 },
    );
  });
});
