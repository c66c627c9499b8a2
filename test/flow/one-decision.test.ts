// What one decision asks for, as a whole: nothing of it leaves before all of it may, and nothing is built on what has failed.
import { describe, expect, test } from "vitest";
import type { Decision } from "../../shared/domain/definitions.ts";
import { findingIdOf } from "../../shared/domain/identity.ts";
import type { Finding } from "../../shared/domain/records/evidence.ts";
import { receiptFor } from "../domain/situations.ts";
import { key, newWorld, type World } from "./world.ts";

type Plan = Decision & { kind: "plan" };
const planned = (actions: Plan["actions"], notifications: Plan["notifications"] = []): Plan => ({
  kind: "plan",
  why: "test",
  actions,
  nextStatus: "done",
  notifications,
});
const credit = (amount: string) =>
  ({ action: "keyed.first.v1", target: "T-1", payload: { amount } }) as const;

describe("a decision that asks for an action twice on one target", () => {
  test("with two payloads means both: each is sent once, and the case ends", async () => {
    const world = newWorld({ decide: () => planned([credit("10.00"), credit("20.00")]) });
    await world.post(1);
    await world.run();
    expect(world.keyed.applied.map(({ payload }) => payload["amount"])).toEqual(["10.00", "20.00"]);
    expect(await world.record()).toMatchObject({ status: "done" });
  });

  test("with one payload stutters: it is held before anything of it is sent (cases.md 72)", async () => {
    const world = newWorld({ decide: () => planned([credit("10.00"), credit("10.00")]) });
    await world.post(1);
    await world.run();
    expect(world.keyed.received).toEqual([]);
    expect(await world.record()).toMatchObject({ held: { reason: "RepeatedIntent" } });
  });
});

test("a decision that would tell somebody by an action that needs an approval is held: no notification goes out unapproved", async () => {
  const tell = { action: "mail.tell.v1", target: "a@example.org", payload: { text: "done" } };
  const world = newWorld({
    approve: ["mail.tell.v1"],
    decide: () => planned([credit("10.00")], [tell]),
  });
  await world.post(1);
  await world.run();
  expect([...world.keyed.received, ...world.bare.received]).toEqual([]);
  const { held } = await world.record();
  expect(held).toMatchObject({ reason: "DecisionHeld" });
  expect(held?.detail).toContain("mail.tell.v1 needs an approval");
});

test("a decision that would tell somebody by what only this tenant wants to be asked about is held, too", async () => {
  const tell = { action: "mail.tell.v1", target: "a@example.org", payload: { text: "done" } };
  const world = newWorld({
    approvals: { acme: ["mail.tell.v1"] },
    decide: () => planned([credit("10.00")], [tell]),
  });
  await world.post(1);
  await world.run();
  expect([...world.keyed.received, ...world.bare.received]).toEqual([]);
  expect((await world.record()).held?.detail).toContain("mail.tell.v1 needs an approval");
});

test("a decision that would make something good by a notification is held: nothing compares two of these", async () => {
  const world = newWorld({
    decide: ({ effects: [paid], facts }) => {
      if (paid === undefined) return { ...planned([credit("10.00")]), nextStatus: "open" };
      if (facts["recalled"] === undefined) return { kind: "wait", why: "test" };
      const undo = { action: "bare.first.v1", target: "T-1", payload: {} };
      return { ...planned([], [{ ...undo, compensates: paid.operationId }]), nextStatus: "open" };
    },
  });
  await world.post(1);
  await world.run();
  for (const n of [2, 3]) {
    await world.post(n, { recalled: n });
    await world.run();
  }
  expect(world.bare.received).toEqual([]);
  expect((await world.record()).held?.detail).toContain("plan it as an action");
});

test("a decision that does again what one decision did twice on one target names one of the two, and means both", async () => {
  const world = newWorld({
    decide: ({ effects, version }) => {
      if (version === 1)
        return { ...planned([credit("10.00"), credit("20.00")]), nextStatus: "open" };
      if (version === 2) return { kind: "wait", why: "test" };
      return planned([{ ...credit("30.00"), repeats: effects[1]?.operationId ?? "" }]);
    },
  });
  await world.post(1);
  await world.run();
  await world.post(2, { more: true });
  await world.run();
  expect(world.keyed.applied.map(({ payload }) => payload["amount"])).toEqual([
    "10.00",
    "20.00",
    "30.00",
  ]);
  expect(await world.record()).toMatchObject({ status: "done" });
});

test("a decision for a status that its workflow does not have is held before anything is sent", async () => {
  const world = newWorld({
    decide: () => ({ ...planned([credit("10.00")]), nextStatus: "dnoe" }),
  });
  await world.post(1);
  await world.run();
  expect(world.keyed.received).toEqual([]);
  expect((await world.record()).held?.detail).toContain("dnoe is no status");
});

describe("a planned effect that was accepted and then failed at its goal", () => {
  async function failedInMidPlan(): Promise<World> {
    const second = { action: "keyed.second.v1", target: "T-1", payload: { state: "marked" } };
    const world = newWorld({ decide: () => planned([credit("10.00"), second]) });
    world.keyed.duringCall = async ({ binding }) => {
      world.keyed.duringCall = undefined;
      const effect = (await world.effects()).find(
        ({ operationId }) => operationId === binding.operationId,
      );
      if (effect === undefined) throw new Error("no effect");
      await world.report({ ...receiptFor(effect, "keyed-1"), stage: "failed" });
    };
    await world.post(1);
    await world.run();
    return world;
  }

  test("stops its plan under a review: nothing more is sent, and the case does not say that it is done", async () => {
    const world = await failedInMidPlan();
    expect(world.keyed.received).toHaveLength(1);
    expect(await world.record()).toMatchObject({ status: "open" });
    expect(await world.reviews()).toMatchObject([{ kind: "NotificationFailed" }]);
  });

  test("ends its plan once a person has seen that, and only then: what was to follow rests on its success", async () => {
    const world = await failedInMidPlan();
    const [effect] = await world.effects();
    const [review] = await world.reviews();
    if (effect === undefined || review === undefined) throw new Error("no review");
    const tell = (n: number, content: Finding["content"]) =>
      world.cases.createFinding({
        id: findingIdOf(effect.operationId, n),
        type: "finding",
        schemaVersion: 1,
        ...key,
        operationId: effect.operationId,
        content,
        by: "p-1",
        foundAtMs: world.nowMs(),
      });
    const other = receiptFor({ ...effect, target: "T-2" }, "keyed-1");
    await tell(1, { kind: "providerReport", receipt: other });
    await world.turn();
    const seen = (reviewId = "") =>
      ({
        kind: "statement",
        statement: { kind: "acknowledge" },
        reason: "seen",
        about: { reviewId, attempts: effect.attempts.length },
      }) as const;
    await tell(
      2,
      seen((await world.reviews()).find(({ kind }) => kind === "EvidenceMismatch")?.id),
    );
    await world.turn();
    expect((await world.effects()).map(({ status }) => status)).toEqual(["confirmed", "prepared"]);
    await tell(3, seen(review.id));
    await world.turn();
    expect(world.keyed.received).toHaveLength(1);
    expect((await world.effects()).map(({ status }) => status)).toEqual(["confirmed", "cancelled"]);
    expect(await world.record()).toMatchObject({ held: { reason: "RepeatedIntent" } });
  });

  test("is history for the next decision once new facts arrive", async () => {
    const world = await failedInMidPlan();
    await world.post(2);
    await world.run();
    expect(await world.record()).toMatchObject({ held: { reason: "RepeatedIntent" } });
    expect(world.keyed.received).toHaveLength(1);
  });
});
