// A few of `npm run mutants`, so that the auditor is never trusted untested; the script has them all.
import { describe, expect, test } from "vitest";
import { judge, runMutant } from "./run-mutant.ts";
import { safetyMutants } from "./safety-mutants.ts";

const trial = { seed: 1, schedules: 40 };
const sample = [
  "the version gate",
  "the frozen payload",
  "a contract behind each retry",
  "the rising fence",
];

describe("the auditor", { timeout: 120_000 }, () => {
  test("is silent about the app as it is", async () => {
    expect(await judge([], { ...trial, schedules: 20, rules: [] })).toEqual({
      schedules: 20,
      spoke: {},
    });
  });

  test.each(sample)("speaks by the rule's own name without %s", async (without) => {
    const mutant = safetyMutants.find((candidate) => candidate.without === without);
    if (mutant === undefined) throw new Error(`no mutant ${without}`);
    const verdict = await runMutant(mutant, trial);
    expect(verdict).toMatchObject({ kind: "killed", by: mutant.seenBy[0] });
  });

  test("has at least twenty rules of the app to miss", () => {
    expect(safetyMutants.length).toBeGreaterThanOrEqual(20);
  });
});
