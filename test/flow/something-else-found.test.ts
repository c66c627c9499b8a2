// Under one of our operations the provider tells of something else: another target, another payload. That review is a person's,
// whatever becomes of the attempts.
import { describe, expect, test } from "vitest";
import type { Decision, Workflow } from "../../shared/domain/definitions.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import { notCompared, type Receipt } from "../../shared/domain/records/evidence.ts";
import { keyContract, planOf, receiptFor } from "../domain/situations.ts";
import { operatorsOf } from "./operate/operators.ts";
import { newWorld, type World } from "./world.ts";

const credit = { action: "keyed.first.v1", target: "T-1", payload: { amount: "25.00" } };
const bareCredit = { ...credit, action: "bare.first.v1" };
const mark = { action: "keyed.second.v1", target: "T-1", payload: { state: "paid" } };

/** Asked for once, and for nothing after that. */
const once =
  (...actions: (typeof credit | typeof mark)[]): Workflow["decide"] =>
  ({ version }) =>
    version === 1 ? planOf(actions, { notifications: [] }) : { kind: "wait", why: "test" };

/** Asked for anew whenever it is decided anew. */
const always = (): Decision => planOf([credit], { notifications: [] });

async function first(world: World): Promise<Effect> {
  const [effect] = await world.effects();
  if (effect === undefined) throw new Error("no effect");
  return effect;
}

/** The provider's webhook names our operation, and says something of what it calls `other-n`. */
async function report(world: World, n: number | string, change: Partial<Receipt["boundTo"]>) {
  const effect = await first(world);
  const receipt = receiptFor(effect, typeof n === "string" ? n : `other-${n}`);
  await world.report({ ...receipt, boundTo: { ...receipt.boundTo, ...change } });
}

/** Another amount is told, and folded, while the first call is out. */
function tellDuringCall(world: World, n: number | string = 1): void {
  world.keyed.duringCall = async () => {
    world.keyed.duringCall = undefined;
    await report(world, n, { payloadDigest: "another" });
    await world.turn();
  };
}

const openKinds = async (world: World) => (await world.reviews()).map(({ kind }) => kind);

describe("a report of another amount while the call is out", () => {
  test("to somebody who is told of a commit, and is then lost, is not sent again by its key: a person looks first", async () => {
    const tell = { action: "mail.tell.v1", target: "a@example.org", payload: { text: "done" } };
    const world = newWorld({ decide: () => planOf([], { notifications: [tell] }) });
    world.bare.contract = keyContract;
    world.bare.script = ["swallowed"];
    world.bare.duringCall = async () => {
      world.bare.duringCall = undefined;
      await report(world, 1, { payloadDigest: "another" });
      await world.turn();
    };
    await world.post(1);
    await world.turn();
    await world.run();
    expect(await first(world)).toMatchObject({ status: "unknown" });
    expect(world.bare.received).toHaveLength(1);
    expect(await openKinds(world)).toEqual(["EvidenceMismatch"]);
  });

  test("whose own worker then hears that nothing was done is not sent again: a person looks first", async () => {
    const world = newWorld({ decide: once(credit) });
    world.keyed.script = ["turnsAway"];
    tellDuringCall(world);
    await world.post(1);
    await world.turn();
    await world.run();
    expect(world.keyed.received).toHaveLength(1);
    expect(await first(world)).toMatchObject({ status: "prepared" });
    expect(await openKinds(world)).toEqual(["EvidenceMismatch"]);
  });

  test.each(["refuses", "turnsAway"] as const)(
    "whose system then %s it keeps its case from deciding the same anew, on new facts too, until a person has looked",
    async (behaviour) => {
      const world = newWorld({ decide: always });
      world.keyed.script = [behaviour];
      tellDuringCall(world);
      await world.post(1);
      await world.run();
      await world.post(2, { more: "facts" });
      await world.run();
      expect(world.keyed.received).toHaveLength(1);
      const [review] = await world.reviews();
      const how = behaviour === "refuses" ? "acknowledge" : "abandon";
      await operatorsOf(world).resolve(review?.id ?? "", { how });
      await world.run();
      expect(world.keyed.received).toHaveLength(2);
      expect((await world.record()).status).toBe("done");
      expect(await openKinds(world)).toEqual([]);
    },
  );

  test("does not move the attempt's start, however often it comes: the call is over at its deadline, and its review is one", async () => {
    const world = newWorld({ decide: once(credit) });
    let at: number | undefined;
    world.keyed.script = ["swallowed"];
    world.keyed.duringCall = async () => {
      const startedAtMs = world.nowMs();
      for (let n = 1; n <= 9; n += 1) {
        world.advance(2000);
        await report(world, n, { target: "T-2" });
        await world.turn();
        const { status } = await first(world);
        if (status === "unknown") at ??= world.nowMs() - startedAtMs;
      }
    };
    await world.post(1);
    await world.turn();
    expect(at).toBe(12_000);
    expect(await openKinds(world)).toEqual(["EvidenceMismatch"]);
    await world.run();
    expect(world.keyed.received).toHaveLength(1);
  });
});

