// A few of `npm run mutants`, so that the auditor is never trusted untested; the script has them all.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shrunkMax } from "../../simulation/shrink.ts";
import type { Simulated } from "../../simulation/simulate.ts";
import type { SafetyMutant } from "./mutant.ts";
import { judge, runMutant } from "./run-mutant.ts";
import { harmless, safetyMutants } from "./safety-mutants.ts";
import { inScratch } from "./scratch.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const trial = { seed: 1, schedules: 40 };
const sample = [
  "the version gate",
  "the frozen payload",
  "a contract behind each retry",
  "the rising fence",
];

const planted = [
  "the greatest amount of a grant",
  "a contract behind each retry",
  "the older payload keys",
];

function mutantOf(without: string): SafetyMutant {
  const mutant = safetyMutants.find((candidate) => candidate.without === without);
  if (mutant === undefined) throw new Error(`no mutant ${without}`);
  return mutant;
}

describe("the auditor", { timeout: 120_000 }, () => {
  test("is silent about the app as it is", async () => {
    expect(await judge([], { ...trial, schedules: 20, rules: [] })).toEqual({
      schedules: 20,
      spoke: {},
    });
  });

  test.each(sample)("speaks by the rule's own name without %s", async (without) => {
    const mutant = mutantOf(without);
    const verdict = await runMutant(mutant, trial);
    expect(verdict).toMatchObject({ kind: "killed", by: mutant.seenBy[0] });
  });

  test.each(planted)(
    "tells of what it sees without %s by few events, and by a command that shows it again",
    async (without) => {
      const mutant = mutantOf(without);
      const verdict = await runMutant(mutant, trial);
      if (verdict.kind !== "killed") throw new Error(verdict.why);
      const schedule = verdict.schedules - 1;
      await inScratch(mutant.patches, async (runScript) => {
        const simulate = async (args: readonly string[]) => {
          const { code, output } = await runScript("test/simulation/main.ts", [...args, "--json"]);
          expect(code).toBe(1);
          return (JSON.parse(output) as Simulated).violations;
        };
        const found = await simulate(["--seed", "1", "--schedule", String(schedule)]);
        const first = found.find(({ rule }) => rule === verdict.by);
        expect(first?.events.length).toBeLessThanOrEqual(shrunkMax);
        const [, args = ""] = first?.replay.split("npm run simulate -- ") ?? [];
        const [again] = await simulate(args.split(" "));
        expect(again).toMatchObject({ rule: first?.rule, events: first?.events });
      });
    },
  );

  test("knows each rule by a text that stands once in the app", () => {
    const lost = [...safetyMutants, harmless].flatMap(({ patches, without }) =>
      patches
        .filter(({ file, find }) => readFileSync(join(root, file), "utf8").split(find).length !== 2)
        .map(({ file }) => `${without}: ${file}`),
    );
    expect(lost).toEqual([]);
  });

  test("has at least twenty rules of the app to miss", () => {
    expect(safetyMutants.length).toBeGreaterThanOrEqual(20);
  });
});
