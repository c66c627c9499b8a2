// Outages burn no deliveries; a case that kills its workers is parked, and the others go on (cases.md 19, 25).
import { describe, expect, test } from "vitest";
import { TransientFault } from "../../shared/domain/faults.ts";
import { caseKeyText } from "../../shared/domain/identity.ts";
import { advanceCase } from "../../shared/flow/turn/advance-case.ts";
import { pacing } from "../../shared/flow/turn/pacing.ts";
import { handleHint } from "../../shared/flow/wake/handle-hint.ts";
import type { TurnPorts } from "../../shared/flow/turn/turn.ts";
import { event } from "../domain/situations.ts";
import { key, mortal, newWorld, type World } from "./world.ts";

let randoms = 0;
/** As the queue function does it: a throw gives the message back. */
async function deliver(world: World, ports: TurnPorts = world.worker()): Promise<boolean> {
  const delivery = world.hints.receive("cases");
  if (delivery === undefined) return false;
  const { hintId, reason, tries } = delivery.hint;
  const message = { caseKey: caseKeyText(delivery.hint), hintId, reason, ...(tries && { tries }) };
  try {
    await handleHint(ports, message, {
      queue: "cases",
      deliveryCount: delivery.deliveryCount,
      wallClockMs: world.nowMs(),
      random: () => `r${(randoms += 1)}`,
    });
    delivery.complete();
  } catch {
    delivery.abandon();
  }
  return true;
}

async function deliverAll(world: World, ports?: TurnPorts, deliveriesMax = 200): Promise<void> {
  for (let n = 0; n < deliveriesMax; n += 1) {
    if (await deliver(world, ports)) continue;
    const nextMs = world.hints.nextActiveAtMs("cases");
    if (nextMs === undefined) return;
    world.advance(Math.max(0, nextMs - world.nowMs()));
  }
}

test("grants that cannot be read for forty minutes park no case: its workers live, and it goes on", async () => {
  const world = newWorld();
  const endMs = world.nowMs() + 40 * 60_000;
  let tries = 0;
  const ports = world.worker({
    grants: {
      ...world.grants,
      async candidates(wanted) {
        tries += 1;
        if (world.nowMs() < endMs) throw new TransientFault("down");
        return world.grants.candidates(wanted);
      },
    },
  });
  await world.post(1);
  await deliverAll(world, ports);
  expect(tries).toBeLessThan(40);
  expect(await world.record()).toMatchObject({ status: "done" });
  expect(await world.record()).not.toHaveProperty("held");
  expect(world.keyed.applied).toHaveLength(2);
});

describe("a store that does not answer", () => {
  test("for half an hour puts the look off with a growing wait, and costs no delivery", async () => {
    const world = newWorld();
    await world.post(1);
    const startedMs = world.nowMs();
    let tries = 0;
    world.cases.hooks = {
      before: ({ operation }) => {
        if (operation !== "read" || world.nowMs() - startedMs > 1_800_000) return undefined;
        tries += 1;
        throw new TransientFault("down");
      },
    };
    await deliverAll(world);
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThan(40);
    expect(world.hints.deadLetters("cases")).toEqual([]);
    expect((await world.record()).status).toBe("done");
    expect(world.keyed.applied).toHaveLength(2);
  });

  test("to any write costs no delivery either, and nothing is sent meanwhile", async () => {
    const world = newWorld();
    await world.post(1);
    const endMs = world.nowMs() + 1_800_000;
    world.cases.hooks = {
      before: ({ operation }) =>
        operation === "write" && world.nowMs() < endMs ? "lost" : undefined,
    };
    world.keyed.duringCall = () => expect(world.nowMs()).toBeGreaterThanOrEqual(endMs);
    await deliverAll(world);
    expect(world.hints.deadLetters("cases")).toEqual([]);
    expect((await world.record()).status).toBe("done");
    expect(world.keyed.applied).toHaveLength(2);
  });

  test("gets each look under an id of its own, so that no broker takes it for the last one (cases.md 22)", async () => {
    const world = newWorld();
    await world.post(1);
    const ids: string[] = [];
    world.hints.beforeSend = (_queue, { hintId }) => void ids.push(hintId);
    let looks = 0;
    world.cases.hooks = {
      before: ({ operation }) => {
        if (operation === "read" && (looks += 1) <= 4) throw new TransientFault("down");
        return undefined;
      },
    };
    const startedMs = world.nowMs();
    await deliverAll(world);
    expect(world.nowMs() - startedMs).toBeLessThan(10 * 60_000);
    expect(ids.length).toBeGreaterThanOrEqual(4);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await world.record()).status).toBe("done");
  });
});

