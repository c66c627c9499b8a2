// Providers and adapters that behave as nobody planned: what they say is bounded, believed only where it binds, and never lost.
import { describe, expect, test } from "vitest";
import type { Decision, Workflow } from "../../shared/domain/definitions.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Answer, Receipt } from "../../shared/domain/records/evidence.ts";
import { reconcileEffects } from "../../shared/flow/wake/reconcile-effects.ts";
import { planOf, receiptFor } from "../domain/situations.ts";
import { ana, operatorsOf } from "./operate/operators.ts";
import { key, newWorld, type World } from "./world.ts";

const planWith = (action: string): Decision =>
  planOf([{ action, target: "T-1", payload: { amount: "25.00" } }]);
const once =
  (action: string): Workflow["decide"] =>
  ({ version }) =>
    version === 1 ? planWith(action) : { kind: "wait", why: "test" };

async function first(world: World): Promise<Effect> {
  const [effect] = await world.effects();
  if (effect === undefined) throw new Error("no effect");
  return effect;
}

async function report(world: World, providerId: string, change: Partial<Receipt> = {}) {
  await world.report({ ...receiptFor(await first(world), providerId), ...change });
  await world.turn();
}

const openKinds = async (world: World) => (await world.reviews()).map(({ kind }) => kind);

async function see(world: World): Promise<void> {
  for (const { id } of await world.reviews()) {
    await operatorsOf(world).resolve(id, { how: "acknowledge" }, ana);
  }
  await world.turn();
}

test("an adapter that works on the payload in place sends what was frozen each time, and changes no record of it", async () => {
  const world = newWorld({ decide: once("keyed.first.v1") });
  const lookup = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
  const { contract, send } = world.keyed;
  const { idempotency: _none, ...bare } = contract;
  world.keyed.contract = { ...bare, lookup };
  const spoil = (payload: object) => Object.assign(payload, { amount: 0, spoilt: true });
  world.keyed.lookup = async ({ payload }) => {
    spoil(payload);
    return { kind: "absent" };
  };
  world.keyed.script = ["swallowed"];
  world.keyed.send = async (request) => {
    const answer = await send({ ...request, payload: { ...request.payload } });
    spoil(request.payload);
    return answer;
  };
  await world.post(1);
  await world.run();
  const bytes = { amount: "25.00" };
  expect(world.keyed.received.map(({ payload }) => payload)).toEqual([bytes, bytes]);
  expect(await first(world)).toMatchObject({ status: "confirmed", payload: bytes });
  expect((await first(world)).payload).toEqual(bytes);
});

test("a member that has no value, as JavaScript leaves it, costs no receipt", async () => {
  const world = newWorld({ decide: once("bare.first.v1") });
  const { send } = world.bare;
  world.bare.send = async (request) => {
    const answer = await send(request);
    const content = { note: undefined, amount: Number.NaN } as never;
    return answer.kind === "receipt"
      ? { ...answer, receipt: { ...answer.receipt, content } }
      : answer;
  };
  await world.post(1);
  await world.run();
  expect(await first(world)).toMatchObject({ status: "confirmed", settledBy: "attempt" });
});

test("an overtaken worker's receipt is kept, whatever characters and numbers its provider put in it", async () => {
  const world = newWorld({ decide: once("bare.first.v1") });
  const { send } = world.bare;
  world.bare.send = async (request) => {
    const answer = await send(request);
    // Another turn writes the case while the call is out.
    await world.post(2, { n: 1 });
    world.advance(61_000);
    await world.turn();
    const content = { name: "torn \ud800", ["torn key \udc00"]: 1, id: 2 ** 60 };
    return answer.kind === "receipt"
      ? { ...answer, receipt: { ...answer.receipt, content } }
      : answer;
  };
  await world.post(1);
  await world.turn();
  await world.run();
  expect(await first(world)).toMatchObject({ status: "confirmed", settledBy: "finding" });
});

test("a look-up that shows two of ours confirms the one, and a person is shown the other", async () => {
  const world = newWorld({ decide: once("bare.first.v1") });
  const lookup = { by: "search", consistency: "eventual", settleMs: 1000 } as const;
  world.bare.contract = { ...world.bare.contract, lookup };
  world.bare.lookup = async ({ binding }) => {
    const receipt = { stage: "accepted", boundTo: binding, content: {} } as const;
    return {
      kind: "found",
      receipt: { ...receipt, providerId: "B-1" },
      others: [{ ...receipt, providerId: "B-2" }],
    };
  };
  world.bare.script = ["appliedAndDropped"];
  await world.post(1);
  await world.run();
  expect(await first(world)).toMatchObject({
    status: "confirmed",
    receipt: { providerId: "B-1" },
    contradicted: { why: "two receipts with different provider ids" },
  });
  expect(await openKinds(world)).toEqual(["Contradiction"]);
  expect((await world.record()).status).toBe("open");
});

