// A test that cannot fail proves nothing: each rule is removed, and the claim that rests on it must fail.
import { describe, expect, test } from "vitest";
import { landingMutants } from "./landing-mutants.ts";
import { mutants } from "./mutants.ts";
import { termsMutants } from "./terms-mutants.ts";
import { survives } from "./mutate.ts";

describe.concurrent("without the rule that", { timeout: 60_000 }, () => {
  test.each(
    [...mutants, ...termsMutants, ...landingMutants].map(
      (mutant, n) => [mutant.rule, mutant, n] as const,
    ),
  )("%s, its claim fails", async (_rule, mutant, n) => {
    const { killedBy: pattern, testFile } = mutant;
    expect(await survives(`m${n}`, { mutant, testFile, pattern })).toEqual({ killed: true });
  });
});
