// One version, two workers, two answers of one decider: the frozen one is sent, the other one is only noticed.
import { expect, test } from "vitest";
import type { Decision } from "../../../shared/domain/definitions.ts";
import { planOfTwo } from "../../domain/situations.ts";
import { newWorld } from "../world.ts";

const [first, second] = planOfTwo.kind === "plan" ? planOfTwo.actions : [];
if (first === undefined || second === undefined) throw new Error("the plan has two actions");
const other = { ...planOfTwo, actions: [{ ...first, payload: { amount: "99.00" } }, second] };

async function decidedTwice(again: Decision) {
  const warnings: string[] = [];
  const log = { info: () => {}, error: () => {}, warn: (text: string) => warnings.push(text) };
  let asked = 0;
  const world = newWorld({
    decide: async () => {
      asked += 1;
      if (asked > 1) return planOfTwo;
      // While this worker still thinks, another one decides the same version.
      await world.turn(world.worker());
      return again;
    },
  });
  await world.post(1);
  await world.turn(world.worker({ log }));
  await world.run();
  return { world, warnings };
}

test("a decision that differs from the frozen one is logged and ignored: what was frozen is sent, once", async () => {
  const { warnings, world } = await decidedTwice(other);
  expect(warnings).toEqual([
    "a repeated decision differs from the one that is frozen, and is ignored",
  ]);
  expect(JSON.stringify(world.keyed.applied)).not.toContain("99.00");
  expect(world.keyed.applied).toHaveLength(2);
});

test("a decision that says the same again is no news", async () => {
  const { warnings, world } = await decidedTwice(planOfTwo);
  expect(warnings).toEqual([]);
  expect(world.keyed.applied).toHaveLength(2);
});
