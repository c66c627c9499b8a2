// A machine that sleeps: its own timer stands still with it, so only the store's clock can tell that a claim's time is over.
import { expect, test } from "vitest";
import { planOf } from "../domain/situations.ts";
import { lookedUp, newWorld } from "./world.ts";

const call = { action: "bare.first.v1", target: "T-1", payload: {} };

test("a worker whose machine slept for hours between its claim and its gate sends nothing under that claim", async () => {
  const world = newWorld({ decide: () => planOf([call]) });
  await world.post(1);
  let sleptMs = 0;
  const worker = world.worker({
    monotonicMs: () => world.nowMs() - sleptMs,
    async at(boundary, act) {
      if (boundary === "gate" && sleptMs === 0) {
        sleptMs = 3 * 3_600_000;
        world.advance(sleptMs);
      }
      return act();
    },
  });
  await world.turn(worker);
  const [effect] = await world.effects();
  expect(effect?.attempts[0]?.end).toMatchObject({
    kind: "notSent",
    reason: "the claim's time ran out",
  });
  await world.run();
  expect(world.bare.received).toHaveLength(1);
  expect((await world.record()).status).toBe("done");
});

test("a worker whose machine slept between its gate and its socket counts the horizon from when it awoke", async () => {
  const world = newWorld({ decide: () => planOf([{ ...call, action: "keyed.first.v1" }]) });
  lookedUp(world.keyed);
  world.keyed.script = ["appliesLate"];
  let sleptMs = 0;
  world.keyed.duringCall = () => {
    world.keyed.duringCall = undefined;
    sleptMs = 600_000;
    world.advance(sleptMs);
  };
  await world.post(1);
  await world.turn(world.worker({ monotonicMs: () => world.nowMs() - sleptMs }));
  await world.run(world.worker(), world.keyed.contract.horizonMs - 5000);
  world.applyLate();
  await world.run();
  expect(world.keyed.received).toHaveLength(1);
  expect(world.keyed.applied).toHaveLength(1);
  expect((await world.record()).status).toBe("done");
});
