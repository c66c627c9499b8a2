// What another look at a case would do, told before a dead letter is sent again: most of them are left by workers that died.
import { describe, expect, test } from "vitest";
import { previewer } from "../../../shared/flow/operate/dead-letters/preview.ts";
import { key, mortal, newWorld, turnUntilDeath } from "../world.ts";

describe("a look at a case whose worker died in its call", () => {
  test("waits while the call may run, and then says that nobody knows what became of it", async () => {
    const world = newWorld();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "send", when: "after" }));
    const [effect] = await world.effects();
    const operationId = effect?.operationId;
    expect(await previewer(world)(key)).toMatchObject({ verdict: "callUnderWay", operationId });
    world.advance(60_000);
    expect(await previewer(world)(key)).toMatchObject({
      verdict: "wouldGoOn",
      says: expect.stringContaining("nobody recorded"),
    });
    await world.run();
    expect(await previewer(world)(key)).toMatchObject({ verdict: "nothingToRepeat" });
  });
});
