// What the simulation found, each as a small trace of its own. The rule that cured it is named; without it the test fails.
import { expect, test } from "vitest";
import { recover } from "../../shared/domain/decisions/recover.ts";
import type { EffectOf } from "../../shared/domain/records/effect.ts";
import { effectOf } from "../../shared/domain/records/snapshot.ts";
import { callTimeoutMs, claimedCase, firstOf, noContract, nowMs, settled } from "../domain/situations.ts";

const settleMs = 120_000;
const search = {
  ...noContract,
  lookup: { by: "search", consistency: "eventual", settleMs },
} as const;

/** Its answer was lost; one search was made, long after everything had settled. */
function searchedOnce(absent: boolean): EffectOf<"unknown"> {
  const lost = settled(claimedCase(), { kind: "noAnswer", reason: "reset" });
  const effect = effectOf(lost, firstOf(lost).operationId);
  if (effect.status !== "unknown") throw new Error("it should be unknown");
  const startedAtMs = nowMs + 3_600_000;
  return {
    ...effect,
    lookups: {
      count: 1,
      lastStartedAtMs: startedAtMs,
      ...(absent ? { absentStartedAtMs: startedAtMs } : {}),
      notBeforeMs: startedAtMs + callTimeoutMs,
    },
  };
}

// simulate --seed 1 --schedule 51: the only search, made late, met a 503, and a person got what one more would have shown.
test("a search that gave no answer is asked again; only one that showed nothing goes to a person", () => {
  const facts = { contract: search, account: "acme", apiVersion: "v1", current: true };
  const laterMs = nowMs + 3_700_000;
  expect(recover({ ...facts, effect: searchedOnce(false), nowMs: laterMs })).toEqual({
    kind: "lookUp",
  });
  expect(recover({ ...facts, effect: searchedOnce(true), nowMs: laterMs })).toMatchObject({
    kind: "review",
  });
});
