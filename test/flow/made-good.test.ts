// A compensation rests on what it makes good: what is learned of that after the decision stops it, as long as nothing of it has left.
import { describe, expect, test } from "vitest";
import type { Workflow } from "../../shared/domain/definitions.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Receipt } from "../../shared/domain/records/evidence.ts";
import { planOf, receiptFor } from "../domain/situations.ts";
import { ana, operatorsOf, una, type Who } from "./operate/operators.ts";
import { key, newWorld, type World } from "./world.ts";

const pay = { action: "keyed.first.v1", target: "T-1", payload: { amount: "50.00" } };
const takeBack = { action: "bare.first.v1", target: "T-1", payload: { amount: "50.00" } };

/** Pays; takes the payment back when it is recalled; and waits once it knows that it never arrived. */
const decide: Workflow["decide"] = ({ effects, facts }) => {
  const paid = effects.find(({ action }) => action === pay.action);
  if (paid === undefined) return planOf([pay], { nextStatus: "open" });
  if (facts["recalled"] !== true || paid.receipt?.stage === "failed") {
    return { kind: "wait", why: "nothing to take back" };
  }
  return planOf([{ ...takeBack, compensates: paid.operationId }]);
};

/** Paid, recalled, and a person is asked whether to take it back. */
async function asked(): Promise<{ world: World; paid: Effect }> {
  const world = newWorld({ decide, approve: [takeBack.action] });
  await world.post(1);
  await world.run(world.worker(), 60_000);
  await world.post(2, { recalled: true });
  await world.run(world.worker(), 60_000);
  const [paid] = await world.effects();
  if (paid === undefined) throw new Error("nothing was paid");
  expect((await world.effects()).map(({ status }) => status)).toEqual(["confirmed", "prepared"]);
  return { world, paid };
}

async function sayYes(world: World): Promise<void> {
  const [approval] = (await world.cases.read(key)).snapshot.approvals;
  const answer = { answerId: "a", decision: "approve", by: "ana", atMs: world.nowMs() } as const;
  await world.cases.answerApproval(key, { id: approval?.id ?? "", answer });
}

/** Told while the question waits, and then the answer is yes: what is shown to a person. */
async function toldBeforeYes(world: World, receipt: Receipt) {
  await world.report(receipt);
  await world.turn();
  await sayYes(world);
  await world.turn();
  expect(world.bare.received).toEqual([]);
  const [review, ...others] = await world.reviews();
  if (review === undefined || others.length > 0) throw new Error("not one review");
  return review;
}

describe("a compensation that waits for a person", () => {
  test("is not made once the payment that it takes back is told to have failed: it is decided anew, knowing that", async () => {
    const { paid, world } = await asked();
    const review = await toldBeforeYes(world, { ...receiptFor(paid, "keyed-1"), stage: "failed" });
    expect(review.kind).toBe("NotificationFailed");
    expect((await world.effects()).map(({ status }) => status)).toEqual(["confirmed", "cancelled"]);
    const { plan, status } = await world.record();
    expect([plan, status]).toEqual([undefined, "open"]);
  });

  test("is not made while something else is told of the payment, and is once a person has seen that", async () => {
    const { paid, world } = await asked();
    const review = await toldBeforeYes(world, receiptFor({ ...paid, target: "T-2" }, "keyed-7"));
    expect(review.kind).toBe("EvidenceMismatch");
    await operatorsOf(world).resolve(review.id, { how: "acknowledge" }, ana);
    await world.run(world.worker(), 60_000);
    expect(world.bare.applied).toHaveLength(1);
    expect((await world.record()).status).toBe("done");
  });

  test("is not made while a second payment is told, and is decided and asked about anew once a person has seen that", async () => {
    const { paid, world } = await asked();
    const review = await toldBeforeYes(world, receiptFor(paid, "keyed-2"));
    expect(review.kind).toBe("Contradiction");
    await operatorsOf(world).resolve(review.id, { how: "acknowledge" }, ana);
    await world.run(world.worker(), 60_000);
    expect(world.bare.received).toEqual([]);
    expect((await world.effects()).map(({ status }) => status)).toEqual([
      "confirmed",
      "cancelled",
      "prepared",
    ]);
    const { approvals } = (await world.cases.read(key)).snapshot;
    expect(approvals.map(({ answer }) => answer?.decision)).toEqual(["approve", undefined]);
  });
});

test("a compensation that was denied while its call may still land is made by no other action before a person has said yes", async () => {
  const other = { ...takeBack, action: "keyed.second.v1", target: "T-2" };
  const world = newWorld({
    decide: ({ effects, facts }) => {
      const [paid, tried] = effects;
      if (paid === undefined) return planOf([pay], { nextStatus: "open" });
      if (facts["recalled"] !== true) return { kind: "wait", why: "nothing to take back" };
      const step = tried === undefined ? takeBack : other;
      return planOf([{ ...step, compensates: paid.operationId }]);
    },
  });
  world.bare.script = ["appliesLate"];
  await world.post(1);
  await world.run(world.worker(), 1000);
  await world.post(2, { recalled: true });
  await world.run(world.worker(), 1000);
  const people = operatorsOf(world);
  const [review] = await world.reviews();
  const both: Who = ["ivo", "overrider@acme", "operator@acme"];
  const asked = await people.resolve(review?.id ?? "", { how: "didNotHappen", forced: true }, both);
  await people.confirm(review?.id ?? "", { requestId: asked.body.requestId }, una);
  await world.run(world.worker(), 1000);
  world.applyLate();
  const takenBack = [...world.bare.applied, ...world.keyed.applied.slice(1)];
  expect(takenBack.map(({ action }) => action)).toEqual([takeBack.action]);
  const { approvals } = (await world.cases.read(key)).snapshot;
  expect(approvals).toMatchObject([{ action: other.action }]);
});
