// A sample of `npm run crash`: every boundary of a turn, some of the combinations of each.
import { describe, expect, test } from "vitest";
import type { Effect } from "../../shared/domain/records/effect.ts";
import { contractKinds } from "../simulation/contracts.ts";
import { crash, kindOf } from "./crash.ts";
import { combinationsOf } from "./combinations.ts";
import { shippedSubjects } from "./real/shipped.ts";
import { runOnce, type FaultKind } from "./run-once.ts";

describe("a worker that is killed, held or left without an answer", () => {
  // 7 shares no factor with the faults and workers of one boundary, so that all of them come up.
  test("at any boundary, under any contract, breaks no rule", { timeout: 60_000 }, async () => {
    const sum = await crash({ every: 7 });
    expect(sum.found).toEqual([]);
    expect(sum).toMatchObject({ unreached: [], notFired: 0 });
    expect(sum.combinations).toBeGreaterThan(150);
    expect(Math.min(sum.kills, sum.stops)).toBeGreaterThan(50);
  });

  test("is tried in at least a thousand different ways", async () => {
    expect((await combinationsOf()).length).toBeGreaterThanOrEqual(1000);
  });

  test.each(shippedSubjects.map(({ action, provider }) => [action.name, provider] as const))(
    "breaks no rule under the contract of %s",
    async (_name, provider) => {
      const { contract } = provider("http://127.0.0.1:9");
      const sum = await crash({ kinds: [kindOf(contract)], contract, every: 23 });
      expect(sum.found).toEqual([]);
      expect(sum.combinations).toBeGreaterThan(5);
    },
  );
});

test.each(contractKinds)(
  "without a fault all is confirmed under the contract %s",
  async (contract) => {
    let effects: readonly Effect[] = [];
    await runOnce({ contract, situation: "calm", workers: 1 }, undefined, ({ cases }) => {
      effects = cases[0]?.final?.snapshot.effects ?? [];
    });
    expect(effects.map(({ status }) => status)).toEqual(["confirmed", "confirmed", "confirmed"]);
  },
);

describe("a worker that dies around its model's answer", () => {
  const strike = (boundary: string, fault: FaultKind) =>
    runOnce({ contract: "key", situation: "calm", boundary, visit: 1, fault, workers: 1 });

  test("asks again only when nothing kept the answer, and its effects happen once", async () => {
    const asked = async (boundary: string, fault: FaultKind) => {
      const run = await strike(boundary, fault);
      expect(run).toMatchObject({ fired: true, violations: [] });
      return run.asked.length;
    };
    expect(await asked("compute", "killedBefore")).toBe(1);
    expect(await asked("compute", "killedAfter")).toBe(2);
    expect(await asked("createCheckpoint", "killedBefore")).toBe(2);
    expect(await asked("createCheckpoint", "killedAfter")).toBe(1);
    expect(await asked("write", "killedBefore")).toBe(1);
  });
});

test("a combination whose fault never struck is told apart", async () => {
  const { fired } = await runOnce({
    contract: "key",
    situation: "calm",
    boundary: "write",
    visit: 99,
    fault: "killedAfter",
    workers: 1,
  });
  expect(fired).toBe(false);
});
