// One case from event to end, by turns; fused and unfused writes give the same world.
import { describe, expect, test } from "vitest";
import { key, mortal, newWorld, turnUntilDeath } from "./world.ts";

describe.each([true, false])("with writes fused: %s", (fused) => {
  test("an event becomes a committed case, each effect applied once, in order, and the owner told", async () => {
    const world = newWorld({ fused });
    await world.post(1);
    await world.run();
    expect(world.keyed.applied.map(({ action }) => action)).toEqual([
      "keyed.first.v1",
      "keyed.second.v1",
    ]);
    expect(world.bare.applied.map(({ action }) => action)).toEqual(["mail.tell.v1"]);
    expect(await world.record()).toMatchObject({ status: "done", version: 2 });
    expect((await world.record()).dueAtMs).toBeUndefined();
    expect((await world.effects()).map(({ status }) => status)).toEqual(Array(3).fill("confirmed"));
    expect(await world.reviews()).toEqual([]);
  });

  test("a lost answer under a key is sent again under the same key with the same bytes, and applied once", async () => {
    const world = newWorld({ fused });
    world.keyed.script = ["appliedAndDropped"];
    await world.post(1);
    await world.run();
    const first = world.keyed.received.filter(({ action }) => action === "keyed.first.v1");
    expect(first).toHaveLength(2);
    expect(first[0]?.providerKey).toBe(first[1]?.providerKey);
    expect(first[0]?.payload).toEqual(first[1]?.payload);
    expect(world.keyed.applied).toHaveLength(2);
    expect((await world.record()).status).toBe("done");
  });

  test("a lost answer without any contract is held as unknown, and the case stays committed", async () => {
    const world = newWorld({ fused });
    world.bare.script = ["appliedAndDropped"];
    await world.post(1);
    await world.run();
    expect(world.bare.received).toHaveLength(1);
    expect((await world.effects()).at(-1)).toMatchObject({ status: "unknown" });
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["UnknownEffect"]);
    expect((await world.record()).status).toBe("done");
  });

  test("a provider that turns away is asked again after its Retry-After", async () => {
    const world = newWorld({ fused });
    world.keyed.script = ["turnsAway", "refusesConnection"];
    await world.post(1);
    const startedMs = world.nowMs();
    await world.run();
    expect(world.nowMs() - startedMs).toBeGreaterThanOrEqual(2000);
    expect(world.keyed.received).toHaveLength(4);
    expect(world.keyed.applied).toHaveLength(2);
    expect((await world.record()).status).toBe("done");
  });

  test("a refusal ends the plan, cancels the rest, and is decided on once more", async () => {
    const world = newWorld({
      fused,
      decide: ({ effects, version }) =>
        version > 1
          ? { kind: "hold", why: `${effects.length} effects stand` }
          : {
              kind: "plan",
              why: "test",
              actions: [
                { action: "keyed.first.v1", target: "T", payload: {} },
                { action: "keyed.second.v1", target: "T", payload: {} },
              ],
              nextStatus: "done",
              notifications: [],
            },
    });
    world.keyed.script = ["refuses"];
    await world.post(1);
    await world.run();
    expect((await world.effects()).map(({ status }) => status)).toEqual(["rejected", "cancelled"]);
    expect(await world.record()).toMatchObject({
      status: "open",
      version: 2,
      held: { reason: "DecisionHeld" },
    });
    expect(world.keyed.applied).toEqual([]);
  });
});

describe("what a case costs", () => {
  test("is one batch more than its effects, outbox included", async () => {
    const world = newWorld();
    await world.post(1);
    await world.run();
    expect(await world.effects()).toHaveLength(3);
    expect(world.batches()).toBe(4);
  });

  test("is no second turn: the hint of its calls' deadline is taken back when nothing is due any more", async () => {
    const world = newWorld();
    await world.post(1);
    world.hints.receive("cases")?.complete();
    await world.turn();
    expect(await world.record()).toMatchObject({ status: "done" });
    expect(world.hints.waiting("cases")).toEqual([]);
  });

  test("is nothing for a hint that finds nothing to do", async () => {
    const world = newWorld();
    await world.post(1);
    await world.run();
    const before = world.batches();
    expect(await world.turn()).toEqual({ kind: "idle" });
    expect(world.batches()).toBe(before);
  });
});

