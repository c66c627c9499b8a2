// A case whose worker died is rescued by each of four means, with the other three switched off.
import { describe, expect, test } from "vitest";
import { TerminalFault, TransientFault } from "../../shared/domain/faults.ts";
import { advanceCase } from "../../shared/flow/turn/advance-case.ts";
import { reconcileEffects } from "../../shared/flow/wake/reconcile-effects.ts";
import { sweepDue } from "../../shared/flow/wake/sweep-due.ts";
import { event, receiptFor } from "../domain/situations.ts";
import { Killed, key, mortal, newWorld, turnUntilDeath, type World } from "./world.ts";

const boundaries = [
  ["before its claim", { boundary: "write", when: "before" }],
  ["in mid-call, applied", { boundary: "send", when: "after" }],
  ["between settlement and commit", { boundary: "look", when: "after" }],
  ["before the outbox was told", { boundary: "gate", when: "before", visit: 3 }],
] as const;

/** Every message is lost: those that are there, and those to come. */
function dropHints(world: World): void {
  world.hints.beforeSend = () => Promise.reject(new Error("unplugged"));
  for (
    let delivery = world.hints.receive("cases");
    delivery;
    delivery = world.hints.receive("cases")
  ) {
    delivery.complete();
  }
}

/** Takes a hint to be scheduled, and never delivers it. */
const unplugged = () => Promise.resolve({ cancel: () => Promise.resolve() });

/** The provider's own word about the first effect, as intake stores it. */
async function reportReceipt(world: World): Promise<void> {
  const [effect] = await world.effects();
  if (effect === undefined) throw new Error("no effect");
  await world.report(receiptFor(effect));
}

const exactly = (world: World) => async () => ({
  ...(await world.control.read()),
  storeMs: world.nowMs(),
});

/** Committed, each effect applied once; and the owner was told, or nobody can prove it and a person knows. */
async function expectDone(world: World): Promise<void> {
  expect(await world.record()).toMatchObject({ status: "done" });
  expect(world.keyed.applied).toHaveLength(2);
  const told = (await world.effects()).at(-1);
  const provable = told?.status === "confirmed";
  expect(told).toMatchObject(
    // The mail provider promises nothing: its orphaned attempt may have left, or may leave yet.
    provable ? {} : { status: "unknown", attempts: [{ end: { kind: "orphaned" } }] },
  );
  expect(world.bare.applied).toHaveLength(provable ? 1 : 0);
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(
    provable ? [] : ["UnknownEffect"],
  );
}

describe.each(boundaries)("a worker that died %s", (_where, death) => {
  test("is followed by the sweep alone", async () => {
    const world = newWorld();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, death));
    dropHints(world);
    for (let minute = 0; minute < 5; minute += 1) {
      world.advance(60_000);
      world.hints.beforeSend = undefined;
      await sweepDue(world.worker(), { wallClockMs: world.nowMs() });
      for (const queue of ["reviews", "cases"] as const) {
        const delivery = world.hints.receive(queue);
        if (delivery === undefined) continue;
        const ports = world.worker();
        ports.hints = { send: () => Promise.resolve(), schedule: unplugged };
        await advanceCase(ports, delivery.hint);
        delivery.complete();
      }
    }
    await expectDone(world);
  });
});

describe("a worker that died before its claim", () => {
  test("is followed by the redelivery of its message alone", async () => {
    const world = newWorld();
    await world.post(1);
    world.hints.schedule = unplugged;
    await turnUntilDeath(world, mortal(world, { boundary: "write", when: "before" }));
    const delivery = world.hints.receive("cases");
    expect(delivery?.deliveryCount).toBe(2);
    await world.turn();
    delivery?.complete();
    await expectDone(world);
  });
});

describe("a worker that died with its case's due time written", () => {
  test.each(boundaries.slice(1))(
    "%s is followed by the scheduled hint alone",
    async (_where, death) => {
      const world = newWorld();
      await world.post(1);
      const delivery = world.hints.receive("cases");
      const ports = mortal(world, death);
      await expect(advanceCase(ports, key)).rejects.toBeInstanceOf(Killed);
      delivery?.complete();
      await world.run();
      await expectDone(world);
    },
  );
});

describe("a worker that died in the second call of a turn", () => {
  test("is followed by the hint of the first call alone: who comes too early for the second hints again", async () => {
    const world = newWorld();
    await world.post(1);
    const delivery = world.hints.receive("cases");
    const callMs = 3000;
    world.keyed.duringCall = () => Promise.resolve(world.advance(callMs));
    const ports = mortal(world, { boundary: "send", when: "before", visit: 2 });
    await expect(advanceCase(ports, key)).rejects.toBeInstanceOf(Killed);
    delivery?.complete();
    world.keyed.duringCall = undefined;
    const claimed = await world.record();
    const waiting = world.hints.waiting("cases");
    expect(waiting).toHaveLength(1);
    expect(waiting[0]?.activeAtMs).toBeLessThan(claimed.dueAtMs ?? 0);
    await world.run();
    await expectDone(world);
  });
});

