// Failures that others have reported in public, by their number in cases.md: what goes wrong on the way to a provider and
// back. Those that belong to one module are tested beside it; `grep -rn "cases.md 45" test` finds each.
import { describe, expect, test } from "vitest";
import { attemptLimits } from "../../shared/domain/decisions/recover.ts";
import type { Workflow } from "../../shared/domain/definitions.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Receipt } from "../../shared/domain/records/evidence.ts";
import { sweepDue } from "../../shared/flow/wake/sweep-due.ts";
import { planOf, receiptFor } from "../domain/situations.ts";
import { key, mortal, newWorld, turnUntilDeath, type World } from "./world.ts";

const bareCall = { action: "bare.first.v1", target: "T-1", payload: { amount: "25.00" } };
const keyedCall = { action: "keyed.first.v1", target: "T-1", payload: { amount: "25.00" } };
const once =
  (call: typeof bareCall): Workflow["decide"] =>
  ({ version }) =>
    version === 1 ? planOf([call]) : { kind: "hold", why: "a person decides" };

const statuses = async (world: World) => (await world.effects()).map(({ status }) => status);
const reviewKinds = async (world: World) => (await world.reviews()).map(({ kind }) => kind);

async function only(world: World): Promise<Effect> {
  const [effect, ...others] = await world.effects();
  if (effect === undefined || others.length > 0) throw new Error("not one effect");
  return effect;
}

/** The provider's own webhook, as intake records it. */
async function reported(world: World, change: Partial<Receipt> = {}): Promise<void> {
  const effect = await only(world);
  const receipt = { ...receiptFor(effect, `${effect.provider}-1`), ...change };
  await world.report(receipt);
  await world.turn();
}

describe("a worker whose session lock is lost in mid-call (cases.md 18)", () => {
  test("sends once; the second worker repeats nothing, and the first one's late answer is evidence", async () => {
    const world = newWorld({ decide: once(bareCall) });
    world.bare.duringCall = async () => {
      world.bare.duringCall = undefined;
      world.advance(61_000);
      await world.turn();
      expect(await statuses(world)).toEqual(["unknown"]);
    };
    await world.post(1);
    await world.turn();
    await world.run();
    expect(world.bare.received).toHaveLength(1);
    expect(await only(world)).toMatchObject({ status: "confirmed", settledBy: "finding" });
    const fences = (await world.cases.history(key))?.log.map(({ fence }) => fence) ?? [];
    expect(fences).toEqual(fences.toSorted((a, b) => a - b));
  });

  test("under a key sends the same key again at most, and it is applied once", async () => {
    const world = newWorld({ decide: once(keyedCall) });
    world.keyed.duringCall = async () => {
      world.keyed.duringCall = undefined;
      world.advance(61_000);
      await world.turn();
    };
    await world.post(1);
    await world.turn();
    await world.run();
    expect(world.keyed.applied).toHaveLength(1);
    expect(new Set(world.keyed.received.map(({ providerKey }) => providerKey)).size).toBe(1);
    expect(await statuses(world)).toEqual(["confirmed"]);
    expect((await only(world)).contradicted).toBeUndefined();
  });
});

describe("an adapter whose promise rejects late (cases.md 24)", () => {
  test("is waited for, and proves nothing: the effect is unknown, shown, and not sent again", async () => {
    const world = newWorld({ decide: once(bareCall) });
    const { send } = world.bare;
    world.bare.send = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error("an event callback threw");
    };
    await world.post(1);
    await world.run();
    world.bare.send = send;
    await world.turn();
    expect(await statuses(world)).toEqual(["unknown"]);
    expect(await reviewKinds(world)).toEqual(["UnknownEffect"]);
    expect(world.bare.received).toEqual([]);
  });
});

describe("a host that is stopped three times during one case (cases.md 25)", () => {
  test("before, during and after the call: no double effect, and the log names each step", async () => {
    const world = newWorld();
    await world.post(1);
    const deaths = [
      { boundary: "send", when: "before" },
      { boundary: "send", when: "after" },
      { boundary: "look", when: "before" },
    ] as const;
    let stops = 0;
    for (const death of deaths) {
      for (let turns = 0, stopped = false; turns < 3 && !stopped; turns += 1) {
        const ended = world.turn(mortal(world, death));
        stopped = await ended.then(() => false).catch(() => true);
        if (stopped) stops += 1;
        world.advance(60_000);
      }
    }
    expect(stops).toBe(3);
    await world.run();
    expect(world.hints.deadLetters("cases")).toEqual([]);
    expect(world.keyed.applied).toHaveLength(2);
    expect(await world.record()).toMatchObject({ status: "done" });
    const [first] = await world.effects();
    expect(first?.attempts.map(({ end }) => end?.kind)).toEqual([
      "orphaned",
      "orphaned",
      "receipt",
    ]);
  });
});

