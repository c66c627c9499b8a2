// Two codes on one store: what the newer one wrote is left alone by the older one, and nothing is lost (design.md 5, rule 0).
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { newerGraceMs } from "../../shared/domain/decisions/leave.ts";
import { TransientFault } from "../../shared/domain/faults.ts";
import { answerApproval } from "../../shared/flow/operate/approvals/answer-approval.ts";
import { eraseCase } from "../../shared/flow/operate/cases/erase-case.ts";
import { advanceCase } from "../../shared/flow/turn/advance-case.ts";
import { investigateCase } from "../../shared/flow/operate/cases/investigate-case.ts";
import { showCase } from "../../shared/flow/operate/cases/show-case.ts";
import type { LogFields } from "../../shared/flow/turn/turn.ts";
import { reconcileEffects } from "../../shared/flow/wake/reconcile-effects.ts";
import { sweepDue } from "../../shared/flow/wake/sweep-due.ts";
import { memoryOperators } from "../memory/memory-operators.ts";
import { event, planOf, planOfTwo } from "../domain/situations.ts";
import { codeOf } from "./codes.ts";
import { operatorsOf } from "./operate/operators.ts";
import { key, newWorld, type World } from "./world.ts";
import { silentTelemetry } from "../../shared/telemetry/telemetry.ts";

const person = { id: "p-1", isPerson: true, roleClaims: [] };
function listening() {
  const lines: { message: string; fields: LogFields }[] = [];
  const take = (message: string, fields: LogFields) => void lines.push({ message, fields });
  return { lines, info: take, warn: take, error: take };
}

test("a call that was made when its provider might apply it for an hour is not denied after a minute, because a deploy has shortened that", async () => {
  const action = { action: "bare.first.v1", target: "T-1", payload: {} };
  const world = newWorld({ decide: () => planOf([action]) });
  const { contract } = world.bare;
  world.bare.contract = { ...contract, horizonMs: 3_600_000 };
  world.bare.script = ["appliesLate"];
  await world.post(1);
  await world.run(world.worker(), 20_000);
  world.bare.contract = { ...contract, revision: 2 };
  world.advance(2 * contract.horizonMs);
  const people = operatorsOf(world);
  const [review] = await people.reviews();
  const said = await people.resolve(review?.id ?? "", { how: "didNotHappen" });
  expect(said).toMatchObject({ status: 409, body: { detail: expect.stringContaining("horizon") } });
  await world.run(world.worker(), 1000);
  world.applyLate();
  expect(world.bare.applied).toHaveLength(1);
  world.advance(3_600_000);
  await people.resolve(review?.id ?? "", { how: "didNotHappen" });
  await world.run(world.worker(), 1000);
  expect((await world.effects())[0]).toMatchObject({ status: "rejected", settledBy: "person" });
});

/** All that is stored of the case, with the store's own fields: any write would show. */
const stored = (world: World) => JSON.stringify(world.cases.stored(key));

/** A case in mid-plan, with a question, a review, a finding and an event that nobody has folded. */
async function busyWorld(): Promise<World> {
  const world = newWorld({ approve: ["keyed.second.v1"], decide: () => planOfTwo });
  await world.post(1);
  await world.run(world.worker(), 1000);
  await world.post(2, { n: 1 });
  const [effect] = await world.effects();
  if (effect === undefined) throw new Error("no effect");
  world.cases.plant(key, {
    id: `review:${effect.operationId}:9`,
    type: "review",
    schemaVersion: 1,
    ...key,
    subject: effect.operationId,
    kind: "UnknownEffect",
    why: "test",
    consequence: "test",
    caseVersion: 1,
    openedAtMs: world.nowMs(),
  } as { id: string });
  world.cases.plant(key, {
    id: `finding:${effect.operationId}:x`,
    type: "finding",
    schemaVersion: 1,
    ...key,
    operationId: effect.operationId,
    content: { kind: "attemptEnd", attempt: 1, answer: { kind: "notSent", reason: "test" } },
    by: "test",
    foundAtMs: world.nowMs(),
  } as { id: string });
  return world;
}

function makeNewer(world: World, type: string): void {
  const document = world.cases.stored(key).findLast((one) => one.type === type);
  if (document === undefined) throw new Error(`no ${type}`);
  world.cases.plant(key, { ...document, schemaVersion: 2, fieldOfLater: true } as { id: string });
}