describe("the change feed", () => {
  test("alone moves a case on whose hint was lost", async () => {
    const world = newWorld();
    await world.post(1);
    dropHints(world);
    world.hints.beforeSend = undefined;
    const { documents } = world.cases.changesSince(0);
    const result = await reconcileEffects(world.worker(), documents);
    expect(result).toMatchObject({ cases: 1, hinted: 1, alerts: 0, failed: 0 });
    await world.run();
    await expectDone(world);
  });

  test("alone moves a case on that settled and did not commit", async () => {
    const world = newWorld({ fused: false });
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "look", when: "before", visit: 2 }));
    expect((await world.effects()).map(({ status }) => status)).toEqual(["confirmed", "confirmed"]);
    dropHints(world);
    world.hints.beforeSend = undefined;
    const { documents } = world.cases.changesSince(0);
    await reconcileEffects(world.worker(), documents);
    await world.run();
    await expectDone(world);
  });

  test("never wakes itself: what it reads of a settled case makes no hint and no write", async () => {
    const world = newWorld();
    await world.post(1);
    await world.run();
    const before = world.batches();
    const { documents } = world.cases.changesSince(0);
    const result = await reconcileEffects(world.worker(), documents);
    expect(result).toMatchObject({ hinted: 0, alerts: 0 });
    expect(world.batches()).toBe(before);
  });

  test("parks one bad document and still looks at the others", async () => {
    const world = newWorld();
    await world.post(1);
    const { documents } = world.cases.changesSince(0);
    const broken = [
      null,
      7,
      { type: "event", tenantId: "acme" },
      { type: "effect", tenantId: "A:B", caseId: "x" },
    ];
    const result = await reconcileEffects(world.worker(), [...broken, ...documents]);
    expect(result).toMatchObject({ cases: 1, hinted: 1, failed: 0 });
  });

  test("passes over a case that cannot be read, and wakes the next", async () => {
    const world = newWorld();
    await world.post(1);
    const { documents } = world.cases.changesSince(0);
    const ports = world.worker();
    const read: typeof ports.cases.read = async (asked) => {
      if (asked.caseId === "broken") throw new TerminalFault("it cannot be read");
      return world.cases.read(asked);
    };
    const broken = { type: "effect", tenantId: "acme", caseId: "broken" };
    const cases = { ...ports.cases, read };
    const result = await reconcileEffects({ ...ports, cases }, [broken, ...documents]);
    expect(result).toMatchObject({ cases: 2, hinted: 1, failed: 1 });
  });

  test("that saw only the last of several quick changes finds every notification there (cases.md 35)", async () => {
    const tell = (text: string) => [
      { action: "mail.tell.v1", target: "a@example.org", payload: { text } },
    ];
    const world = newWorld({
      decide: ({ facts }) => {
        const isLast = facts["n"] === 2;
        const nextStatus = isLast ? "done" : "open";
        const notifications = tell(isLast ? "closed" : "approved");
        const actions = [{ action: "keyed.first.v1", target: isLast ? "T-2" : "T-1", payload: {} }];
        return { kind: "plan", why: "test", actions, nextStatus, notifications };
      },
    });
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "gate", when: "before", visit: 2 }));
    world.advance(60_000);
    await world.post(2);
    dropHints(world);
    world.hints.beforeSend = undefined;
    await reconcileEffects(world.worker(), world.cases.changesSince(0).documents);
    await world.run();
    expect((await world.record()).status).toBe("done");
    const told = (await world.effects()).filter(({ origin }) => origin === "outbox");
    expect(told.map(({ payload }) => payload?.["text"])).toEqual(["approved", "closed"]);
  });

  test("leaves what nobody can repair in one review, and comes to rest (cases.md 36)", async () => {
    const world = newWorld();
    world.bare.script = ["swallowed"];
    await world.post(1);
    await world.run();
    const before = world.batches();
    let position = 0;
    let hinted = 0;
    for (let round = 0; round < 12; round += 1) {
      world.advance(5000);
      const changed = world.cases.changesSince(position);
      position = changed.position;
      hinted += (await reconcileEffects(world.worker(), changed.documents)).hinted;
      await world.run(world.worker(), 1000);
    }
    expect(world.batches() - before).toBeLessThanOrEqual(2);
    expect(hinted).toBeLessThanOrEqual(1);
    expect((await world.reviews()).map(({ id, kind }) => `${kind} ${id}`)).toHaveLength(1);
  });

  test.each([
    ["leaves alone", (): void => {}, 0],
    ["reads and wakes, its time being over,", (world: World): void => world.advance(60_000), 1],
    ["reads and wakes, a finding having come,", reportReceipt, 1],
  ] as const)("%s a case whose call is in flight", async (_what, happens, expected) => {
    const world = newWorld();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "send", when: "before" }));
    await happens(world);
    let reads = 0;
    world.cases.hooks = {
      before({ operation }) {
        if (operation === "read") reads += 1;
        return undefined;
      },
    };
    const { documents } = world.cases.changesSince(0);
    const { hinted } = await reconcileEffects(world.worker(), documents);
    expect({ reads, hinted }).toEqual({ reads: expected, hinted: expected });
  });

  test("alerts on an effect that is ahead of its case", async () => {
    const world = newWorld();
    await world.post(1);
    await world.run();
    const record = await world.record();
    const behind = { ...record, version: 0 };
    world.cases.plant(key, behind);
    const { documents } = world.cases.changesSince(0);
    const result = await reconcileEffects(world.worker(), documents);
    expect(result.alerts).toBeGreaterThan(0);
  });
});