describe("a case that kills its workers", () => {
  test("is parked in a review with the reason, before its message is a dead letter", async () => {
    const world = newWorld();
    await world.post(1);
    const frail = world.worker({
      async at(name, act) {
        if (name === "decide") throw new Error("out of memory");
        return act();
      },
    });
    await deliverAll(world, frail);
    expect(world.hints.deadLetters("cases")).toEqual([]);
    expect((await world.record()).held?.reason).toBe("Poison");
    expect((await world.reviews()).map(({ why }) => why)[0]).toContain("deliveries in a row");
  });

  test("is parked while fifty others around it are carried through (cases.md 19)", async () => {
    const world = newWorld();
    const names = "abcdefghijklmnopqrstuvwxyz".split("");
    const keys = ["a", "b"].flatMap((first) =>
      names.map((name) => ({ ...key, caseId: (first + name).padEnd(26, "z") })),
    );
    const poison = keys[31] ?? key;
    for (const one of keys) {
      await world.cases.createEvent({ ...event(1), ...one, dueAtMs: world.nowMs() + 15_000 });
      await world.hints.send("cases", { ...one, hintId: one.caseId, reason: "event" });
    }
    let deaths = 0;
    const workflow = world.book.workflow("test-flow");
    if (workflow === undefined) throw new Error("no workflow");
    const { fold } = workflow;
    workflow.fold = (facts, folded, options) => {
      if (folded.caseId !== poison.caseId) return fold(facts, folded, options);
      deaths += 1;
      throw new Error("out of memory");
    };
    await deliverAll(world, undefined, 2000);
    const ends = await Promise.all(
      keys.map(async (one) => (await world.cases.read(one)).snapshot.case),
    );
    expect(ends.filter((record) => record?.status === "done")).toHaveLength(51);
    expect(ends[31]?.held?.reason).toBe("Poison");
    expect(deaths).toBeLessThan(10);
    expect(world.hints.deadLetters("cases")).toEqual([]);
  });

  test("in its very first fold is parked, too, with nothing of it folded", async () => {
    const world = newWorld();
    await world.post(1);
    const workflow = world.book.workflow("test-flow");
    if (workflow === undefined) throw new Error("no workflow");
    workflow.fold = () => {
      throw new Error("boom");
    };
    await deliverAll(world);
    expect(world.hints.deadLetters("cases")).toEqual([]);
    expect((await world.record()).held?.reason).toBe("Poison");
    const { snapshot } = await world.cases.read(key);
    expect(snapshot.events).toHaveLength(1);
  });

  test("and whose message never counts, because its worker's connection is lost, is parked all the same", async () => {
    const world = newWorld();
    await world.post(1);
    let deaths = 0;
    for (let n = 0; n < 60; n += 1) {
      world.advance(1000);
      const frail = mortal(world, { boundary: "decide", when: "before" });
      const delivery = world.hints.receive("cases");
      await advanceCase(frail, key).catch(() => (deaths += 1));
      delivery?.complete();
      await world.hints.send("cases", { ...key, hintId: `again-${n}`, reason: "test" });
    }
    expect((await world.record()).held?.reason).toBe("Poison");
    expect(deaths).toBeLessThan(20);
  });

  test("counts anew once a turn has written: only deaths in a row are counted", async () => {
    const world = newWorld();
    await world.post(1);
    let deaths = 0;
    const frail = world.worker({
      async at(name, act) {
        if (name === "decide" && (deaths += 1) <= 2) throw new Error("out of memory");
        return act();
      },
    });
    await deliverAll(world, frail);
    expect(await world.record()).toMatchObject({ status: "done" });
    expect((await world.record()).crashes).toBeUndefined();
  });
});

test("a case that only waits for a grant is looked at late again and again, and never parked", async () => {
  const world = newWorld();
  await world.grants.revoke("acme", "grant:keyed.first.v1", { by: "p", atMs: 0, reason: "test" });
  await world.post(1);
  await world.turn();
  for (let look = 0; look < 8; look += 1) {
    world.advance(16 * 60_000);
    await world.turn();
  }
  expect((await world.record()).held).toBeUndefined();
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["NoGrant"]);
  expect(world.keyed.received).toEqual([]);
});

test("a case whose provider is busy is looked at late again and again, and never parked", async () => {
  const world = newWorld();
  const pace = pacing(world.nowMs, { concurrencyMax: 1, silencesMax: 9, coolMs: 1000 });
  const place = pace.admit("keyed");
  await world.post(1);
  for (let look = 0; look < 8; look += 1) {
    world.advance(60_000);
    expect(await world.turn(world.worker({ pacing: pace }))).toMatchObject({ kind: "waiting" });
  }
  expect((await world.record()).held).toBeUndefined();
  if (place.kind === "go") place.done({ kind: "notSent", reason: "test" });
  await world.run(world.worker({ pacing: pace }));
  expect((await world.record()).status).toBe("done");
});
