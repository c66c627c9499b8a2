// A thousand schedules of `npm run simulate`, and that a schedule is the same whenever it is run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rules } from "../audit/auditor.ts";
import { happenings } from "./happenings.ts";
import { answerFaults } from "./people.ts";
import { callFaults } from "./providers.ts";
import { runSchedule } from "./run-schedule.ts";
import { faultKinds } from "./faults.ts";
import { scheduleOf } from "./schedule.ts";
import { added, nothingYet, simulate, whyTooTame } from "./simulate.ts";

const seed = 20_261_129;
const parts = 4;
const schedules = 1000;

describe(`schedules of seed ${seed}`, () => {
  let sum = nothingYet();

  // In parts, so that each has a time of its own.
  test.each(Array.from({ length: parts }, (_, part) => part))(
    "break no rule, with at least ten faults each (part %i)",
    { timeout: 240_000 },
    async (from) => {
      const part = await simulate({ seed, from, step: parts, until: schedules, shrinks: true });
      expect(part.violations).toEqual([]);
      expect(part.schedules).toBe(schedules / parts);
      expect(whyTooTame(part)).toBeUndefined();
      sum = added(sum, part);
    },
  );

  test("come to every kind of fault, every happening, and subjects of every rule", () => {
    expect(sum.schedules).toBe(schedules);
    expect(whyTooTame(sum)).toBeUndefined();
    // Every way for a case to end or to be held, not only the good one.
    for (const outcome of ["confirmed", "rejected", "cancelled", "ended", "unknown, abandoned"]) {
      expect(sum.outcomes[outcome]).toBeGreaterThan(0);
    }
  });

  test("are the same each time", async () => {
    for (const n of [3, 51, 77]) {
      const [first, again] = [
        await runSchedule(scheduleOf(seed, n)),
        await runSchedule(scheduleOf(seed, n)),
      ];
      expect(again).toEqual(first);
      expect(first.visits).toBeGreaterThan(20);
    }
  });
});

test("what is written down about the simulation names every fault, every happening and every rule", () => {
  const text = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
  const names = [
    ...faultKinds,
    ...callFaults,
    ...answerFaults,
    ...happenings,
    ...Object.keys(rules),
  ];
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("a run in which something never happened is told to be too tame, by its name", () => {
  const tame = { ...nothingYet(), schedules: 1000, faultsLeast: 20 };
  expect(whyTooTame(tame)).toContain("a case was erased");
  expect(whyTooTame(tame)).toContain("appliedOnce");
  expect(whyTooTame({ ...tame, schedules: 999 })).toBeUndefined();
});
