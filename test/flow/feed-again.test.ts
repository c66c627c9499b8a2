// A change feed whose reader loses its lease or its checkpoint, as others have reported: the same changes come to two readers, again and from
// the beginning, and in another order. It may wake somebody for nothing; it changes nothing, and does nothing twice.
import { describe, expect, test } from "vitest";
import { reconcileEffects } from "../../shared/flow/wake/reconcile-effects.ts";
import { newWorld, type World } from "./world.ts";

async function runWith(afterTurn: (world: World) => Promise<void>) {
  const world = newWorld();
  world.keyed.script = ["appliedAndDropped"];
  await world.post(1);
  for (let turns = 0; turns < 12; turns += 1) {
    await world.run(world.worker(), 5000);
    world.advance(5000);
    await afterTurn(world);
  }
  return {
    status: (await world.record()).status,
    applied: [world.keyed.applied.length, world.bare.applied.length],
    received: world.keyed.received.length,
    batches: world.batches(),
    reviews: (await world.reviews()).length,
  };
}

const changes = (world: World) => world.cases.changesSince(0).documents;

describe("a case whose changes are read", () => {
  test.each<[string, (world: World) => Promise<void>]>([
    [
      "by two readers at once",
      async (world) => {
        const readers = [world.worker(), world.worker()];
        await Promise.all(readers.map((ports) => reconcileEffects(ports, changes(world))));
      },
    ],
    [
      "from the beginning, each time, backwards, one by one",
      async (world) => {
        for (const one of changes(world).toReversed())
          await reconcileEffects(world.worker(), [one]);
      },
    ],
    [
      "each of them ten times in one batch",
      async (world) => {
        await reconcileEffects(world.worker(), Array(10).fill(changes(world)).flat());
      },
    ],
  ])(
    "%s comes to the same end, by the same writes, as without a feed",
    async (_what, afterTurn) => {
      const usual = await runWith(async () => {});
      expect(usual).toMatchObject({ status: "done", applied: [2, 1], reviews: 0 });
      expect(await runWith(afterTurn)).toEqual(usual);
    },
  );
});