describe("an old message, long after everything that remembers messages has forgotten it (cases.md 32)", () => {
  test("finds the ledger as it was, calls nobody, and writes nothing", async () => {
    const world = newWorld();
    await world.post(1);
    await world.run();
    const before = { batches: world.batches(), effects: await world.effects() };
    world.advance(15 * 24 * 3_600_000);
    await world.hints.send("cases", { ...key, hintId: "resubmitted", reason: "dead letter" });
    await world.post(1);
    await world.run();
    expect({ batches: world.batches(), effects: await world.effects() }).toEqual(before);
    expect(world.keyed.received).toHaveLength(2);
  });
});

describe("a store that takes no outcome until the worker is gone (cases.md 41)", () => {
  test("leaves an effect without a key unknown, and it is not sent again; a report settles it", async () => {
    const world = newWorld({ decide: once(bareCall) });
    await world.post(1);
    let writes = 0;
    world.cases.hooks = {
      before: ({ operation }) =>
        (operation === "write" && (writes += 1) > 1) || operation === "createFinding"
          ? "lost"
          : undefined,
    };
    await expect(world.turn()).rejects.toThrow("could not be recorded");
    expect(await statuses(world)).toEqual(["started"]);
    world.cases.hooks = {};
    await world.run();
    expect(await statuses(world)).toEqual(["unknown"]);
    expect(await reviewKinds(world)).toEqual(["UnknownEffect"]);
    await reported(world);
    expect(await statuses(world)).toEqual(["confirmed"]);
    expect(await reviewKinds(world)).toEqual([]);
    expect(world.bare.received).toHaveLength(1);
  });
});

describe("a provider that commits after its caller gave up (cases.md 42)", () => {
  test("is unknown, never failed, however often the message comes; its report confirms it, done once", async () => {
    const world = newWorld({ decide: once(bareCall) });
    world.bare.script = ["appliesLate"];
    await world.post(1);
    await world.turn();
    world.applyLate();
    for (let n = 0; n < 3; n += 1) {
      world.advance(60_000);
      await world.turn();
    }
    expect(await statuses(world)).toEqual(["unknown"]);
    await reported(world);
    expect(await statuses(world)).toEqual(["confirmed"]);
    expect([world.bare.received.length, world.bare.applied.length]).toEqual([1, 1]);
  });
});

describe("a provider that never gives an answer that proves anything (cases.md 45)", () => {
  test("is asked again under the same key a bounded number of times, and is never taken to have done it", async () => {
    const world = newWorld({ decide: once(keyedCall) });
    world.keyed.script = Array(50).fill("swallowed");
    await world.post(1);
    await world.run(world.worker(), 24 * 3_600_000);
    expect(await statuses(world)).toEqual(["unknown"]);
    expect(await reviewKinds(world)).toEqual(["AttemptsExhausted"]);
    expect(world.keyed.received.length).toBeLessThanOrEqual(attemptLimits.leftMax);
    expect(new Set(world.keyed.received.map(({ providerKey }) => providerKey)).size).toBe(1);
    expect(await world.record()).toMatchObject({ status: "open" });
  });

  test("is not asked again once it says that the key came before with another payload: a person looks at once", async () => {
    const world = newWorld({ decide: once(keyedCall) });
    const reused = {
      kind: "noAnswer",
      reason: "409 idempotency_key_reused",
      keyReused: true,
    } as const;
    let calls = 0;
    world.keyed.send = async () => {
      calls += 1;
      return reused;
    };
    await world.post(1);
    await world.run();
    expect(calls).toBe(1);
    expect(await statuses(world)).toEqual(["unknown"]);
    const [review] = await world.reviews();
    expect(review).toMatchObject({ kind: "UnknownEffect" });
    expect(review?.why).toContain("defect");
  });
});

describe("two actions that are alike and both meant (cases.md 49)", () => {
  test("are two operations with two keys, once each decision names what it repeats", async () => {
    const world = newWorld({
      decide: ({ effects, facts }) => {
        const [done] = effects;
        if (done === undefined) return planOf([keyedCall], { nextStatus: "open" });
        if (facts["n"] !== 2 || effects.length > 1) return { kind: "wait", why: "enough" };
        return planOf([{ ...keyedCall, repeats: done.operationId }]);
      },
    });
    await world.post(1);
    await world.run();
    await world.post(2);
    await world.run();
    expect(world.keyed.applied.map(({ payload }) => payload)).toEqual([
      { amount: "25.00" },
      { amount: "25.00" },
    ]);
    expect(new Set(world.keyed.received.map(({ providerKey }) => providerKey)).size).toBe(2);
  });

  test("of which the first was refused are a new operation, too, and that needs no naming", async () => {
    const world = newWorld({
      decide: ({ effects }) =>
        effects.length > 1 ? { kind: "wait", why: "enough" } : planOf([keyedCall]),
    });
    world.keyed.script = ["refuses"];
    await world.post(1);
    await world.run();
    expect(await statuses(world)).toEqual(["rejected", "confirmed"]);
    const [first, second] = await world.effects();
    expect(first?.operationId).not.toBe(second?.operationId);
  });
});

