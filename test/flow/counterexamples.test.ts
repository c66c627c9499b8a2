// How an earlier draft of the protocol failed under a model checker, trace by trace (numbers are those of that
// report). Each fails without the rule that cured it: `test/mutants` removes the rule and sees it fail.
import { describe, expect, test } from "vitest";
import { attemptLimits } from "../../shared/domain/decisions/recover.ts";
import type { Decision, DecideView } from "../../shared/domain/definitions.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import { keyContract, planOfTwo, receiptFor } from "../domain/situations.ts";
import { Killed, mortal, newWorld, turnUntilDeath, type World } from "./world.ts";

const retentionMs = 24 * 3_600_000;
const marginMs = 15 * 60_000;

const second = { kind: "plan", why: "the rest", nextStatus: "done", notifications: [] } as const;

/** Asks for what is missing only, as a decider should. */
const decideTheRest = ({ effects, version }: DecideView): Decision =>
  effects.some(({ action, status }) => action === "keyed.first.v1" && status === "confirmed")
    ? { ...second, actions: [{ action: "keyed.second.v1", target: "T-1", payload: { version } }] }
    : planOfTwo;

/** Posts an event while the provider works on a call. */
function eventDuringCall(world: World): void {
  world.keyed.duringCall = async () => {
    world.keyed.duringCall = undefined;
    await world.post(2);
  };
}

test("1: a plan that went stale while its first effect was confirmed is ended, and the case goes on", async () => {
  const world = newWorld({ decide: decideTheRest });
  eventDuringCall(world);
  await world.post(1);
  await world.run();
  expect(await world.record()).toMatchObject({ status: "done" });
  // What was decided on version 1 for the second effect never reached the provider.
  expect(world.keyed.applied.map(({ payload }) => payload)).toEqual([
    { amount: "50.00" },
    { version: 3 },
  ]);
});

test("2: a new decision that asks for the same intent again is held; it is applied once", async () => {
  const world = newWorld({ decide: () => planOfTwo });
  eventDuringCall(world);
  await world.post(1);
  await world.run();
  expect((await world.record()).held?.reason).toBe("RepeatedIntent");
  expect(world.keyed.applied.map(({ action }) => action)).toEqual(["keyed.first.v1"]);
});

test("2: nothing is decided while an effect of the last decision is unknown", async () => {
  let decisions = 0;
  const world = newWorld({
    decide: () => {
      decisions += 1;
      return {
        ...planOfTwo,
        actions: [{ action: "bare.first.v1", target: "T", payload: {} }],
      } as Decision;
    },
  });
  world.bare.script = ["swallowed"];
  await world.post(1);
  await world.run();
  await world.post(2);
  await world.run();
  expect(decisions).toBe(1);
  expect((await world.effects()).map(({ status }) => status)).toEqual(["unknown"]);
});

test("3: an outbox effect tells of its commit although the version has moved on", async () => {
  const world = newWorld();
  world.bare.script = ["refusesConnection"];
  world.bare.duringCall = async () => {
    world.bare.duringCall = undefined;
    await world.post(2);
  };
  await world.post(1);
  await world.run();
  expect(world.bare.applied).toHaveLength(1);
  expect((await world.effects()).at(-1)).toMatchObject({ origin: "outbox", status: "confirmed" });
});

test("4: a refused notification opens a review", async () => {
  const world = newWorld();
  world.bare.script = ["refuses"];
  await world.post(1);
  await world.run();
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["NotificationFailed"]);
});

describe("5: a worker that stalls between its claim and its call", () => {
  test.each(["write", "gate"])(
    "at the %s sends nothing once its time has run out",
    async (boundary) => {
      const world = newWorld();
      let visits = 0;
      const stalling = world.worker({
        async at(name, act) {
          const result = await act();
          if (name === boundary && (visits += 1) === 1) {
            world.advance(20_000);
            await world.turn();
          }
          return result;
        },
      });
      await world.post(1);
      await world.turn(stalling);
      await world.run();
      expect(world.keyed.received.map(({ fence }) => fence)).not.toContain(1);
      expect(world.keyed.applied).toHaveLength(2);
      expect((await world.record()).status).toBe("done");
    },
  );
});

