// Under one of our operations the provider tells of something else: another target, another payload. That review is a person's,
// whatever becomes of the attempts.
import { describe, expect, test } from "vitest";
import type { Workflow } from "../../shared/domain/definitions.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Receipt } from "../../shared/domain/records/evidence.ts";
import { receiptFor } from "../domain/situations.ts";
import { operatorsOf } from "./operate/operators.ts";
import { newWorld, type World } from "./world.ts";

const credit = { action: "keyed.first.v1", target: "T-1", payload: { amount: "25.00" } };
const once: Workflow["decide"] = ({ version }) =>
  version === 1
    ? { kind: "plan", why: "test", actions: [credit], nextStatus: "done", notifications: [] }
    : { kind: "wait", why: "test" };

async function first(world: World): Promise<Effect> {
  const [effect] = await world.effects();
  if (effect === undefined) throw new Error("no effect");
  return effect;
}

/** The provider's webhook names our operation, and says something of it. */
async function report(world: World, n: number, change: Partial<Receipt["boundTo"]>) {
  const effect = await first(world);
  const receipt = receiptFor(effect, `other-${n}`);
  await world.report({ ...receipt, boundTo: { ...receipt.boundTo, ...change } });
}

const openKinds = async (world: World) => (await world.reviews()).map(({ kind }) => kind);

describe("a report of another amount while the call is out", () => {
  test("whose own worker then hears that nothing was done is not sent again: a person looks first", async () => {
    const world = newWorld({ decide: once });
    world.keyed.script = ["turnsAway"];
    world.keyed.duringCall = async () => {
      world.keyed.duringCall = undefined;
      await report(world, 1, { payloadDigest: "another" });
      await world.turn();
    };
    await world.post(1);
    await world.turn();
    await world.run();
    expect(world.keyed.received).toHaveLength(1);
    expect(await first(world)).toMatchObject({ status: "prepared" });
    expect(await openKinds(world)).toEqual(["EvidenceMismatch"]);
  });

  test("does not move the attempt's start, however often it comes: the call is over at its deadline, and its review is one", async () => {
    const world = newWorld({ decide: once });
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
  const world = newWorld({
    decide: (view, context) => {
      const decision = once(view, context);
      return !(decision instanceof Promise) && decision.kind === "plan"
        ? { ...decision, actions: [{ ...credit, action: "bare.first.v1" }] }
        : decision;
    },
  });
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

test("a report of another amount for what is confirmed already keeps the rest of its plan waiting until a person has seen it", async () => {
  const mark = { action: "keyed.second.v1", target: "T-1", payload: { state: "paid" } };
  const world = newWorld({
    decide: (view, context) => {
      const decision = once(view, context);
      return !(decision instanceof Promise) && decision.kind === "plan"
        ? { ...decision, actions: [credit, mark] }
        : decision;
    },
  });
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