describe("three recipients, of whom one is refused (cases.md 55)", () => {
  test.each([0, 1, 2])(
    "the one in place %d alone is open; the others are told once",
    async (place) => {
      const to = ["a@example.org", "b@example.org", "c@example.org"];
      const notifications = to.map((target) => ({ ...bareCall, action: "mail.tell.v1", target }));
      const world = newWorld({ decide: () => planOf([], { notifications }) });
      world.bare.script = to.map((_who, n) => (n === place ? "refuses" : "ok"));
      await world.post(1);
      await world.run();
      for (let n = 0; n < 3; n += 1) {
        world.advance(3_600_000);
        await world.turn();
      }
      expect(world.bare.received.map(({ binding }) => binding.target)).toEqual(to);
      expect(world.bare.applied.map(({ target }) => target)).toEqual(
        to.filter((_, n) => n !== place),
      );
      expect(await statuses(world)).toEqual(
        to.map((_, n) => (n === place ? "rejected" : "confirmed")),
      );
      expect(await reviewKinds(world)).toEqual(["NotificationFailed"]);
    },
  );
});

describe("a call that outlives its deadline while a sweeper's clock is fast (cases.md 58)", () => {
  test("is only marked; nobody sends it again, and its owner's late yes is taken", async () => {
    const world = newWorld({ decide: once(bareCall) });
    world.bare.duringCall = async () => {
      world.advance(150_000);
      await sweepDue(world.worker(), { wallClockMs: world.nowMs() + 300_000 });
      const delivery = world.hints.receive("reviews");
      await world.turn();
      delivery?.complete();
      expect(await statuses(world)).toEqual(["unknown"]);
    };
    await world.post(1);
    await world.turn();
    await world.run();
    expect(world.bare.received).toHaveLength(1);
    expect(await only(world)).toMatchObject({ status: "confirmed", settledBy: "finding" });
    expect(await reviewKinds(world)).toEqual([]);
  });
});

describe("a step that sends and then never ends in time (cases.md 59)", () => {
  test("sends once where a repeat would be a second one, and a person is shown it", async () => {
    const world = newWorld({ decide: once(bareCall) });
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "send", when: "after" }));
    for (let attempt = 0; attempt < 5; attempt += 1) {
      world.advance(60_000);
      await world.turn(mortal(world, { boundary: "send", when: "after" }));
    }
    expect(world.bare.received).toHaveLength(1);
    expect(await statuses(world)).toEqual(["unknown"]);
    expect(await reviewKinds(world)).toEqual(["UnknownEffect"]);
  });

  test("under a key repeats that key a bounded number of times; it is applied once, and then a person is shown it", async () => {
    const world = newWorld({ decide: once(keyedCall) });
    await world.post(1);
    for (let attempt = 0; attempt < 100; attempt += 1) {
      await world.turn(mortal(world, { boundary: "send", when: "after" })).catch(() => {});
      world.advance(16 * 60_000);
    }
    expect(world.keyed.applied).toHaveLength(1);
    expect(world.keyed.received.length).toBeLessThanOrEqual(attemptLimits.leftMax);
    expect(await statuses(world)).toEqual(["unknown"]);
    expect(await world.reviews()).toHaveLength(1);
  });
});

describe("a step that fails before anything is sent (cases.md 70)", () => {
  test("never closes its case: after bounded tries a person looks, and nothing counts as done", async () => {
    const world = newWorld();
    world.keyed.script = Array(100).fill("refusesConnection");
    await world.post(1);
    await world.run(world.worker(), 48 * 3_600_000);
    expect(await world.record()).toMatchObject({ status: "open" });
    expect(await statuses(world)).not.toContain("confirmed");
    expect(await reviewKinds(world)).toEqual(["AttemptsExhausted"]);
    expect(world.bare.received).toEqual([]);
  });
});

describe("a model that names its calls itself (cases.md 72)", () => {
  const called = (toolCallId: string, target: string) => ({
    ...keyedCall,
    target,
    id: toolCallId,
    toolCallId,
  });

  test("gives two calls one id: they are two operations", async () => {
    const actions = [called("call_0", "T-1"), called("call_0", "T-2")];
    const world = newWorld({ decide: () => planOf(actions) });
    await world.post(1);
    await world.run();
    expect(world.keyed.applied.map(({ target }) => target)).toEqual(["T-1", "T-2"]);
    expect(JSON.stringify(world.cases.stored(key))).not.toContain("call_0");
  });

  test("gives one call two ids, asked again after a crash: it is one operation", async () => {
    let asked = 0;
    const world = newWorld({ decide: () => planOf([called(`call_${(asked += 1)}`, "T-1")]) });
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "gate", when: "before" }));
    const { operationId } = await only(world);
    const again = newWorld({ decide: () => planOf([called("call_9", "T-1")]) });
    await again.post(1);
    await again.run();
    expect((await only(again)).operationId).toBe(operationId);
    await world.run();
    expect(world.keyed.applied).toHaveLength(1);
  });
});