test("5: a worker that is slow between its claim and its call gives the call what is left of its time, and no more", async () => {
  const world = newWorld();
  const slow = world.worker({
    async at(name, act) {
      const result = await act();
      if (name === "gate") world.advance(3000);
      return result;
    },
  });
  await world.post(1);
  await world.turn(slow);
  expect(world.keyed.received[0]?.timeoutMs).toBe(keyContract.callTimeoutMs - 3000);
});

test("a receipt that is folded between the claim and the call stops the call", async () => {
  const world = newWorld();
  world.keyed.script = ["appliedAndDropped"];
  await world.post(1);
  await world.turn();
  world.advance(2000);
  let informed = false;
  const slow = world.worker({
    async at(name, act) {
      if (name === "gate" && !informed) {
        informed = true;
        const [first] = await world.effects();
        if (first === undefined) throw new Error("no effect");
        await reportReceipt(world, first, world.keyed.applied[0]?.providerId);
        await world.turn();
      }
      return act();
    },
  });
  await world.turn(slow);
  await world.run();
  expect(informed).toBe(true);
  expect(world.keyed.received.map(({ action }) => action)).toEqual([
    "keyed.first.v1",
    "keyed.second.v1",
  ]);
  expect((await world.record()).status).toBe("done");
});

test("a receipt for a notification that was judged not sent, arriving between its claim and its call, stops the call", async () => {
  const world = newWorld();
  world.bare.script = ["turnsAway"];
  await world.post(1);
  await world.turn();
  const tell = (await world.effects()).find(({ origin }) => origin === "outbox");
  if (tell === undefined) throw new Error("no notification");
  expect(tell.status).toBe("prepared");
  world.advance(5000);
  const informed = world.worker({
    async at(name, act) {
      if (name === "gate") await reportReceipt(world, tell, "mail-1");
      return act();
    },
  });
  await world.turn(informed);
  await world.run();
  expect(world.bare.received).toHaveLength(1);
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["Contradiction"]);
});

/** The provider's own webhook about an operation, as intake stores it. */
async function reportReceipt(world: World, effect: Effect, providerId?: string): Promise<void> {
  await world.report(receiptFor(effect, providerId));
}

test("6: a key that is pruned between the decision to retry and the call is not used", async () => {
  const world = newWorld();
  world.keyed.script = ["appliedAndDropped"];
  await world.post(1);
  await world.turn();
  world.advance(retentionMs - marginMs - 2000);
  let stalled = false;
  const stalling = world.worker({
    async at(name, act) {
      if (name === "gate" && !stalled) {
        stalled = true;
        world.advance(4000);
      }
      return act();
    },
  });
  await world.turn(stalling);
  await world.run();
  expect(stalled).toBe(true);
  expect(world.keyed.received).toHaveLength(1);
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["UnknownEffect"]);
});

test("7: a grant that is revoked between its reading and the claim stops the send", async () => {
  const world = newWorld();
  world.cases.hooks = {
    before: ({ operation }) => {
      if (operation === "write") {
        void world.grants.revoke("acme", "grant:keyed.first.v1", {
          by: "p",
          atMs: 0,
          reason: "test",
        });
      }
      return undefined;
    },
  };
  await world.post(1);
  await world.run(world.worker(), 60_000);
  expect(world.keyed.received).toEqual([]);
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["NoGrant"]);
});

test("8: not sent proves nothing of an earlier attempt: applied is never shown as cancelled", async () => {
  const world = newWorld();
  world.keyed.script = ["appliedAndDropped", "refusesConnection"];
  await world.post(1);
  await world.turn();
  world.advance(2000);
  await world.turn();
  expect(world.keyed.received).toHaveLength(2);
  await world.post(2);
  await world.run();
  const [first] = await world.effects();
  expect(first?.status).toBe("unknown");
  expect(first?.reviewRef).toBeDefined();
});

