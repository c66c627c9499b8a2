// Code that was removed from a deployment: what needs it is held, visibly; the rest goes on; and all of it when it is back.
import { describe, expect, test } from "vitest";
import { bookOf } from "../../shared/domain/book-of.ts";
import { newerGraceMs } from "../../shared/domain/decisions/leave.ts";
import type { Decision } from "../../shared/domain/definitions.ts";
import { planOfTwo, receiptFor } from "../domain/situations.ts";
import { codeOf } from "./codes.ts";
import { ana, operatorsOf } from "./operate/operators.ts";
import { key, mortal, newWorld, testProvider, turnUntilDeath, type World } from "./world.ts";

const first = planOfTwo.kind === "plan" ? planOfTwo.actions.slice(0, 1) : [];
const planOfOne: Decision = { ...planOfTwo, actions: first } as Decision;
const hourMs = 3_600_000;

const statuses = async (world: World) => (await world.effects()).map(({ status }) => status);
const openReviews = async (world: World) => (await world.reviews()).map(({ kind }) => kind);
const sent = (world: World) =>
  [...world.keyed.applied, ...world.bare.applied].map(({ action }) => action);

/** Everything that this code does in so long a time, by hints and by the hourly look. */
const runWith = (world: World, code: Parameters<typeof codeOf>[1], forMs = 3 * hourMs) =>
  world.run(world.worker({ book: codeOf(world, code) }), forMs);

/** A plan whose first effect is prepared, and nothing has been sent. */
async function prepared(options: Parameters<typeof newWorld>[0] = {}): Promise<World> {
  const world = newWorld({ decide: () => planOfOne, fused: false, ...options });
  await world.post(1);
  await turnUntilDeath(world, mortal(world, { boundary: "grants", when: "before" }));
  expect(await statuses(world)).toEqual(["prepared"]);
  return world;
}

/** Its call was made, and applied; the worker died before its answer. */
async function started(): Promise<World> {
  const world = newWorld({ decide: () => planOfOne });
  await world.post(1);
  await turnUntilDeath(world, mortal(world, { boundary: "send", when: "after" }));
  expect(await statuses(world)).toEqual(["started"]);
  return world;
}

describe.each([
  ["provider", { withoutProvider: "keyed" }, "ProviderRemoved", "provider keyed"],
  ["action", { withoutAction: "keyed.first.v1" }, "ActionRemoved", "action keyed.first.v1"],
] as const)("a prepared effect whose %s was removed", (_what, code, kind, named) => {
  test("is held in one review that names it, kills no worker and sends nothing", async () => {
    const world = await prepared();
    await runWith(world, code);
    expect(await statuses(world)).toEqual(["prepared"]);
    expect(await world.reviews()).toMatchObject([{ kind, why: expect.stringContaining(named) }]);
    expect((await world.record()).crashes).toBeUndefined();
    expect((await world.record()).held).toBeUndefined();
    expect(sent(world)).toEqual([]);
  });

  test("is sent once the code is back, and its review closed", async () => {
    const world = await prepared();
    await runWith(world, code);
    await world.run(world.worker(), 2 * hourMs);
    expect(sent(world)).toEqual(["keyed.first.v1", "mail.tell.v1"]);
    expect(await openReviews(world)).toEqual([]);
    expect((await world.record()).status).toBe("done");
  });

  test("is cancelled with its plan all the same when the facts have moved on", async () => {
    let decisions = 0;
    const decide = () =>
      (decisions += 1) === 1 ? planOfOne : ({ kind: "wait", why: "test" } as const);
    const world = await prepared({ decide });
    await runWith(world, code);
    await world.post(2, { n: 2 });
    await runWith(world, code);
    expect(await statuses(world)).toEqual(["cancelled"]);
    expect(await openReviews(world)).toEqual([]);
  });
});

