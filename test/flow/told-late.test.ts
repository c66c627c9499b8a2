// What is told late, or in another order than it happened: an attempt's own end after the next attempt, a report before it, and a
// person's word that waits beside them. What is known in the end does not depend on the order in which it came.
import { describe, expect, test } from "vitest";
import type { Decision, SendRequest, Workflow } from "../../shared/domain/definitions.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import { planOf, receiptFor } from "../domain/situations.ts";
import { operatorsOf } from "./operate/operators.ts";
import { lookedUp, mortal, newWorld, turnUntilDeath, type World } from "./world.ts";

const credit = { action: "keyed.first.v1", target: "T-1", payload: { amount: "25.00" } };
const bareCredit = { ...credit, action: "bare.first.v1" };
const mail = { action: "mail.tell.v1", target: "a@example.org", payload: { text: "done" } };

/** Asked for once, and for nothing after that. */
const once =
  (action: typeof credit, change: Partial<Decision & { kind: "plan" }> = {}): Workflow["decide"] =>
  ({ version }) =>
    version === 1 ? planOf([action], change) : { kind: "wait", why: "test" };

async function nth(world: World, n = 0): Promise<Effect> {
  const effect = (await world.effects())[n];
  if (effect === undefined) throw new Error("no effect");
  return effect;
}

const openKinds = async (world: World) => (await world.reviews()).map(({ kind }) => kind);

/** The first call is held until `letGo`, and its worker beside it; the turn that ends then is `over`. */
async function firstCallHangs(world: World, provider: World["keyed"]) {
  const held = Promise.withResolvers<void>();
  const called = Promise.withResolvers<void>();
  provider.duringCall = () => {
    provider.duringCall = undefined;
    called.resolve();
    return held.promise;
  };
  await world.post(1);
  const over = world.turn();
  await called.promise;
  return {
    async letGo(): Promise<void> {
      held.resolve();
      await over;
    },
  };
}

describe("a provider that keeps no error under its key, and answers the first call with one after the second was made", () => {
  /** Carries out the first call, keeps nothing of it, and says so. */
  function keepsNoError(world: World): void {
    const { send } = world.keyed;
    world.keyed.send = async (request: SendRequest) => {
      if (world.keyed.received.length > 0) return send(request);
      const { providerKey: _notKept, ...rest } = request;
      await send(rest);
      return { kind: "noAnswer", reason: "500", nothingKept: true };
    };
    world.keyed.script = ["ok", "swallowed"];
  }

  test.each(["during the second call", "after the second call"])(
    "%s: nothing protects a third one, and a person looks",
    async (when) => {
      const world = newWorld({ decide: once(credit) });
      keepsNoError(world);
      const first = await firstCallHangs(world, world.keyed);
      world.advance(15_000);
      await world.turn();
      world.advance(3000);
      if (when === "during the second call") world.keyed.duringCall = () => first.letGo();
      await world.turn();
      await first.letGo();
      await world.run();
      expect(world.keyed.received).toHaveLength(2);
      expect(world.keyed.applied).toHaveLength(1);
      expect(await nth(world)).toMatchObject({ status: "unknown" });
      expect(await openKinds(world)).toEqual(["UnknownEffect"]);
    },
  );
});

test("a worker that was frozen behind its gate, and is told of in the last part of a second: its call is not made again before its horizon is over", async () => {
  const world = newWorld({ decide: once(credit), fused: false });
  lookedUp(world.keyed);
  world.keyed.script = ["appliesLate"];
  const first = await firstCallHangs(world, world.keyed);
  world.advance(30_000);
  await world.turn();
  world.advance(900);
  const landsAtMs = world.nowMs() + world.keyed.contract.horizonMs;
  await first.letGo();
  await world.turn();
  // The clock goes on within a turn, as clocks do; an event that says nothing new is a write before the look.
  world.advance(landsAtMs - 900 - world.nowMs());
  await world.post(2, { n: 1 });
  const slow = world.worker({
    async at(_boundary, act) {
      const result = await act();
      world.advance(3);
      return result;
    },
  });
  await world.turn(slow);
  world.advance(landsAtMs - world.nowMs());
  world.applyLate();
  await world.run();
  expect(world.keyed.received).toHaveLength(1);
  expect(world.keyed.applied).toHaveLength(1);
  expect(await nth(world)).toMatchObject({ status: "confirmed" });
});

test("an effect that a person gives up just as its own refusal comes is refused: the word is judged by all that is known", async () => {
  const world = newWorld({ decide: once(bareCredit) });
  world.bare.script = ["refuses"];
  const first = await firstCallHangs(world, world.bare);
  world.advance(15_000);
  await world.turn();
  const [review] = await world.reviews();
  await operatorsOf(world).resolve(review?.id ?? "", { how: "abandon" });
  world.advance(2000);
  await first.letGo();
  await world.run();
  expect(await nth(world)).toMatchObject({ status: "rejected", settledBy: "finding" });
  expect(await openKinds(world)).toEqual([]);
});

test.each(["before", "after"])(
  "what a report says was done is a contradiction if nothing of it ever left, also if it is folded %s the worker tells that",
  async (order) => {
    const world = newWorld({ decide: once(credit) });
    const worker = world.worker({
      async at(boundary, act) {
        if (boundary === "gate") {
          await world.report(receiptFor(await nth(world), "keyed-7"));
          if (order === "before") await world.turn();
        }
        return act();
      },
    });
    await world.post(1);
    await world.turn(worker);
    await world.run();
    expect(world.keyed.received).toEqual([]);
    expect(await nth(world)).toMatchObject({ status: "confirmed" });
    expect(await openKinds(world)).toEqual(["Contradiction"]);
  },
);

test("what a provider answered is durable before a decider is asked what comes next", async () => {
  const world = newWorld({ decide: once(bareCredit, { nextStatus: "open" }) });
  await world.post(1);
  await turnUntilDeath(world, mortal(world, { boundary: "decide", when: "before", visit: 2 }));
  expect(await nth(world)).toMatchObject({ status: "confirmed", settledBy: "attempt" });
});

describe("a notification that was accepted and did not reach anybody", () => {
  test("is shown to a person if its own answer says so", async () => {
    const world = newWorld({ decide: once(credit, { notifications: [mail] }) });
    const { send } = world.bare;
    world.bare.send = async (request) => {
      const answer = await send(request);
      if (answer.kind !== "receipt") return answer;
      return { ...answer, receipt: { ...answer.receipt, stage: "failed" } };
    };
    await world.post(1);
    await world.run();
    expect(await nth(world, 1)).toMatchObject({ status: "confirmed" });
    expect(await openKinds(world)).toEqual(["NotificationFailed"]);
  });

  test("is shown to a person if it was taken for not sent, beside that contradiction", async () => {
    const world = newWorld({ decide: once(credit, { notifications: [mail] }) });
    world.bare.script = ["turnsAway"];
    await world.post(1);
    await world.turn();
    await world.report({ ...receiptFor(await nth(world, 1), "bare-1"), stage: "failed" });
    await world.run();
    expect(world.bare.received).toHaveLength(1);
    expect((await openKinds(world)).toSorted()).toEqual(["Contradiction", "NotificationFailed"]);
  });
});
