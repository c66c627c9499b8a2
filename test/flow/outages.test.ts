// A provider that is down for hours, as others have reported of theirs: whatever its contract lets the machine finish is finished by the
// machine when it is back, done once, and nobody was asked.
import { describe, expect, test } from "vitest";
import { planOf } from "../domain/situations.ts";
import { newWorld, type Behaviour } from "./world.ts";

const minuteMs = 60_000;
const strong = { by: "operationId", consistency: "strong", settleMs: 0 } as const;

async function downFor(
  minutes: number,
  { behaviour, name }: { name: "keyed" | "bare"; behaviour: Behaviour },
) {
  const payload = { amount: "1.00" };
  const plan = planOf([{ action: `${name}.first.v1`, target: "T-1", payload }]);
  const world = newWorld({ decide: () => plan });
  const startMs = world.nowMs();
  const isDown = () => world.nowMs() - startMs < minutes * minuteMs;
  const provider = world[name];
  const { send } = provider;
  provider.send = (request) => {
    provider.script = [isDown() ? behaviour : "ok"];
    return send(request);
  };
  if (name === "bare") {
    provider.contract = { ...provider.contract, lookup: strong };
    provider.lookup = async () =>
      isDown() ? { kind: "inconclusive", reason: "503" } : { kind: "absent" };
  }
  await world.post(1);
  await world.run(world.worker(), 24 * 60 * minuteMs);
  const [effect] = await world.effects();
  return {
    status: effect?.status,
    applied: provider.applied.length,
    reviews: (await world.reviews()).map(({ kind }) => kind),
  };
}

describe("a provider that is down", () => {
  const ways = [
    { name: "keyed", behaviour: "swallowed", how: "takes calls under a key and answers none" },
    {
      name: "keyed",
      behaviour: "appliedAndDropped",
      how: "does what it is asked and answers nothing",
    },
    { name: "keyed", behaviour: "refusesConnection", how: "takes no call" },
    { name: "keyed", behaviour: "turnsAway", how: "turns each call away" },
    { name: "bare", behaviour: "swallowed", how: "answers neither calls nor look-ups" },
  ] as const;

  test.each(ways.flatMap((way) => [0.5, 30, 180].map((minutes) => ({ ...way, minutes }))))(
    "for $minutes minutes and $how needs no person: each effect is done once when it is back",
    async ({ minutes, ...way }) => {
      expect(await downFor(minutes, way)).toEqual({ status: "confirmed", applied: 1, reviews: [] });
    },
  );

  test.each(ways)("for a day, and $how: comes to a person, one review, in the end", async (way) => {
    const { applied, reviews } = await downFor(24 * 60, way);
    expect(applied).toBeLessThanOrEqual(1);
    expect(reviews).toHaveLength(1);
  });
});