describe("a call that was out when its provider was removed", () => {
  test("ends as unknown at its deadline and goes to a review that names the provider, once", async () => {
    const world = await started();
    await runWith(world, { withoutProvider: "keyed" });
    expect(await statuses(world)).toEqual(["unknown"]);
    expect(await world.reviews()).toMatchObject([
      { kind: "ProviderRemoved", why: expect.stringContaining("provider keyed") },
    ]);
  });

  test("is still settled by what the provider says later", async () => {
    const world = await started();
    await runWith(world, { withoutProvider: "keyed" });
    const [effect] = await world.effects();
    if (effect === undefined) throw new Error("no effect");
    await world.report(receiptFor(effect));
    await world.turn(world.worker({ book: codeOf(world, { withoutProvider: "keyed" }) }));
    expect((await world.effects())[0]).toMatchObject({ status: "confirmed", settledBy: "finding" });
    expect(await openReviews(world)).toEqual([]);
  });

  test("is recovered by its contract once the provider is back: applied once", async () => {
    const world = await started();
    await runWith(world, { withoutProvider: "keyed" });
    await world.run(world.worker(), 2 * hourMs);
    expect(sent(world)).toEqual(["keyed.first.v1", "mail.tell.v1"]);
    expect(await openReviews(world)).toEqual([]);
  });

  test("and only its action was removed is not sent again before that is back", async () => {
    const world = await started();
    const before = world.keyed.received.length;
    await runWith(world, { withoutAction: "keyed.first.v1" });
    expect(world.keyed.received).toHaveLength(before);
    expect(await openReviews(world)).toEqual(["ActionRemoved"]);
    await world.run(world.worker(), 2 * hourMs);
    expect(sent(world)).toEqual(["keyed.first.v1", "mail.tell.v1"]);
  });
});

test("a plan whose second action was removed sends nothing, not even its first, and all of it once the action is back", async () => {
  const world = newWorld({ fused: false });
  await world.post(1);
  await turnUntilDeath(world, mortal(world, { boundary: "grants", when: "before" }));
  await runWith(world, { withoutAction: "keyed.second.v1" });
  expect(sent(world)).toEqual([]);
  expect(await openReviews(world)).toEqual(["ActionRemoved"]);
  await world.run(world.worker(), 2 * hourMs);
  expect(sent(world)).toEqual(["keyed.first.v1", "keyed.second.v1", "mail.tell.v1"]);
  expect(await openReviews(world)).toEqual([]);
});

describe("a notification whose action was removed", () => {
  test("holds the case before anything of its plan is sent, which goes on once the action is back", async () => {
    const world = await prepared();
    await runWith(world, { withoutAction: "mail.tell.v1" });
    expect(await world.record()).toMatchObject({
      status: "open",
      held: { reason: "ActionRemoved" },
    });
    expect(sent(world)).toEqual([]);
    await world.run(world.worker(), 2 * hourMs);
    expect(sent(world)).toEqual(["keyed.first.v1", "mail.tell.v1"]);
    expect(await world.record()).toMatchObject({ status: "done" });
    expect((await world.record()).held).toBeUndefined();
  });

  test("after its plan was sent holds the case before its commit, which is made once the action is back", async () => {
    const world = await started();
    await runWith(world, { withoutAction: "mail.tell.v1" });
    expect(await world.record()).toMatchObject({
      status: "open",
      held: { reason: "ActionRemoved" },
    });
    expect(await statuses(world)).toEqual(["confirmed"]);
    await world.run(world.worker(), 2 * hourMs);
    expect(sent(world)).toEqual(["keyed.first.v1", "mail.tell.v1"]);
    expect(await world.record()).toMatchObject({ status: "done" });
  });

  test("in the outbox waits, and does not keep the next from being sent", async () => {
    const told = { action: "bare.first.v1", target: "T-9", payload: { text: "x" } };
    const notifications = [...(planOfTwo.kind === "plan" ? planOfTwo.notifications : []), told];
    const world = newWorld({ decide: () => ({ ...planOfOne, notifications }) as Decision });
    world.bare.script = ["turnsAway", "turnsAway"];
    await world.post(1);
    await world.run(world.worker(), 0);
    expect(await statuses(world)).toEqual(["confirmed", "prepared", "prepared"]);
    await runWith(world, { withoutAction: "mail.tell.v1" });
    expect(sent(world)).toEqual(["keyed.first.v1", "bare.first.v1"]);
    expect(await openReviews(world)).toEqual(["ActionRemoved"]);
  });
});