test("9: a refusal of a second attempt does not reject what the first may still do", async () => {
  const world = newWorld();
  world.keyed.script = ["appliesLate", "refuses", "refuses", "refuses", "refuses", "refuses"];
  await world.post(1);
  await world.run();
  world.applyLate();
  expect(world.keyed.applied).toHaveLength(1);
  const [first] = await world.effects();
  expect(first?.status).toBe("unknown");
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["AttemptsExhausted"]);
});

test("12: a receipt for a rejected effect keeps the status, contradicts it, and stops the case", async () => {
  const world = newWorld({
    decide: ({ version }) => (version === 1 ? planOfTwo : { kind: "wait", why: "test" }),
  });
  world.keyed.script = ["refuses"];
  await world.post(1);
  await world.run();
  const [first] = await world.effects();
  if (first === undefined) throw new Error("no effect");
  await reportReceipt(world, first);
  await world.turn();
  expect((await world.effects())[0]).toMatchObject({ status: "rejected", contradicted: {} });
  expect((await world.record()).contradictionsOpen).toBe(1);
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["Contradiction"]);
});

test("13: a rejection is a new fact: the same wish gets a new identity, and three in vain are held", async () => {
  const world = newWorld({ decide: () => planOfTwo });
  world.keyed.script = ["refuses", "refuses", "refuses", "refuses"];
  await world.post(1);
  await world.run();
  const first = (await world.effects()).filter(({ action }) => action === "keyed.first.v1");
  expect(new Set(first.map(({ operationId }) => operationId)).size).toBe(3);
  expect((await world.record()).held?.reason).toBe("NoProgress");
  expect(world.keyed.received).toHaveLength(3);
});

test("14: claims that are turned away are bounded, and then a person looks", async () => {
  const world = newWorld();
  world.keyed.script = Array.from({ length: 100 }, () => "refusesConnection");
  await world.post(1);
  await world.run(world.worker(), 48 * 3_600_000);
  expect(world.keyed.received).toHaveLength(attemptLimits.notSentMax);
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["AttemptsExhausted"]);
});

describe("two workers on one case", () => {
  test("at every boundary of the first, a second that runs a whole turn repeats nothing", async () => {
    const boundaries = new Map<string, number>();
    const recorder = newWorld();
    await recorder.post(1);
    await recorder.turn(
      recorder.worker({
        at(name, act) {
          boundaries.set(name, (boundaries.get(name) ?? 0) + 1);
          return act();
        },
      }),
    );
    expect(boundaries.size).toBeGreaterThanOrEqual(7);
    for (const [name, visits] of boundaries) {
      for (let visit = 1; visit <= visits; visit += 1) await interleaveAt(name, visit);
    }
  });
});

async function interleaveAt(boundary: string, visit: number): Promise<void> {
  const world = newWorld();
  let visits = 0;
  let inside = false;
  const first = world.worker({
    async at(name, act) {
      if (name === boundary && (visits += 1) === visit && !inside) {
        inside = true;
        await world.turn();
      }
      return act();
    },
  });
  await world.post(1);
  await world.turn(first);
  await world.run();
  const where = `${boundary} ${visit}`;
  expect([where, world.keyed.received.length]).toEqual([where, 2]);
  expect([where, world.bare.received.length]).toEqual([where, 1]);
  expect([where, (await world.record()).status]).toEqual([where, "done"]);
}

test("a stale worker, whose reads lag, writes nothing over what is newer (cases.md 37)", async () => {
  const world = newWorld();
  await world.post(1);
  await turnUntilDeath(world, mortal(world, { boundary: "send", when: "after" }));
  for (const lagVersions of [1, 2, 3]) {
    const lagging = world.worker({ cases: world.cases.reader({ lagVersions }) });
    await world.turn(lagging).catch((error: unknown) => {
      if (error instanceof Killed) throw error;
    });
  }
  await world.run();
  expect(world.keyed.applied).toHaveLength(2);
  expect((await world.record()).status).toBe("done");
});