describe("a case of which newer code wrote", () => {
  const kinds = ["case", "effect", "event", "finding", "approval", "review"];

  test.each(kinds)(
    "its %s is left alone however often it is looked at, and reported, without a write",
    async (type) => {
      const world = await busyWorld();
      makeNewer(world, type);
      const before = stored(world);
      const log = listening();
      const old = world.worker({ log });
      const redelivered = { redelivered: true };
      world.advance(3_600_000);
      for (let look = 0; look < 6; look += 1) {
        expect(await advanceCase(old, key, redelivered)).toMatchObject({ kind: "left" });
        world.advance(60_000);
      }
      expect(stored(world)).toBe(before);
      expect(world.keyed.received).toEqual([]);
      expect(log.lines[0]?.message).toBe("left alone: written by newer code");
    },
  );

  test.each(kinds)("its %s raises no false alert, and no answer or wish is taken", async (type) => {
    const world = await busyWorld();
    const all = world.cases.stored(key);
    makeNewer(world, type);
    const before = stored(world);
    const log = listening();
    const { book, cases, control, hints } = world;
    const nowMs = () => world.nowMs();
    const common = { book, cases, control, hints, log, nowMs };
    const ports = { ...common, random: () => "r", telemetry: silentTelemetry };
    const reconciled = await reconcileEffects(ports, all);
    expect(reconciled).toMatchObject({ alerts: 0, failed: 0 });
    const request = { key, answerId: "a-1", principal: person } as const;
    const answer = await answerApproval(ports, {
      ...request,
      approvalId: "approval:1:1",
      decision: "approve",
    });
    expect(answer.kind).toBe("unavailable");
    expect((await investigateCase(ports, { key, principal: person })).kind).toBe("unavailable");
    expect(
      (
        await eraseCase(
          { ...ports, operators: memoryOperators(world.cases) },
          { key, principal: person },
        )
      ).kind,
    ).toBe("refused");
    const wanted = { ...key, externalRef: undefined, mayReadContent: true };
    const shown = await showCase({ ...world, caseIdKey: new Uint8Array() }, wanted);
    expect(shown).toMatchObject({ body: { incomplete: true } });
    expect(stored(world)).toBe(before);
  });

  test("is looked at again by a hint of its own, one a slot, until code that knows it goes on", async () => {
    const world = await busyWorld();
    const { snapshot } = await world.cases.read(key);
    const record = { ...snapshot.case, workflow: { type: "test-flow", revision: 2 } };
    world.cases.plant(key, record as { id: string });
    while (world.hints.receive("cases")?.complete() !== undefined);
    for (let look = 0; look < 5; look += 1) await world.turn();
    const waiting = world.hints.waiting("cases").filter(({ hint }) => hint.reason === "left alone");
    expect(waiting).toHaveLength(1);
    expect(waiting[0]?.activeAtMs).toBeGreaterThan(world.nowMs());
    expect(waiting[0]?.activeAtMs).toBeLessThanOrEqual(world.nowMs() + 300_000);
  });

  test("keeps the crashes that newer code has counted, when no hint to look again can be sent", async () => {
    const world = await busyWorld();
    const { snapshot } = await world.cases.read(key);
    const workflow = { type: "test-flow", revision: 2 };
    const record = { ...snapshot.case, workflow, crashes: 2 };
    world.cases.plant(key, record as { id: string });
    const before = stored(world);
    world.hints.beforeSend = () => Promise.reject(new TransientFault("down"));
    await expect(world.turn()).rejects.toThrow(TransientFault);
    expect(stored(world)).toBe(before);
  });
});

describe("an event of a workflow type that this code does not have", () => {
  test("is left unfolded by the older worker, and folded by the newer one", async () => {
    const world = newWorld();
    const log = listening();
    const older = world.worker({ book: codeOf(world, { workflow: "none" }), log });
    await world.post(1);
    const before = stored(world);
    for (let minute = 0; minute < 30; minute += 1) {
      await world.turn(older);
      world.advance(60_000);
    }
    expect(stored(world)).toBe(before);
    expect(new Set(log.lines.map(({ message }) => message))).toEqual(
      new Set(["left alone: written by newer code"]),
    );
    await world.turn();
    expect(await world.record()).toMatchObject({ status: "done", facts: { n: 1 } });
  });

  test("reaches the newer worker by the sweep alone", async () => {
    const world = newWorld();
    await world.post(1);
    world.hints.receive("cases")?.complete();
    world.advance(60_000);
    await sweepDue(world.worker(), { wallClockMs: world.nowMs() });
    await world.run();
    expect((await world.record()).status).toBe("done");
  });

  test("is left in peace in a case that exists, too, as long as a deploy may be rolling", async () => {
    const world = await busyWorld();
    const before = stored(world);
    const older = world.worker({ book: codeOf(world, { workflow: "none" }) });
    world.advance(newerGraceMs / 2);
    expect(await world.turn(older)).toMatchObject({ kind: "left" });
    expect(stored(world)).toBe(before);
  });
});

describe("an event of a type that newer code has added to its workflow", () => {
  const more = { ...event(2, { n: 2 }), eventType: "told.more" };
  async function told(): Promise<World> {
    const world = newWorld({ decide: () => ({ kind: "wait", why: "test" }) });
    await world.post(1);
    await world.run();
    await world.cases.createEvent({ ...more, receivedAtMs: world.nowMs() });
    return world;
  }

  test("is not folded away by the older worker, and folded by the newer one", async () => {
    const world = await told();
    const before = stored(world);
    expect(await world.turn()).toMatchObject({ kind: "left" });
    expect(stored(world)).toBe(before);
    const events = { ...world.book.workflow("test-flow")?.events, "told.more": z.looseObject({}) };
    await world.turn(world.worker({ book: codeOf(world, { workflow: { events } }) }));
    expect(await world.record()).toMatchObject({ facts: { n: 2 } });
  });

  test("is shown to a person when that code has been rolled back for an hour, and does not vanish", async () => {
    const world = await told();
    await world.turn();
    world.advance(newerGraceMs);
    await world.turn();
    expect((await world.record()).held).toMatchObject({
      reason: "EventRefused",
      detail: expect.stringContaining("told.more"),
    });
  });
});