describe("a contradiction that somebody has seen", () => {
  async function contradicted() {
    const world = newWorld({ decide: once("bare.first.v1") });
    await world.post(1);
    await world.run();
    await report(world, "B-2");
    await see(world);
    expect(await openKinds(world)).toEqual([]);
    return world;
  }

  test("is not shown again when the same thing is told again, in another delivery or at a later stage", async () => {
    const world = await contradicted();
    await report(world, "B-2");
    await report(world, "B-2", { stage: "delivered" });
    expect(await openKinds(world)).toEqual([]);
    expect((await world.record()).contradictionsOpen).toBe(0);
  });

  test("hides no third thing that was done under the operation", async () => {
    const world = await contradicted();
    await report(world, "B-3");
    expect(await openKinds(world)).toEqual(["Contradiction"]);
    expect((await world.record()).contradictionsOpen).toBe(1);
    await see(world);
    expect((await world.record()).contradictionsOpen).toBe(0);
  });

  test("of two leaves the other one open: what waits goes on waiting", async () => {
    const world = await contradicted();
    await report(world, "B-3");
    await report(world, "B-4");
    const [one] = await world.reviews();
    await operatorsOf(world).resolve(one?.id ?? "", { how: "acknowledge" }, ana);
    await world.turn();
    expect(await openKinds(world)).toEqual(["Contradiction"]);
    expect((await world.record()).contradictionsOpen).toBe(1);
  });

  test("raises the alarm no more", async () => {
    const world = await contradicted();
    const { documents } = world.cases.changesSince(0);
    expect(await reconcileEffects(world.worker(), documents)).toMatchObject({ alerts: 0 });
    await report(world, "B-3");
    expect(await reconcileEffects(world.worker(), documents)).toMatchObject({ alerts: 1 });
  });
});

describe("a person who says that it happened", () => {
  const happened = { how: "happened", providerId: "P-9" };

  async function stated(answer: Answer, said: { how: string } = happened) {
    const world = newWorld({ decide: once("bare.first.v1") });
    // Frozen behind its gate: everybody else sees an orphaned call.
    world.bare.send = async () => {
      world.advance(61_000);
      await world.turn();
      world.advance(61_000);
      const [review] = await world.reviews();
      await operatorsOf(world).resolve(review?.id ?? "", said);
      await world.turn();
      expect(await first(world)).toMatchObject({ settledBy: "person" });
      return answer;
    };
    await world.post(1);
    await world.turn();
    await world.run();
    return world;
  }

  test.each<[string, Answer]>([
    ["that nothing left", { kind: "notSent", reason: "no connection" }],
    ["that it refused", { kind: "refused", reason: "no", speaksForOperation: false }],
  ])("is contradicted by the only attempt's own proof %s", async (_what, answer) => {
    const world = await stated(answer);
    expect(await first(world)).toMatchObject({ status: "confirmed", contradicted: {} });
    expect(await openKinds(world)).toContain("Contradiction");
  });

  test("or rather that it did not, is right when the only attempt proves that nothing left: no alarm", async () => {
    const world = await stated(
      { kind: "notSent", reason: "no connection" },
      { how: "didNotHappen" },
    );
    expect(await first(world)).toMatchObject({ status: "rejected" });
    expect(await openKinds(world)).toEqual([]);
  });

  test("is not contradicted by a call that heard nothing", async () => {
    const world = await stated({ kind: "noAnswer", reason: "reset" });
    expect((await first(world)).contradicted).toBeUndefined();
    expect(await openKinds(world)).toEqual([]);
  });
});

describe("an effect that was accepted and then failed at its goal", () => {
  test("is not built on once a person has seen it: its plan ends, and the next decision is told", async () => {
    const stages: unknown[] = [];
    const world = newWorld({
      decide: ({ effects, version }) => {
        stages.push(effects.map(({ receipt }) => receipt?.stage));
        const plan = planWith("keyed.first.v1");
        if (version > 1 || plan.kind !== "plan") return { kind: "hold", why: "it failed" };
        const second = { action: "keyed.second.v1", target: "T-1", payload: { state: "paid" } };
        return { ...plan, actions: [...plan.actions, second] };
      },
    });
    world.keyed.duringCall = async () => {
      world.keyed.duringCall = undefined;
      await report(world, "keyed-1", { stage: "failed" });
    };
    await world.post(1);
    await world.run();
    expect(await openKinds(world)).toEqual(["NotificationFailed"]);
    expect(world.keyed.received).toHaveLength(1);
    await see(world);
    await world.run();
    expect(world.keyed.received).toHaveLength(1);
    expect((await world.record()).status).toBe("open");
    expect((await world.effects()).map(({ status }) => status)).toEqual(["confirmed", "cancelled"]);
    expect(stages).toEqual([[], ["failed", undefined]]);
  });
});