describe("a claim", () => {
  test("is written and certain before a byte leaves", async () => {
    const world = newWorld();
    let startedAtSend: string[] = [];
    world.keyed.duringCall = async () => {
      startedAtSend = (await world.effects()).map(({ status }) => status);
      world.keyed.duringCall = undefined;
    };
    await world.post(1);
    await world.turn();
    expect(startedAtSend).toEqual(["started", "prepared"]);
  });

  test("that is uncertain is settled by sending the same batch again; the effect leaves once", async () => {
    const world = newWorld();
    await world.post(1);
    let lost = 0;
    world.cases.hooks = {
      after: ({ operation }) =>
        operation === "write" && (lost += 1) === 1 ? "unanswered" : undefined,
    };
    await world.run();
    expect(lost).toBeGreaterThan(1);
    expect(world.keyed.applied).toHaveLength(2);
    expect(world.keyed.received).toHaveLength(2);
    expect(world.batches()).toBe(4);
    expect((await world.record()).status).toBe("done");
  });

  test("that landed and was overtaken sends nothing, and says so", async () => {
    const world = newWorld();
    await world.post(1);
    let writes = 0;
    const first = world.worker();
    world.cases.hooks = {
      async after({ operation }) {
        if (operation !== "write" || (writes += 1) !== 1) return undefined;
        // The answer is lost; before the batch is sent again somebody else writes the case.
        const { snapshot } = await world.cases.read(key);
        world.cases.plant(key, { ...snapshot.case, lastWriteId: "somebody" } as { id: string });
        return "unanswered";
      },
    };
    await world.turn(first);
    expect(world.keyed.received).toEqual([]);
    await world.run();
    expect(world.keyed.applied).toHaveLength(2);
    expect((await world.record()).status).toBe("done");
  });

  test("is not made without a grant; the case is held visibly, and a grant moves it on", async () => {
    const world = newWorld();
    const revoked = { by: "p", atMs: 0, reason: "test" };
    void world.grants.revoke("acme", "grant:keyed.first.v1", revoked);
    await world.post(1);
    await world.run(world.worker(), 1000);
    expect(world.keyed.received).toEqual([]);
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["NoGrant"]);
    const before = world.batches();
    await world.turn();
    expect(world.batches()).toBe(before);
    const granted = await world.grants.read("acme", "grant:keyed.first.v1");
    if (granted === undefined) throw new Error("no grant");
    const { revoked: _gone, ...again } = granted;
    world.grants.put(again);
    await world.turn();
    expect((await world.record()).status).toBe("done");
    expect(await world.reviews()).toEqual([]);
  });
});

describe("a commit", () => {
  test("is not made on facts that an event changed during the last call of its plan", async () => {
    const world = newWorld();
    world.keyed.duringCall = async ({ action }) => {
      if (action === "keyed.second.v1") await world.post(2);
    };
    await world.post(1);
    await world.turn();
    // Folded first, and decided on anew: this decider asks for the same again, and that is held.
    const record = await world.record();
    expect(record).toMatchObject({ status: "open", held: { reason: "RepeatedIntent" } });
    expect(world.keyed.applied).toHaveLength(2);
    expect(world.bare.applied).toEqual([]);
  });
});

describe("a drain", () => {
  test("stops new claims, lets the case rest, and resumes where it stood", async () => {
    const world = newWorld();
    world.control.draining = true;
    await world.post(1);
    expect(await world.turn()).toEqual({ kind: "draining" });
    expect(world.keyed.received).toEqual([]);
    world.control.draining = false;
    await world.run();
    expect((await world.record()).status).toBe("done");
    expect(world.keyed.applied).toHaveLength(2);
  });
});

