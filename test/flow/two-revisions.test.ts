// Whole runs of two revisions on one case: any worker at any time, dying anywhere. A failure shows its seed.
import { expect, test } from "vitest";
import { z } from "zod";
import { defineUpcaster, type Decision, type Workflow } from "../../shared/domain/definitions.ts";
import type { Facts } from "../../shared/domain/definitions.ts";
import { planOfTwo } from "../domain/situations.ts";
import { diceOf, type Dice } from "../simulation/dice.ts";
import { codeOf } from "./codes.ts";
import { key, Killed, mortal, newWorld, type World } from "./world.ts";

const boundaries = ["read", "look", "decide", "write", "grants", "gate", "send", "createFinding"];
const plan = (why: string, facts: Facts): Decision =>
  ({
    ...planOfTwo,
    why,
    actions: [
      { action: "keyed.first.v1", target: `T-${JSON.stringify(facts["n"])}`, payload: { why } },
    ],
  }) as Decision;

/** Each revision refuses to look at facts in the other's shape. */
const amountOf = (facts: Facts, type: "number" | "string") => {
  if (typeof facts["amount"] !== type) throw new Error(`the amount is no ${type}`);
};
const first: Workflow["decide"] = ({ facts }) => {
  amountOf(facts, "number");
  return plan("by revision 1", facts);
};
const second: Partial<Workflow> = {
  revision: 2,
  facts: z.looseObject({ amount: z.string() }) as unknown as z.ZodType<Facts>,
  upcasters: {
    2: defineUpcaster(z.looseObject({ amount: z.number() }), (facts) => ({
      ...(facts as Facts),
      amount: facts.amount.toFixed(2),
    })),
  },
  fold: (facts, { body }) => {
    if ("amount" in facts) amountOf(facts, "string");
    const { amount = facts["amount"], ...told } = body as Facts;
    return {
      ...facts,
      ...told,
      amount: typeof amount === "number" ? amount.toFixed(2) : amount,
    } as Facts;
  },
  decide: ({ facts }) => {
    amountOf(facts, "string");
    return plan("by revision 2", facts);
  },
};

/** One turn of one worker, which may die at a boundary. */
async function turn(world: World, book: World["book"], dice: Dice): Promise<void> {
  const death = { boundary: dice.pick(boundaries), when: dice.pick(["before", "after"] as const) };
  const worker = dice.chance(0.6) ? world.worker({ book }) : mortal(world, death, { book });
  try {
    await world.turn(worker);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
}

const storedCase = (world: World) => world.cases.stored(key).find(({ id }) => id === "case");

/** The revision of the facts, which must have its shape; 0 before there are any. */
async function shapeOf(world: World, seed: number): Promise<number> {
  if (storedCase(world) === undefined) return 0;
  const { facts, workflow } = await world.record();
  if (Object.keys(facts).length === 0) return 0;
  const type = workflow.revision === 1 ? "number" : "string";
  expect([seed, workflow.revision, typeof facts["amount"]]).toEqual([
    seed,
    workflow.revision,
    type,
  ]);
  return workflow.revision;
}

test("facts are always in the shape that their revision names, older code never writes over newer, nothing happens twice", async () => {
  const seen = { done: 0, cameForward: 0, left: 0 };
  for (let seed = 1; seed <= 80; seed += 1) {
    const dice = diceOf(seed);
    const world = newWorld({ decide: first, fused: dice.chance(0.5) });
    const older = world.book;
    const newer = codeOf(world, { workflow: second });
    await world.post(1, { n: 1, amount: 5 });
    for (let n = 2; n < 16; n += 1) {
      const book = dice.chance(n < 6 ? 0.8 : 0.4) ? older : newer;
      const isLeft = book === older && (await shapeOf(world, seed)) === 2;
      const before = storedCase(world)?._etag;
      await turn(world, book, dice);
      const isWritten = storedCase(world)?._etag !== before;
      expect([seed, isLeft && isWritten]).toEqual([seed, false]);
      if (isLeft) seen.left += 1;
      if (dice.chance(0.25)) await world.post(n, dice.chance(0.5) ? { n } : { n, amount: n });
      world.advance(dice.between(0, 20_000));
    }
    await world.run(world.worker({ book: newer }), 3_600_000);
    if ((await shapeOf(world, seed)) === 2) seen.cameForward += 1;
    const { held, status } = await world.record();
    if (status === "done") seen.done += 1;
    expect([seed, held?.reason]).not.toEqual([seed, "DeciderFailing"]);
    const applied = world.keyed.applied.map(({ operationId }) => operationId);
    expect([seed, new Set(applied).size]).toEqual([seed, applied.length]);
  }
  // Every way was taken often enough to mean something.
  expect(Object.entries(seen).filter(([, times]) => times < 20)).toEqual([]);
});