describe("a deploy between two steps of an effect", () => {
  test("that raises the API version and the contract while nothing of it has left is what it is sent under", async () => {
    const world = newWorld({ decide: once("keyed.first.v1"), approve: ["keyed.first.v1"] });
    await world.post(1);
    await world.turn();
    world.keyed.apiVersion = "v2";
    world.keyed.contract = { ...world.keyed.contract, revision: 2 };
    const [approval] = (await world.cases.read(key)).snapshot.approvals;
    const answer = { answerId: "a", decision: "approve", by: "ana", atMs: world.nowMs() } as const;
    await world.cases.answerApproval(key, { id: approval?.id ?? "", answer });
    await world.turn();
    expect(await first(world)).toMatchObject({
      status: "confirmed",
      apiVersion: "v2",
      contractRevision: 2,
      attempts: [{ n: 1 }],
    });
    expect(world.keyed.received).toHaveLength(1);
  });

  test("that revises the contract after a call was lost sends nothing again: it was promised something else", async () => {
    const world = newWorld({ decide: once("keyed.first.v1") });
    world.keyed.script = ["swallowed"];
    await world.post(1);
    await world.turn();
    world.keyed.contract = { ...world.keyed.contract, revision: 2 };
    await world.run();
    expect(world.keyed.received).toHaveLength(1);
    expect(await openKinds(world)).toEqual(["UnknownEffect"]);
  });

  test("that adds a look-up after a call was lost takes no absence for a proof", async () => {
    const world = newWorld({ decide: once("bare.first.v1") });
    world.bare.script = ["appliedAndDropped"];
    // Its review is opened only by the turn that finds the new contract.
    await world.post(1);
    const lookup = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
    world.bare.duringCall = () => {
      world.bare.contract = { ...world.bare.contract, revision: 2, lookup };
      world.bare.lookup = async () => ({ kind: "absent" });
    };
    await world.run();
    expect(world.bare.received).toHaveLength(1);
    expect(await openKinds(world)).toEqual(["UnknownEffect"]);
  });
});

describe("a provider that refused at once", () => {
  test("and then tells by webhook that it failed says the same twice: no alarm, and the case goes on", async () => {
    const world = newWorld({ decide: once("bare.first.v1") });
    world.bare.script = ["refuses"];
    await world.post(1);
    await world.run();
    await report(world, "B-1", { stage: "failed" });
    expect(await first(world)).toMatchObject({ status: "rejected" });
    expect((await first(world)).contradicted).toBeUndefined();
    expect(await openKinds(world)).toEqual([]);
  });

  test("and then tells of a success is contradicted, as ever", async () => {
    const world = newWorld({ decide: once("bare.first.v1") });
    world.bare.script = ["refuses"];
    await world.post(1);
    await world.run();
    await report(world, "B-1", { stage: "delivered" });
    expect(await openKinds(world)).toEqual(["Contradiction"]);
  });
});

describe("a provider that has no account for a tenant any more", () => {
  test.each<[string, () => string]>([
    [
      "throws",
      () => {
        throw new Error("no account");
      },
    ],
    ["gives none", () => undefined as never],
  ])(
    "(%s) keeps no receipt from landing and no case from being read; the rest waits for it in sight",
    async (_what, accountOf) => {
      const world = newWorld();
      const { accountOf: known } = world.keyed;
      world.keyed.script = ["appliedAndDropped"];
      world.keyed.duringCall = () => void (world.keyed.accountOf = accountOf);
      await world.post(1);
      await world.run(world.worker(), 60_000);
      expect(world.keyed.received).toHaveLength(1);
      expect(await openKinds(world)).toEqual(["ProviderRemoved"]);
      await report(world, "keyed-1");
      await world.run(world.worker(), 60_000);
      expect((await world.effects()).map(({ status }) => status)).toEqual([
        "confirmed",
        "prepared",
      ]);
      world.keyed.duringCall = undefined;
      world.keyed.accountOf = known;
      await world.run();
      expect((await world.record()).status).toBe("done");
      expect(world.keyed.applied).toHaveLength(2);
    },
  );

  test("is no reason to lose a decision or a commit", async () => {
    const world = newWorld();
    const { accountOf } = world.bare;
    world.bare.accountOf = () => {
      throw new Error("no account");
    };
    await world.post(1);
    await world.run(world.worker(), 60_000);
    expect((await world.record()).status).toBe("done");
    expect(await openKinds(world)).toEqual(["ProviderRemoved"]);
    world.bare.accountOf = accountOf;
    await world.run();
    expect(world.bare.applied).toHaveLength(1);
  });
});

describe("an operation under which something else was found", () => {
  test("is not sent again because one person had it looked up again", async () => {
    const world = newWorld({ decide: once("keyed.first.v1") });
    const lookup = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
    world.keyed.contract = { ...world.keyed.contract, lookup };
    world.keyed.lookup = async () => ({ kind: "absent" });
    world.keyed.script = ["swallowed"];
    await world.post(1);
    await world.turn();
    const effect = await first(world);
    const boundTo = { ...receiptFor(effect).boundTo, payloadDigest: "another" };
    await report(world, "K-9", { boundTo });
    const [review] = await world.reviews();
    const said = await operatorsOf(world).resolve(review?.id ?? "", { how: "lookAgain" });
    expect(said.status).toBe(409);
    await world.run();
    expect(world.keyed.received).toHaveLength(1);
    expect(await openKinds(world)).toEqual(["EvidenceMismatch"]);
  });
});