describe("the sweep", () => {
  test("puts a stale started effect into queue reviews", async () => {
    const world = newWorld();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "send", when: "after" }));
    world.advance(60_000);
    const result = await sweepDue(world.worker(), { wallClockMs: world.nowMs() });
    expect(result).toMatchObject({ toReviews: 1, toCases: 0 });
    expect(world.hints.waiting("reviews").map(({ hint }) => hint.caseId)).toEqual([key.caseId]);
  });

  test("wakes what has come due behind two hundred that nobody can move", async () => {
    const world = newWorld();
    const stuck = Array.from({ length: 200 }, (_, n) => ({
      tenantId: key.tenantId,
      caseId: `${"b".repeat(22)}${String(n).padStart(4, "0")}`.replaceAll(/[019]/g, "z"),
    }));
    await Promise.all(
      stuck.map((one, n) =>
        world.cases.createEvent({ ...event(1), ...one, id: `event:src:s${n}`, dueAtMs: n }),
      ),
    );
    await world.cases.createEvent({ ...event(1), dueAtMs: world.nowMs() - 1000 });
    await sweepDue(world.worker(), { wallClockMs: world.nowMs() });
    const woken = Array.from({ length: 300 }, () => world.hints.receive("cases")?.hint.caseId);
    expect(woken).toContain(key.caseId);
  });

  test("wakes through one queue what it can, when the other takes nothing, and says so", async () => {
    const world = newWorld();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "send", when: "after" }));
    const other = { ...key, caseId: "b".repeat(26) };
    const dueAtMs = world.nowMs() + 30_000;
    await world.cases.createEvent({ ...event(1), ...other, dueAtMs });
    world.advance(60_000);
    let refused = 0;
    world.hints.beforeSend = (queue) => {
      if (queue === "cases") return;
      refused += 1;
      throw new TransientFault("the entity is disabled");
    };
    await expect(sweepDue(world.worker(), { wallClockMs: world.nowMs() })).rejects.toThrow(
      TransientFault,
    );
    expect(world.hints.waiting("cases").map(({ hint }) => hint.caseId)).toContain(other.caseId);
    expect(refused).toBe(1);
  });

  test("twice in one minute sends one message, and none for a call that still runs", async () => {
    const world = newWorld();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "send", when: "after" }));
    expect(await sweepDue(world.worker(), { wallClockMs: world.nowMs() })).toMatchObject({
      due: 0,
    });
    world.advance(60_000);
    await sweepDue(world.worker(), { wallClockMs: world.nowMs() });
    await sweepDue(world.worker(), { wallClockMs: world.nowMs() });
    expect(world.hints.waiting("reviews")).toHaveLength(1);
  });

  test("wakes nobody whose time a turn does not see yet: it would use up the minute's one message", async () => {
    const world = newWorld();
    world.keyed.script = ["appliedAndDropped"];
    await world.post(1);
    world.hints.schedule = unplugged;
    await world.run();
    const { dueAtMs = 0 } = await world.record();
    world.advance(dueAtMs - world.nowMs());
    // What the sweep knows of the store's time has aged since it was read; a turn reads a header of whole seconds.
    const control = { ...world.control, read: exactly(world) };
    for (let sweep = 0; sweep < 25; sweep += 1) {
      await sweepDue(world.worker({ control }), { wallClockMs: dueAtMs });
      await world.run(world.worker(), 0);
      world.advance(100);
    }
    await expectDone(world);
  });

  test("of two at once, with a case that only a person can move, opens one review (cases.md 74)", async () => {
    const world = newWorld();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "send", when: "after", visit: 3 }));
    dropHints(world);
    world.hints.beforeSend = undefined;
    world.advance(2 * 3_600_000);
    const wallClockMs = world.nowMs();
    await Promise.all([
      sweepDue(world.worker(), { wallClockMs }),
      sweepDue(world.worker(), { wallClockMs: wallClockMs + 61_000 }),
    ]);
    await Promise.all([world.turn(), world.turn()]);
    await world.run();
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["UnknownEffect"]);
    expect(world.bare.received).toHaveLength(1);
  });

  test("with a wall clock five minutes fast resends nothing", async () => {
    const world = newWorld();
    world.keyed.duringCall = async () => {
      await sweepDue(world.worker(), { wallClockMs: world.nowMs() + 300_000 });
      for (const queue of ["reviews", "cases"] as const) {
        const delivery = world.hints.receive(queue);
        if (delivery === undefined) continue;
        await advanceCase(world.worker(), delivery.hint);
        delivery.complete();
      }
    };
    await world.post(1);
    await world.run();
    await expectDone(world);
    expect(world.keyed.received).toHaveLength(2);
  });
});
