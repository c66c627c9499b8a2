// A team comes to want a person's yes for an action, by a deploy or by a setting, while plans that nobody was asked about are frozen.
import { describe, expect, test } from "vitest";
import type { Book } from "../../shared/domain/definitions.ts";
import { answerApproval } from "../../shared/flow/operate/approvals/answer-approval.ts";
import { planOf, planOfTwo, receiptFor } from "../domain/situations.ts";
import { codeOf } from "./codes.ts";
import { key, mortal, newWorld, turnUntilDeath, type World } from "./world.ts";

const [first, second] = ["keyed.first.v1", "keyed.second.v1"] as const;

/** Code that is the same, but for these actions of which each needs a person now. */
function asking(world: World, ...names: string[]): Book {
  const book = codeOf(world, {});
  const asksFirst: Book["asksFirst"] = (tenantId, action) =>
    names.includes(action) || book.asksFirst(tenantId, action);
  return { ...book, asksFirst };
}

const approvals = async (world: World) => (await world.cases.read(key)).snapshot.approvals;
const sent = (world: World) => world.keyed.received.map(({ action }) => action);

async function sayYes(world: World, id: string): Promise<void> {
  const answer = { answerId: id, decision: "approve", by: "ana", atMs: world.nowMs() } as const;
  await world.cases.answerApproval(key, { id, answer });
}

/** The plan is decided, and its worker is gone before it has claimed anything. */
async function decided(): Promise<World> {
  const world = newWorld({ decide: () => planOfTwo, fused: false });
  await world.post(1);
  await turnUntilDeath(world, mortal(world, { boundary: "grants", when: "before" }));
  return world;
}

describe("a plan that was decided when its actions asked nobody", () => {
  test("sends nothing of an action that has come to ask before a person has said yes, and then all of it", async () => {
    const world = await decided();
    const worker = world.worker({ book: asking(world, second) });
    await world.run(worker, 60_000);
    expect(sent(world)).toEqual([]);
    expect(await approvals(world)).toMatchObject([{ action: second, version: 1 }]);
    await sayYes(world, "approval:1:1");
    await world.turn(worker);
    expect(sent(world)).toEqual([first, second]);
    expect((await world.record()).status).toBe("done");
    expect(await approvals(world)).toHaveLength(1);
  });

  test("still waits for that yes when the code that asked is rolled back", async () => {
    const world = await decided();
    await world.run(world.worker({ book: asking(world, first) }), 60_000);
    await world.turn();
    expect(sent(world)).toEqual([]);
    await sayYes(world, "approval:1:1");
    await world.turn();
    expect(sent(world)).toEqual([first, second]);
  });

  test("still waits for the yes that its own decision asked for, when another action has come to ask as well", async () => {
    const [one, other] = planOfTwo.kind === "plan" ? planOfTwo.actions : [];
    if (one === undefined || other === undefined) throw new Error("no plan");
    const world = newWorld({ decide: () => planOf([{ ...one, asksFirst: true }, other]) });
    await world.post(1);
    await world.turn();
    const worker = world.worker({ book: asking(world, second) });
    await world.turn(worker);
    expect(await approvals(world)).toMatchObject([{ action: first }, { action: second }]);
    await sayYes(world, "approval:1:2");
    await world.turn(worker);
    expect(sent(world)).toEqual([]);
    await sayYes(world, "approval:1:1");
    await world.turn(worker);
    expect(sent(world)).toEqual([first, second]);
  });

  test("asks about what is left of it, and not about what has left", async () => {
    const world = newWorld({ decide: () => planOfTwo });
    world.keyed.script = ["appliedAndDropped"];
    await world.post(1);
    await world.turn();
    const worker = world.worker({ book: asking(world, first, second) });
    await world.run(worker, 60_000);
    expect(sent(world)).toEqual([first, first]);
    expect(world.keyed.applied).toHaveLength(1);
    expect(await approvals(world)).toMatchObject([{ action: second }]);
    await sayYes(world, "approval:1:1");
    await world.turn(worker);
    expect((await world.record()).status).toBe("done");
  });
});

