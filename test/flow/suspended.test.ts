// A machine that sleeps: its own timer stands still with it, so only the store's clock can tell that a claim's time is over.
import { expect, test } from "vitest";
import { planOf } from "../domain/situations.ts";
import { newWorld } from "./world.ts";

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