describe("a provider's answer", () => {
  test("survives its worker being overtaken: it is left as a finding, and the next turn folds it", async () => {
    const world = newWorld();
    await world.post(1);
    world.keyed.duringCall = async () => {
      world.keyed.duringCall = undefined;
      const { snapshot } = await world.cases.read(key);
      world.cases.plant(key, { ...snapshot.case } as { id: string });
    };
    await world.turn();
    const [first] = await world.effects();
    expect(first?.status).toBe("confirmed");
    await world.run();
    expect(world.keyed.applied).toHaveLength(2);
    expect(world.keyed.received).toHaveLength(2);
    expect((await world.record()).status).toBe("done");
  });

  test("survives a store that answers nothing for a while", async () => {
    const world = newWorld();
    await world.post(1);
    let writes = 0;
    world.cases.hooks = {
      before: ({ operation }) => {
        if (operation !== "write") return undefined;
        writes += 1;
        return writes > 1 && writes < 6 ? "lost" : undefined;
      },
    };
    await world.run();
    expect(world.keyed.applied).toHaveLength(2);
    expect(world.keyed.received).toHaveLength(2);
    expect((await world.record()).status).toBe("done");
  });

  test("is not repeated when every outcome write fails until the worker is gone: unknown, then the key settles it", async () => {
    const world = newWorld();
    await world.post(1);
    let writes = 0;
    world.cases.hooks = {
      before: ({ operation }) =>
        (operation === "write" && (writes += 1) > 1) || operation === "createFinding"
          ? "lost"
          : undefined,
    };
    await expect(world.turn()).rejects.toThrow("could not be recorded");
    expect(world.keyed.applied).toHaveLength(1);
    world.cases.hooks = {};
    await world.run();
    expect(world.keyed.applied).toHaveLength(2);
    expect((await world.record()).status).toBe("done");
  });
});

describe("a worker that dies", () => {
  test.each([
    ["before its claim is written", { boundary: "write", when: "before" }, 2],
    ["after its claim, before the gate", { boundary: "gate", when: "before" }, 2],
    ["after the gate, before the call", { boundary: "send", when: "before" }, 2],
    ["after the provider committed", { boundary: "send", when: "after" }, 3],
    ["after the provider committed the second", { boundary: "send", when: "after", visit: 2 }, 3],
    ["between settlement and commit", { boundary: "look", when: "after" }, 3],
  ] as const)("%s repeats nothing and loses nothing", async (_what, death, sendsMax) => {
    const world = newWorld();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, death));
    await world.run();
    expect(world.keyed.applied.map(({ action }) => action)).toEqual([
      "keyed.first.v1",
      "keyed.second.v1",
    ]);
    expect(world.keyed.received.length).toBeLessThanOrEqual(sendsMax);
    expect(world.bare.applied).toHaveLength(1);
    expect((await world.record()).status).toBe("done");
  });
});

test("a turn whose time is too short for one more call writes what it knows and hands its case on at once", async () => {
  const world = newWorld();
  const ports = () => world.worker({ turnBudgetMs: 24_000 });
  world.keyed.duringCall = () => world.advance(9500);
  await world.post(1);
  world.hints.receive("cases")?.complete();
  expect(await world.turn(ports())).toEqual({ kind: "handedOn" });
  expect(world.keyed.applied).toHaveLength(1);
  const [first] = await world.effects();
  expect(first?.status).toBe("confirmed");
  const goOn = world.hints.receive("cases");
  expect(goOn?.hint).toMatchObject({ reason: "go on" });
  goOn?.complete();
  expect(await world.turn(ports())).toEqual({ kind: "handedOn" });
  await world.run(ports());
  expect([world.keyed.applied, world.bare.applied].map(({ length }) => length)).toEqual([2, 1]);
  expect((await world.record()).status).toBe("done");
});

test("a turn that is overtaken again and again hands its case on, and whoever comes next goes on", async () => {
  const world = newWorld();
  await world.post(1);
  await world.run();
  await world.post(2);
  world.hints.receive("cases")?.complete();
  const record = await world.record();
  world.cases.hooks = {
    before({ operation }) {
      if (operation === "write") world.cases.plant(key, { ...record });
      return undefined;
    },
  };
  expect(await world.turn()).toEqual({ kind: "handedOn" });
  world.cases.hooks = {};
  await world.run();
  expect((await world.record()).facts).toMatchObject({ n: 2 });
});

test("each call names its case, so that its provider's webhook can, and a fence above the last one's", async () => {
  const world = newWorld();
  world.keyed.script = ["appliedAndDropped"];
  await world.post(1);
  await world.run();
  const calls = world.keyed.received.map(({ caseKey, fence }) => ({ caseKey, fence }));
  const caseKey = `${key.tenantId}:${key.caseId}`;
  expect(calls).toEqual([1, 2, 3].map((fence) => ({ caseKey, fence })));
});
