// What is forced takes a role of its own, a reason and a second person; what no person may override stays (design.md 4).
import { describe, expect, test } from "vitest";
import { attemptLimits } from "../../../shared/domain/decisions/recover.ts";
import { event, keyContract, planOf, planOfTwo } from "../../domain/situations.ts";
import { advanceCase } from "../../../shared/flow/turn/advance-case.ts";
import { key, newWorld, type World } from "../world.ts";
import {
  ana,
  bareOnce,
  ivo,
  operatorsOf,
  una,
  unknownCase,
  type Operators,
  type Who,
} from "./operators.ts";

async function inReview(options: Parameters<typeof newWorld>[0] = {}) {
  const world = await unknownCase("swallowed", options);
  const [review] = await world.reviews();
  return { world, people: operatorsOf(world), id: review?.id ?? "" };
}

const force = { how: "retry", forced: true, reason: "the supplier confirmed by phone" };

async function forced(people: Operators, id: string, by: Who, second: Who) {
  const { body } = await people.resolve(id, force, by);
  return people.confirm(id, { requestId: body.requestId ?? "none" }, second);
}

describe("a retry that the contract does not cover", () => {
  test("is refused unforced, and forced to whoever has not the role", async () => {
    const { world, people, id } = await inReview();
    expect(await people.resolve(id, { how: "retry" })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("Two overriders may force it") },
    });
    expect(await people.resolve(id, force, ana)).toMatchObject({ status: 403 });
    const admin: Who = ["adm", "admin@acme"];
    expect(await people.resolve(id, force, admin)).toMatchObject({ status: 403 });
    await world.run();
    expect(world.bare.received).toHaveLength(1);
  });

  test("asked for by one person sends nothing, and not when the same person confirms", async () => {
    const { world, people, id } = await inReview();
    const asked = await people.resolve(id, force, ivo);
    expect(asked).toMatchObject({ status: 202, body: { state: "awaitsSecondPerson" } });
    expect((await people.show(id)).body["forceRequests"]).toMatchObject([
      { requestId: asked.body.requestId, how: "retry", by: "IVO (ivo)" },
    ]);
    const { requestId } = asked.body;
    expect(await people.confirm(id, { requestId }, ["IVO ", "overrider"])).toMatchObject({
      status: 403,
      body: { type: expect.stringContaining("needs-second-person") },
    });
    expect(await people.confirm(id, { requestId }, ana)).toMatchObject({ status: 403 });
    await world.run();
    expect(world.bare.received).toHaveLength(1);
    expect((await world.effects())[0]).toMatchObject({ status: "unknown" });
  });

  test("confirmed by a second person sends the same operation and the same bytes once more", async () => {
    const { world, people, id } = await inReview();
    expect(await forced(people, id, ivo, una)).toMatchObject({
      status: 202,
      body: { state: "recorded" },
    });
    await world.run();
    const [first, second, ...rest] = world.bare.received;
    expect(rest).toEqual([]);
    expect([second?.binding, second?.payload]).toEqual([first?.binding, first?.payload]);
    expect((await world.effects())[0]).toMatchObject({
      status: "confirmed",
      attempts: [{ n: 1 }, { n: 2, order: { by: "ivo", confirmedBy: "una", forced: true } }],
    });
    expect((await world.record()).status).toBe("done");
  });

  test("of a notification is sent, though its case has ended", async () => {
    const tell = { action: "mail.tell.v1", target: "a@example.org", payload: { text: "done" } };
    const decide = () => planOf([], { notifications: [tell] });
    const { world, people, id } = await inReview({ decide });
    expect(await forced(people, id, ivo, una)).toMatchObject({ status: 202 });
    await world.run();
    expect((await world.effects())[0]).toMatchObject({ status: "confirmed", origin: "outbox" });
    expect(world.bare.applied).toHaveLength(1);
  });

  test("that fails again comes back for review, and the order is used up", async () => {
    const { world, people, id } = await inReview();
    world.bare.script = ["swallowed"];
    await forced(people, id, ivo, una);
    await world.run();
    expect(world.bare.received).toHaveLength(2);
    expect(await world.reviews()).toMatchObject([{ kind: "UnknownEffect" }]);
  });

  test("is not sent once the case has moved on, however many people say so", async () => {
    const { world, people, id } = await inReview();
    await world.post(2);
    await world.turn();
    expect(await people.resolve(id, force, ivo)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("moved on") },
    });
    expect(world.bare.received).toHaveLength(1);
  });

  test("is not sent when the case moves on between the order and the claim", async () => {
    const { world, people, id } = await inReview();
    await forced(people, id, ivo, una);
    await world.post(2);
    await world.run();
    expect(world.bare.received).toHaveLength(1);
    expect(await world.reviews()).toMatchObject([{ kind: "UnknownEffect" }]);
  });

  test("is not sent without a grant", async () => {
    const { world, people, id } = await inReview();
    await world.grants.revoke("acme", "grant:bare.first.v1", { by: "x", atMs: 1, reason: "t" });
    await forced(people, id, ivo, una);
    await world.run(world.worker(), 5000);
    expect(world.bare.received).toHaveLength(1);
    expect(await world.reviews()).toMatchObject([{ kind: "NoGrant" }]);
  });

  test("asked for on a review that has changed since has nothing to confirm", async () => {
    const { world, people, id } = await inReview();
    const { body } = await people.resolve(id, force, ivo);
    await world.post(2);
    await world.turn();
    expect(await people.confirm(id, { requestId: body.requestId }, una)).toMatchObject({
      status: 409,
      body: { type: expect.stringContaining("nothing-to-confirm") },
    });
  });

  test("is not forced by whoever set the case going, now or before", async () => {
    const { people, id, world } = await inReview();
    const told = { ...event(2), requestedBy: "ivo", receivedAtMs: world.nowMs() };
    await world.cases.createEvent(told);
    await world.turn();
    await world.post(3);
    await world.turn();
    expect((await world.record()).requestedBy).toBe("source:src");
    // The plan is behind the case by now: a retry is out of the question, a statement is not.
    const no = { how: "didNotHappen", forced: true, reason: "the supplier confirmed by phone" };
    expect(await people.resolve(id, no, ivo)).toMatchObject({
      status: 403,
      body: { type: expect.stringContaining("may-not-force") },
    });
    expect(await people.resolve(id, no, una)).toMatchObject({ status: 202 });
    const source: Who = ["source:src", "overrider@acme"];
    expect(await people.resolve(id, no, source)).toMatchObject({
      status: 403,
      body: { type: expect.stringContaining("may-not-force") },
    });
  });
});

