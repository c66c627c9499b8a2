// A thousand schedules of `npm run simulate`, and that a schedule is the same whenever it is run.
import { describe, expect, test } from "vitest";
import { runSchedule } from "./run-schedule.ts";
import { scheduleOf } from "./schedule.ts";
import { added, simulate, whyTooTame } from "./simulate.ts";

const seed = 20_261_129;
const parts = 4;
const schedules = 1000;

describe(`schedules of seed ${seed}`, () => {
  // In parts, so that each has a time of its own.
  test.each(Array.from({ length: parts }, (_, part) => part))(
    "break no rule, with at least ten faults each (part %i)",
    { timeout: 240_000 },
    async (from) => {
      const sum = await simulate({ seed, from, step: parts, until: schedules, shrinks: true });
      expect(sum.violations).toEqual([]);
      expect(whyTooTame(sum)).toBeUndefined();
      expect(sum.schedules).toBe(schedules / parts);
      // Every way for a case to end or to be held, not only the good one.
      for (const outcome of ["confirmed", "rejected", "cancelled", "ended", "unknown, abandoned"]) {
        expect(sum.outcomes[outcome]).toBeGreaterThan(0);
      }
    },
  );

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

  test("hold every kind of fault", async () => {
    const sums = await Promise.all(
      [0, 1].map((from) => simulate({ seed, from, step: 2, until: 120, shrinks: false })),
    );
    const [first, second] = sums;
    if (first === undefined || second === undefined) throw new Error("no sum");
    const { faultKinds } = added(first, second);
    expect(Object.keys(faultKinds).sort()).toEqual([
      "call",
      "deploy",
      "drain",
      "facts",
      "freezeAtSend",
      "hint",
      "kill",
      "lookupFails",
      "outage",
      "outageAtCall",
      "providerReport",
      "revoke",
      "revokeAtWrite",
      "skew",
      "spuriousHint",
      "staleReads",
      "stall",
      "statement",
      "storeOutage",
      "write",
    ]);
  });
});