test("a case in a status that was removed is held with the reason, and goes on once the status is back", async () => {
  let isReady = false;
  const world = newWorld({ decide: () => (isReady ? planOfOne : { kind: "wait", why: "test" }) });
  await world.post(1);
  await world.run(world.worker(), 0);
  const statusesLeft = { fresh: { final: false }, done: { final: true } };
  await world.post(2);
  isReady = true;
  await runWith(world, { workflow: { initialStatus: "fresh", statuses: statusesLeft } });
  const { held, status } = await world.record();
  expect([status, held?.reason]).toEqual(["open", "FactsInvalid"]);
  expect(held?.detail).toContain("open is no status");
  expect(await openReviews(world)).toEqual(["CaseHeld"]);
  await world.run(world.worker(), 2 * hourMs);
  expect(sent(world)).toEqual(["keyed.first.v1", "mail.tell.v1"]);
  expect(await openReviews(world)).toEqual([]);
});

describe("a case whose workflow was removed", () => {
  const gone = { workflow: "none" } as const;

  test("is held with the reason although nothing of it is open, once, and only when no deploy can be rolling", async () => {
    const world = newWorld({ decide: () => ({ kind: "wait", why: "test" }) });
    await world.post(1);
    await world.run();
    await world.hints.send("cases", { ...key, hintId: "look", reason: "test" });
    world.advance(newerGraceMs);
    await runWith(world, gone, 24 * hourMs);
    expect((await world.record()).held).toMatchObject({
      reason: "UnknownWorkflow",
      detail: expect.stringContaining("test-flow"),
    });
    expect(await openReviews(world)).toEqual(["CaseHeld"]);
  });

  test("keeps what arrives unfolded; registered again, it is folded and the case goes on", async () => {
    const world = newWorld({
      decide: ({ facts }) => (facts["go"] === true ? planOfOne : { kind: "wait", why: "test" }),
    });
    await world.post(1);
    await world.run();
    world.advance(newerGraceMs);
    await world.post(2, { go: true });
    await runWith(world, gone, 24 * hourMs);
    const { snapshot } = await world.cases.read(key);
    expect(snapshot.events).toMatchObject([{ eventId: "e2", putOff: {} }]);
    expect(await world.cases.due({ nowMs: world.nowMs(), max: 9, from: "oldest" })).toEqual([]);
    await world.run(world.worker(), 2 * hourMs);
    expect(await world.record()).toMatchObject({ status: "done", facts: { go: true } });
    expect((await world.record()).held).toBeUndefined();
    expect(await openReviews(world)).toEqual([]);
  });

  test("looks once an hour, with one write for its next time, whatever waits in it", async () => {
    const world = newWorld({ decide: () => ({ kind: "wait", why: "test" }) });
    await world.post(1);
    await world.run();
    await world.hints.send("cases", { ...key, hintId: "look", reason: "test" });
    world.advance(newerGraceMs);
    await runWith(world, gone, 1000);
    await world.post(2);
    await runWith(world, gone, 1000);
    expect(
      await world.cases.due({ nowMs: world.nowMs() + 60_000, max: 9, from: "oldest" }),
    ).toEqual([]);
    const before = world.batches();
    await runWith(world, gone, 24 * hourMs);
    expect(world.batches() - before).toBeLessThanOrEqual(24);
    expect(await openReviews(world)).toEqual(["CaseHeld"]);
  });

  test("puts off whatever has arrived, and folds all of it later, in batches that a store takes", async () => {
    const world = newWorld({ decide: () => ({ kind: "wait", why: "test" }) });
    await world.post(1);
    await world.run();
    world.advance(newerGraceMs);
    for (let n = 2; n < 132; n += 1) await world.post(n, { [`fact-${n}`]: n });
    await runWith(world, gone);
    const waiting = (await world.cases.read(key)).snapshot.events;
    expect(waiting.filter(({ putOff }) => putOff !== undefined)).toHaveLength(130);
    await world.run(world.worker(), 2 * hourMs);
    expect((await world.cases.read(key)).snapshot.events).toEqual([]);
    expect(Object.keys((await world.record()).facts)).toHaveLength(131);
  });

  test("has its call out settled by its contract's look-up or review, and sends nothing more of its plan", async () => {
    const world = await started();
    world.advance(newerGraceMs);
    await runWith(world, gone, 30 * hourMs);
    expect(await statuses(world)).toEqual(["unknown"]);
    expect((await openReviews(world)).toSorted()).toEqual(["CaseHeld", "UnknownEffect"]);
    expect(world.keyed.applied).toHaveLength(1);
  });

  test("is still told of what was committed: the outbox goes on", async () => {
    const world = newWorld({ decide: () => planOfOne });
    world.bare.script = ["turnsAway"];
    await world.post(1);
    await world.run(world.worker(), 0);
    expect(await statuses(world)).toEqual(["confirmed", "prepared"]);
    world.advance(newerGraceMs);
    await runWith(world, gone);
    expect(sent(world)).toEqual(["keyed.first.v1", "mail.tell.v1"]);
  });
});