test("a forced no, before the horizon, is a statement of two, and a later success contradicts it", async () => {
  const { world, people, id } = await inReview();
  const asked = await people.resolve(id, { how: "didNotHappen", forced: true }, ivo);
  await people.confirm(id, { requestId: asked.body.requestId }, una);
  await world.turn();
  expect((await world.effects())[0]).toMatchObject({
    status: "rejected",
    settledBy: "person",
    reason: expect.stringContaining("ivo, una"),
  });
});

describe("what was denied while a call of it may still land", () => {
  /** A worker is frozen behind its gate; meanwhile two people force a no, and its decider asks for the same again. */
  async function deniedWhileFrozen(thenDo: (world: World, people: Operators) => Promise<void>) {
    const world = newWorld({ decide: () => bareOnce });
    const people = operatorsOf(world);
    const { send } = world.bare;
    world.bare.send = async (request) => {
      world.bare.send = send;
      world.advance(30_000);
      await world.turn();
      const [review] = await world.reviews();
      const no = { how: "didNotHappen", forced: true, reason: "we see nothing there" };
      const { body } = await people.resolve(review?.id ?? "", no, ivo);
      await people.confirm(review?.id ?? "", { requestId: body.requestId }, una);
      await world.turn();
      await thenDo(world, people);
      return send(request);
    };
    await world.post(1);
    await world.turn();
    await world.run();
    return world;
  }

  test("is not done again before a person approves it, and is not done twice when the frozen call lands", async () => {
    const world = await deniedWhileFrozen(async ({ bare, cases }) => {
      expect(bare.received).toEqual([]);
      const { approvals, effects } = (await cases.read(key)).snapshot;
      expect(effects.map(({ status }) => status)).toEqual(["rejected", "prepared"]);
      expect(approvals.map(({ operationId }) => operationId)).toEqual([effects[1]?.operationId]);
      expect(approvals[0]?.consequence).toContain("denied while a call of it may still land");
    });
    expect(world.bare.applied).toHaveLength(1);
    expect((await world.effects())[0]).toMatchObject({ status: "rejected", contradicted: {} });
    expect((await world.reviews()).map(({ kind }) => kind)).toContain("Contradiction");
  });

  test("is done again once a person has approved it", async () => {
    const world = await deniedWhileFrozen(async ({ cases, nowMs, worker }) => {
      const [asked] = (await cases.read(key)).snapshot.approvals;
      const answer = { answerId: "a", decision: "approve", by: "ana", atMs: nowMs() } as const;
      await cases.answerApproval(key, { id: asked?.id ?? "", answer });
      await advanceCase(worker(), key);
    });
    expect(world.bare.applied).toHaveLength(2);
    expect((await world.effects())[1]).toMatchObject({ status: "confirmed" });
    expect((await world.effects())[0]).toMatchObject({ status: "rejected", contradicted: {} });
  });

  test("by force, before the horizon, is asked about as well; after it nobody is asked", async () => {
    for (const [afterMs, asked] of [
      [0, 1],
      [120_000, 0],
    ] as const) {
      const { world, people, id } = await inReview();
      world.advance(afterMs);
      const { body } = await people.resolve(id, { how: "didNotHappen", forced: true }, ivo);
      await people.confirm(id, { requestId: body.requestId }, una);
      await world.turn();
      expect((await world.cases.read(key)).snapshot.approvals).toHaveLength(asked);
      expect(world.bare.received).toHaveLength(2 - asked);
    }
  });
});