test("a report of another amount for an effect that is in review leaves one review of each kind, and the outcome ends only the other", async () => {
  const world = newWorld({ decide: once(bareCredit) });
  world.bare.script = ["appliedAndDropped"];
  await world.post(1);
  await world.run();
  expect(await openKinds(world)).toEqual(["UnknownEffect"]);
  await report(world, 1, { payloadDigest: "another" });
  await report(world, 2, { payloadDigest: "another" });
  await world.turn();
  expect(await openKinds(world)).toEqual(["UnknownEffect", "EvidenceMismatch"]);
  await report(world, 3, {});
  await world.turn();
  expect(await first(world)).toMatchObject({ status: "confirmed" });
  expect(await openKinds(world)).toEqual(["EvidenceMismatch"]);
});

describe("what was told to be something else", () => {
  async function lostAndTold(): Promise<World> {
    const world = newWorld({ decide: once(bareCredit) });
    world.bare.script = ["appliedAndDropped"];
    await world.post(1);
    await world.run();
    await report(world, 1, { payloadDigest: "another" });
    await world.turn();
    return world;
  }

  test("does not confirm by being told again in fewer words; what comes under another id does", async () => {
    const world = await lostAndTold();
    await report(world, 1, {});
    await world.turn();
    expect(await first(world)).toMatchObject({ status: "unknown" });
    expect(await openKinds(world)).toEqual(["UnknownEffect", "EvidenceMismatch"]);
    const [, review] = await world.reviews();
    expect(review).toMatchObject({
      why: "other-1 names another payload",
      providerIds: ["other-1"],
    });
    await report(world, 2, {});
    await world.turn();
    expect(await first(world)).toMatchObject({ status: "confirmed" });
  });

  test("by the call's own answer does not confirm by a report in other words", async () => {
    const world = newWorld({ decide: once(credit) });
    const { send } = world.keyed;
    world.keyed.send = async (request) => {
      await send(request);
      const boundTo = { ...request.binding, payloadDigest: "another" };
      const receipt = { stage: "accepted", providerId: "other-1", boundTo, content: {} } as const;
      return { kind: "receipt", receipt };
    };
    await world.post(1);
    await world.turn();
    await report(world, 1, {});
    await world.turn();
    expect(await first(world)).toMatchObject({ status: "unknown" });
    expect(await openKinds(world)).toEqual(["EvidenceMismatch"]);
  });

  test("is shown once to whoever has given the effect up, however often it is told", async () => {
    const world = await lostAndTold();
    const ops = operatorsOf(world);
    for (const how of ["abandon", "acknowledge"] as const) {
      await ops.resolve((await world.reviews())[0]?.id ?? "", { how });
      await world.run();
    }
    expect(await openKinds(world)).toEqual([]);
    expect(await first(world)).toMatchObject({ status: "unknown", abandonedBy: expect.anything() });
    await report(world, 1, {});
    await report(world, 1, { payloadDigest: "another" });
    await world.turn();
    expect(await openKinds(world)).toEqual([]);
    expect(await first(world)).toMatchObject({ status: "unknown" });
    await report(world, 3, { payloadDigest: "a third" });
    await world.turn();
    expect(await openKinds(world)).toEqual(["EvidenceMismatch"]);
  });

  test("and that came while a person's word waited for its turn was not seen by that person: the review stays", async () => {
    const world = await lostAndTold();
    const ops = operatorsOf(world);
    const [, mismatch] = await world.reviews();
    await ops.resolve(mismatch?.id ?? "", { how: "abandon" });
    await report(world, 1, {});
    await report(world, 2, { payloadDigest: "a second" });
    await world.run();
    expect(await openKinds(world)).toEqual(["UnknownEffect", "EvidenceMismatch"]);
    const [, told] = await world.reviews();
    expect(told).toMatchObject({ id: mismatch?.id, providerIds: ["other-1", "other-2"] });
    expect(await first(world)).not.toHaveProperty("abandonedBy");
    await ops.resolve(mismatch?.id ?? "", { how: "abandon" });
    await world.run();
    expect(await openKinds(world)).toEqual([]);
    expect(await first(world)).toMatchObject({ foreignIds: ["other-1", "other-2"] });
  });

  test("and came after a person had said that it did not happen is seen before anything is done again", async () => {
    const world = newWorld({ decide: () => planOf([bareCredit], { notifications: [] }) });
    world.bare.script = ["appliedAndDropped"];
    await world.post(1);
    await world.run();
    world.advance(120_000);
    const ops = operatorsOf(world);
    await ops.resolve((await world.reviews())[0]?.id ?? "", { how: "didNotHappen" });
    await report(world, 1, { payloadDigest: "another" });
    await world.run();
    expect(world.bare.received).toHaveLength(1);
    expect(await openKinds(world)).toEqual(["UnknownEffect", "EvidenceMismatch"]);
    await ops.resolve((await world.reviews())[1]?.id ?? "", { how: "didNotHappen" });
    await world.run();
    expect(world.bare.received).toHaveLength(2);
    expect(await openKinds(world)).toEqual([]);
  });

  test("is never taken for ours by an adapter that calls every success the request's own", async () => {
    const world = newWorld({ decide: once(credit) });
    tellDuringCall(world, "keyed-1");
    await world.post(1);
    await world.run();
    expect(world.keyed.applied).toMatchObject([{ providerId: "keyed-1" }]);
    expect(await first(world)).toMatchObject({ status: "unknown" });
    expect(await openKinds(world)).toEqual(["EvidenceMismatch"]);
  });
});