/** Approved, sent, and not answered until the approvals ran out: then asked anew. */
async function askedAgain(actions: (typeof planOfTwo & { kind: "plan" })["actions"]) {
  const world = newWorld({
    decide: ({ version }) =>
      version === 1 ? planOf(actions) : { kind: "wait", why: "one thing at a time" },
    approve: [first, second],
  });
  const { idempotency } = world.keyed.contract;
  if (idempotency === undefined) throw new Error("no key");
  const retentionMs = 30 * 24 * 3_600_000;
  world.keyed.contract = { ...world.keyed.contract, idempotency: { ...idempotency, retentionMs } };
  await world.post(1);
  await world.run(world.worker(), 1000);
  for (const { id } of await approvals(world)) await sayYes(world, id);
  await turnUntilDeath(world, mortal(world, { boundary: "send", when: "after" }));
  world.advance(73 * 3_600_000);
  await world.turn();
  world.advance(10_000);
  await world.turn();
  const again = (await approvals(world)).filter(({ n }) => n > actions.length);
  expect(again).toHaveLength(actions.length);
  return { world, again };
}

/** No to the first of the plan, yes to the rest; then its provider tells that the first was done after all. */
async function refusedAndDone({ again, world }: Awaited<ReturnType<typeof askedAgain>>) {
  const [effect] = await world.effects();
  if (effect === undefined) throw new Error("no effect");
  for (const { id, operationId } of again) {
    const decision = operationId === effect.operationId ? "refuse" : "approve";
    const answer = { answerId: id, decision, by: "ben", atMs: world.nowMs() } as const;
    await world.cases.answerApproval(key, { id, answer });
  }
  await world.turn();
  await world.report(receiptFor(effect, "keyed-1"));
  await world.run(world.worker(), 60_000);
}

test("a plan that was refused, and of which a part turns out to have been done before that, is over: nothing more of it is sent", async () => {
  const { actions } = planOfTwo as typeof planOfTwo & { kind: "plan" };
  const asked = await askedAgain(actions);
  await refusedAndDone(asked);
  expect(sent(asked.world)).toEqual([first]);
  const statuses = (await asked.world.effects()).map(({ status }) => status);
  expect(statuses).toEqual(["confirmed", "cancelled"]);
});

test("a plan that was refused when all of it had been done already is committed: it tells what is so", async () => {
  const { actions } = planOfTwo as typeof planOfTwo & { kind: "plan" };
  const asked = await askedAgain(actions.slice(0, 1));
  await refusedAndDone(asked);
  expect(sent(asked.world)).toEqual([first]);
  expect(await asked.world.record()).toMatchObject({ status: "done" });
});

test("a no whose question ran out while it was on its way stands, whatever is said to the question that was asked anew", async () => {
  const soon = { current: async () => {} };
  const world = newWorld({
    decide: ({ version }) => (version === 1 ? planOfTwo : { kind: "wait", why: "refused" }),
    approve: [first],
    refresh: async (facts) => {
      await soon.current();
      return facts;
    },
  });
  await world.post(1);
  await world.run(world.worker(), 1000);
  const [old] = await approvals(world);
  if (old === undefined) throw new Error("nothing was asked");
  world.advance(old.expiresAtMs - world.nowMs() - 5000);
  soon.current = async () => {
    soon.current = async () => {};
    world.advance(6000);
    await world.turn();
  };
  const answer = (approvalId: string, decision: "approve" | "refuse", id: string) =>
    answerApproval(
      { ...world, log: { info() {}, warn() {}, error() {} }, random: () => id },
      {
        key,
        approvalId,
        decision,
        answerId: id,
        principal: { id, isPerson: true, roleClaims: ["approver"] },
      },
    );
  expect(await answer(old.id, "refuse", "ben")).toEqual({ kind: "answered" });
  const anew = (await approvals(world)).at(-1);
  expect(anew).toMatchObject({ n: 2, operationId: old.operationId });
  await answer(anew?.id ?? "", "approve", "cleo");
  await world.run(world.worker(), 60_000);
  expect(sent(world)).toEqual([]);
  expect((await world.effects()).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
});