test("an event of a type that nobody has is shown to a person after an hour, and folded when the type is there", async () => {
  const world = newWorld();
  const absent = world.worker({ book: codeOf(world, { workflow: "none" }) });
  await world.post(1);
  await world.run(absent, newerGraceMs - 60_000);
  expect(world.cases.stored(key).map(({ type }) => type)).toEqual(["event"]);
  await world.run(absent, 10 * 60_000);
  expect(await world.record()).toMatchObject({ held: { reason: "UnknownWorkflow" }, version: 0 });
  expect(await openReviews(world)).toEqual(["CaseHeld"]);
  expect(await world.turn(absent)).toEqual({ kind: "idle" });
  const statuses = { begun: { final: false }, done: { final: true } };
  const code = codeOf(world, { workflow: { initialStatus: "begun", statuses } });
  await world.run(world.worker({ book: code }), 2 * hourMs);
  expect(await world.record()).toMatchObject({ status: "done", facts: { n: 1 } });
  expect((await world.record()).held).toBeUndefined();
});

test("an effect whose provider is known under another name now is given up by a person, and done there, once", async () => {
  const world = await prepared();
  const renamed = testProvider({ name: "keyed-new", contract: world.keyed.contract });
  const known = codeOf(world, {});
  const workflow = known.workflow("test-flow");
  const actions = ["keyed.first.v1", "mail.tell.v1"].flatMap((name) => known.action(name) ?? []);
  const book = bookOf({
    workflows: workflow === undefined ? [] : [workflow],
    actions: actions.map((one) =>
      one.provider === "keyed" ? { ...one, provider: renamed.name } : one,
    ),
    providers: [renamed, world.bare],
  });
  const worker = world.worker({ book });
  await world.run(worker, 60_000);
  expect(await openReviews(world)).toEqual(["ProviderRemoved"]);
  const [review] = await world.reviews();
  await operatorsOf({ ...world, book }).resolve(review?.id ?? "", { how: "abandon" }, ana);
  await world.run(worker);
  expect(world.keyed.received).toEqual([]);
  expect(renamed.applied).toHaveLength(1);
  expect(await statuses(world)).toEqual(["cancelled", "confirmed", "confirmed"]);
  expect((await world.record()).status).toBe("done");
});