test("words that nothing can be compared with, under the id that the own answer has proved meanwhile, hold nothing up", async () => {
  const world = newWorld({ decide: once(credit) });
  world.keyed.duringCall = () => report(world, "keyed-1", { payloadDigest: notCompared });
  await world.post(1);
  await world.run();
  expect(await first(world)).toMatchObject({ status: "confirmed" });
  expect(await openKinds(world)).toEqual([]);
  expect((await world.record()).status).toBe("done");
});

test("words that nothing can be compared with, of what was denied, contradict that: it may be just this", async () => {
  const world = newWorld({ decide: once(bareCredit) });
  world.bare.script = ["appliedAndDropped"];
  await world.post(1);
  await world.run();
  world.advance(120_000);
  const ops = operatorsOf(world);
  await ops.resolve((await world.reviews())[0]?.id ?? "", { how: "didNotHappen" });
  await world.run();
  for (const payloadDigest of [notCompared, notCompared, (await first(world)).payloadDigest]) {
    await report(world, 1, { payloadDigest });
    await world.turn();
    expect(await openKinds(world)).toEqual(["Contradiction"]);
  }
  expect(await first(world)).toMatchObject({ status: "rejected" });
});

test("a report of another amount for what is confirmed already keeps the rest of its plan waiting until a person has seen it", async () => {
  const world = newWorld({ decide: once(credit, mark) });
  world.keyed.duringCall = async () => {
    world.keyed.duringCall = undefined;
    // It comes while the call is out, and is folded once its own answer has confirmed it.
    await report(world, 1, { payloadDigest: "another" });
  };
  await world.post(1);
  await world.run();
  expect(await first(world)).toMatchObject({ status: "confirmed" });
  expect(world.keyed.received).toHaveLength(1);
  const [review] = await world.reviews();
  expect(review?.kind).toBe("EvidenceMismatch");
  await operatorsOf(world).resolve(review?.id ?? "", { how: "acknowledge" });
  await world.run();
  expect(world.keyed.received).toHaveLength(2);
  expect((await world.record()).status).toBe("done");
});

test("what is not there, and may be sent again by that alone, rests without being looked at until a person has seen the doubt about its plan", async () => {
  const world = newWorld({ decide: () => planOf([credit, mark], { notifications: [] }) });
  const lookup = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
  world.keyed.contract = { ...world.keyed.contract, lookup };
  world.keyed.lookup = async () => ({ kind: "absent" });
  world.keyed.script = ["ok", "swallowed"];
  world.keyed.duringCall = async ({ action }) => {
    if (action === mark.action) await report(world, 1, { payloadDigest: "another" });
  };
  await world.post(1);
  await world.turn();
  world.keyed.duringCall = undefined;
  // Longer than its key is kept.
  await world.run(world.worker(), 30 * 3_600_000);
  expect((await world.effects()).map(({ status }) => status)).toEqual(["confirmed", "unknown"]);
  expect((await world.record()).dueAtMs).toBeUndefined();
  const [review] = await world.reviews();
  await operatorsOf(world).resolve(review?.id ?? "", { how: "acknowledge" });
  await world.run();
  expect(world.keyed.received).toHaveLength(3);
  expect((await world.record()).status).toBe("done");
});