test("a retry within the provider's key needs no force, when only the machine's bounds stop it", async () => {
  const world = newWorld({ decide: () => ({ ...planOfTwo, notifications: [] }) as never });
  world.keyed.script = Array(attemptLimits.leftMax).fill("appliedAndDropped");
  await world.post(1);
  await world.run(world.worker(), keyContract.idempotency?.retentionMs ?? 0);
  const [review] = await world.reviews();
  expect(review?.kind).toBe("AttemptsExhausted");
  const people = operatorsOf(world);
  const shown = await people.show(review?.id ?? "");
  const retry = (shown.body["choices"] as { how: string; isPermitted: boolean }[]).find(
    ({ how }) => how === "retry",
  );
  expect(retry?.isPermitted).toBe(true);
  await people.resolve(review?.id ?? "", { how: "retry" });
  await world.run();
  expect((await world.effects())[0]).toMatchObject({ status: "confirmed" });
  expect(world.keyed.applied.filter(({ action }) => action === "keyed.first.v1")).toHaveLength(1);
});

test("a forced statement of one person, told past the API, is refused by the turn", async () => {
  const { world, people, id } = await inReview();
  const [effect] = await world.effects();
  const operationId = effect?.operationId ?? "";
  for (const [n, confirmedBy] of [undefined, "ivo"].entries()) {
    await world.cases.createFinding({
      id: `finding:${operationId}:alone${n}`,
      type: "finding",
      schemaVersion: 1,
      ...key,
      operationId,
      content: {
        kind: "statement",
        statement: { kind: "retry", forced: true },
        reason: "alone",
        about: { reviewId: id, attempts: 1 },
        ...(confirmedBy === undefined ? {} : { confirmedBy }),
      },
      by: "ivo",
      foundAtMs: world.nowMs(),
    });
  }
  await world.hints.send("cases", { ...key, hintId: "told", reason: "statement" });
  await world.run();
  expect(world.bare.received).toHaveLength(1);
  const findings = (await people.show(id)).body["findings"];
  expect(findings).toMatchObject([
    { verdict: "refused: what is forced takes a second person" },
    { verdict: "refused: what is forced takes a second person" },
  ]);
});

test("a retry after the provider's key may be pruned is forced only, and then sent all the same", async () => {
  const world = newWorld({ decide: () => ({ ...planOfTwo, notifications: [] }) as never });
  world.keyed.script = Array(attemptLimits.leftMax).fill("swallowed");
  await world.post(1);
  await world.run(world.worker(), keyContract.idempotency?.retentionMs ?? 0);
  const retentionMs = keyContract.idempotency?.retentionMs ?? 0;
  world.advance(retentionMs);
  const people = operatorsOf(world);
  const id = (await world.reviews())[0]?.id ?? "";
  expect(await people.resolve(id, { how: "retry" })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("pruned the key") },
  });
  await forced(people, id, ivo, una);
  await world.run();
  expect(world.keyed.received.filter(({ action }) => action === "keyed.first.v1")).toHaveLength(
    attemptLimits.leftMax + 1,
  );
  expect((await world.effects())[0]).toMatchObject({ status: "confirmed" });
});
