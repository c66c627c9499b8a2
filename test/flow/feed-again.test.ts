// A change feed whose reader loses its lease or its checkpoint, as others have reported: the same changes come to two readers, again and from
// the beginning, and in another order. It may wake somebody for nothing; it changes nothing, and does nothing twice.
import { describe, expect, test } from "vitest";
import { reconcileEffects } from "../../shared/flow/wake/reconcile-effects.ts";
import { newWorld, type World } from "./world.ts";

/** A round is shorter than any wait: the feed is read at moments at which something may be done, and at others. */
const roundMs = 300;

async function runWith(afterRound: (world: World) => Promise<number>) {
  const world = newWorld();
  world.keyed.script = ["appliedAndDropped", "ok", "turnsAway"];
  await world.post(1);
  let hinted = 0;
  for (let round = 0; round < 100; round += 1) {
    hinted += await afterRound(world);
    await world.run(world.worker(), 0);
    world.advance(roundMs);
  }
  const end = {
    status: (await world.record()).status,
    applied: [world.keyed.applied.length, world.bare.applied.length],
    received: world.keyed.received.length,
    batches: world.batches(),
    reviews: (await world.reviews()).length,
  };
  return { end, hinted };
}

const changes = (world: World) => world.cases.changesSince(0).documents;

async function readBy(ports: ReturnType<World["worker"]>, documents: readonly unknown[]) {
  return (await reconcileEffects(ports, documents)).hinted;
}

describe("a case whose changes are read", () => {
  test.each<[string, (world: World) => Promise<number>]>([
    [
      "by two readers at once",
      async (world) => {
        const readers = [world.worker(), world.worker()];
        const hinted = await Promise.all(readers.map((ports) => readBy(ports, changes(world))));
        return Math.max(...hinted);
      },
    ],
    [
      "from the beginning, each time, backwards, one by one",
      async (world) => {
        let hinted = 0;
        for (const one of changes(world).toReversed()) {
          hinted += await readBy(world.worker(), [one]);
        }
        return hinted;
      },
    ],
    [
      "each of them ten times in one batch",
      (world) => readBy(world.worker(), Array(10).fill(changes(world)).flat()),
    ],
  ])("%s comes to the same end, by the same writes, as without a feed", async (_what, read) => {
    const without = await runWith(async () => 0);
    expect(without.end).toMatchObject({ status: "done", applied: [2, 1], received: 4, reviews: 0 });
    const { end, hinted } = await runWith(read);
    expect(end).toEqual(without.end);
    expect(hinted).toBeGreaterThan(0);
  });
});
