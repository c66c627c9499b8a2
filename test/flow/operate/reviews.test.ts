// A person resolves a review (design.md 4; seed 2): judged by the contract and the horizon, stated once, settled by a turn.
import { describe, expect, test } from "vitest";
import { attemptLimits } from "../../../shared/domain/decisions/recover.ts";
import { TransientFault } from "../../../shared/domain/faults.ts";
import type { Statement } from "../../../shared/domain/records/evidence.ts";
import { receiptFor } from "../../domain/situations.ts";
import { key, newWorld, type World } from "../world.ts";
import {
  ana,
  bareOnce,
  ben,
  operatorsOf,
  rita,
  unknownCase,
  type Operators,
  type Said,
} from "./operators.ts";

const firstOf = async (world: World) => (await world.effects())[0];
const openOf = async (world: World) => (await world.reviews())[0]?.id ?? "none";
/** Past the deadline of the call and the sixty seconds after it. */
const horizonMs = 80_000;

interface ShownChoice {
  how: string;
  isPermitted: boolean;
  fromMs?: number;
  mayBeForced: boolean;
}
const choicesIn = ({ body }: Said) => body["choices"] as ShownChoice[];

async function inReview(
  ...asked: Parameters<typeof unknownCase>
): Promise<{ world: World; people: Operators; id: string }> {
  const world = await unknownCase(...asked);
  return { world, people: operatorsOf(world), id: await openOf(world) };
}

/** The provider's own word that it happened. */
async function report(world: World): Promise<void> {
  const effect = await firstOf(world);
  if (effect === undefined) throw new Error("no effect");
  await world.report(receiptFor(effect));
}

describe("an unknown effect in review", () => {
  test("shows what was attempted, the contract in words, and each choice with its consequence", async () => {
    const { people, id } = await inReview();
    const { body, status } = await people.show(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      review: { kind: "UnknownEffect" },
      effect: { status: "unknown", attempts: [{ n: 1 }], payload: { secret: "s3cret" } },
      contract: { says: expect.arrayContaining([expect.stringContaining("enforces no key")]) },
    });
    expect(choicesIn({ body, status }).map(({ how, isPermitted }) => [how, isPermitted])).toEqual([
      ["happened", true],
      ["didNotHappen", false],
      ["retry", false],
      ["lookAgain", false],
      ["abandon", true],
    ]);
  });

  test("shows a reader no payload and no target", async () => {
    const { people, id } = await inReview();
    const { body } = await people.show(id, rita);
    expect(body["effect"]).toMatchObject({ isHidden: true, status: "unknown" });
    expect(JSON.stringify(body)).not.toContain("s3cret");
  });

  test("that happened is confirmed by a person, and the case goes on without a send", async () => {
    const { world, people, id } = await inReview("appliedAndDropped");
    expect(await people.resolve(id, { how: "happened", providerId: "CN-1" })).toMatchObject({
      status: 202,
      body: { state: "recorded" },
    });
    expect(await firstOf(world)).toMatchObject({ status: "unknown" });
    await world.run();
    expect(await firstOf(world)).toMatchObject({
      status: "confirmed",
      settledBy: "person",
      receipt: { providerId: "CN-1", content: { statedBy: "ana" } },
    });
    expect((await world.record()).status).toBe("done");
    expect(world.bare.applied).toHaveLength(1);
    expect((await people.show(id)).body["review"]).toMatchObject({
      resolution: { by: "ana", reason: "I looked" },
    });
  });

  test("is not believed undone before the horizon, and says from when (counterexample 11)", async () => {
    const { world, people, id } = await inReview("appliesLate");
    const refused = await people.resolve(id, { how: "didNotHappen" });
    expect(refused).toMatchObject({
      status: 409,
      body: { type: expect.stringContaining("not-permitted") },
    });
    expect(refused.body.detail).toMatch(/permitted from 2026-11-29T12:0\d/);
    world.applyLate();
    await world.run();
    expect(await firstOf(world)).toMatchObject({ status: "unknown" });
    expect(world.bare.applied).toHaveLength(1);
  });

  test("that did not happen, once the horizon has passed, is rejected and decided anew", async () => {
    let asked = 0;
    const { world, people, id } = await inReview("swallowed", {
      decide: ({ effects }) => {
        asked += 1;
        const action = { action: "bare.first.v1", target: "T", payload: { n: asked } };
        expect(effects).toHaveLength(asked - 1);
        return { kind: "plan", why: "t", actions: [action], nextStatus: "done", notifications: [] };
      },
    });
    world.advance(horizonMs);
    expect(await people.resolve(id, { how: "didNotHappen" })).toMatchObject({ status: 202 });
    await world.run();
    expect((await world.effects()).map(({ status }) => status)).toEqual(["rejected", "confirmed"]);
    expect(world.bare.applied).toHaveLength(1);
  });

  test("that is given up stays unknown, and a receipt that comes later still settles it", async () => {
    const { world, people, id } = await inReview("swallowed");
    await people.resolve(id, { how: "abandon" });
    await world.run(world.worker(), 5000);
    expect(await firstOf(world)).toMatchObject({ status: "unknown", abandonedBy: "ana" });
    await report(world);
    await world.turn();
    expect(await firstOf(world)).toMatchObject({ status: "confirmed", settledBy: "finding" });
  });

  test("that is given up and settled after its case has closed without it is shown to a person, once", async () => {
    const instead = { action: "keyed.first.v1", target: "T", payload: { amount: "1.00" } };
    const { world, people, id } = await inReview("swallowed", {
      decide: ({ effects }) =>
        effects.length === 0 ? bareOnce : { ...bareOnce, actions: [instead] },
    });
    await people.resolve(id, { how: "abandon" });
    await world.run();
    expect(await world.record()).toMatchObject({ status: "done" });
    const { version } = await world.record();
    await report(world);
    await world.turn();
    expect(await firstOf(world)).toMatchObject({ status: "confirmed", settledBy: "finding" });
    expect(await world.record()).toMatchObject({ status: "done", version: version + 1 });
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["FactsChangedAfterEnd"]);
  });
});

test("a prepared effect that was turned away too often is sent once more on one person's word", async () => {
  const world = newWorld({ decide: () => bareOnce });
  world.bare.script = Array.from({ length: attemptLimits.notSentMax }, () => "turnsAway" as const);
  await world.post(1);
  await world.run(world.worker(), 48 * 3_600_000);
  const people = operatorsOf(world);
  expect(await people.resolve(await openOf(world), { how: "retry" })).toMatchObject({
    status: 202,
  });
  await world.run();
  expect(await firstOf(world)).toMatchObject({ status: "confirmed" });
  expect(world.bare.applied).toHaveLength(1);
});

describe("a statement", () => {
  test("of two operators at once: one wins, the other is told by whom and when", async () => {
    const { world, people, id } = await inReview();
    const answers = await Promise.all([
      people.resolve(id, { how: "happened", providerId: "X" }, ana),
      people.resolve(id, { how: "abandon" }, ben),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 409]));
    const lost = answers.find(({ status }) => status === 409);
    expect(lost?.body.detail).toMatch(/before: \w+, by (ANA|BEN) \((ana|ben)\) at 2026-/);
    await world.run();
    const late = await people.resolve(id, { how: "abandon" }, ben);
    expect(late).toMatchObject({
      status: 409,
      body: { type: expect.stringContaining("resolved-before") },
    });
  });

  test("told twice under one decision id is one", async () => {
    const { world, people, id } = await inReview();
    const same = { how: "happened", providerId: "X", decisionId: "same" };
    const first = await people.resolve(id, same);
    expect(await people.resolve(id, same)).toEqual(first);
    await world.run();
    expect(await people.resolve(id, same)).toEqual(first);
    const findings = world.cases.stored(key).filter(({ type }) => type === "finding");
    expect(findings).toHaveLength(1);
  });

  test("about a review that has changed since is refused, by the API and by the turn", async () => {
    const { world, people, id } = await inReview();
    const stale = await people.resolve(id, { how: "abandon", expectedVersion: "v0.a0.f0.x" });
    expect(stale).toMatchObject({
      status: 409,
      body: { type: expect.stringContaining("changed-since") },
    });
    const finding = {
      id: `finding:${(await firstOf(world))?.operationId}:late`,
      type: "finding",
      schemaVersion: 1,
      ...key,
      operationId: (await firstOf(world))?.operationId ?? "",
      content: {
        kind: "statement",
        statement: { kind: "didNotHappen", forced: false },
        reason: "looked",
        about: { reviewId: id, attempts: 1 },
      },
      by: "ana",
      foundAtMs: world.nowMs(),
    } as const;
    await world.cases.createFinding(finding);
    await world.turn();
    expect(await firstOf(world)).toMatchObject({ status: "unknown" });
    expect(world.cases.stored(key).find((one) => one.id === finding.id)?.["folded"]).toMatchObject({
      verdict: expect.stringContaining("refused: a call that left may still be applied"),
    });
    // A refused statement uses nothing up: the next one is taken.
    expect(await people.resolve(id, { how: "abandon" })).toMatchObject({ status: 202 });
  });

  test("that lay beside another when its turn came is not taken as well: the first one has resolved the review", async () => {
    const { world, id } = await inReview();
    const effect = await firstOf(world);
    const finding = (n: number, statement: Statement) => ({
      id: `finding:${effect?.operationId}:${n}`,
      type: "finding" as const,
      schemaVersion: 1 as const,
      ...key,
      operationId: effect?.operationId ?? "",
      content: {
        kind: "statement" as const,
        statement,
        reason: "looked",
        about: { reviewId: id, attempts: 1 },
      },
      by: n === 1 ? "ana" : "ben",
      foundAtMs: world.nowMs(),
    });
    const forced = { kind: "retry", forced: true } as const;
    await world.cases.createFinding({
      ...finding(1, forced),
      content: { ...finding(1, forced).content, confirmedBy: "una" },
    });
    await world.cases.createFinding(finding(2, { kind: "abandon" }));
    await world.turn();
    await world.run();
    expect(world.bare.received).toHaveLength(2);
    expect(await firstOf(world)).toMatchObject({ status: "confirmed" });
  });

  test("whose hint cannot be sent stands all the same, and is found by the sweep", async () => {
    const { world, people, id } = await inReview();
    world.hints.beforeSend = () => {
      throw new TransientFault("the broker is down");
    };
    expect(await people.resolve(id, { how: "abandon" })).toMatchObject({ status: 202 });
    const due = await world.cases.due({ nowMs: world.nowMs() + 16_000, max: 10, from: "oldest" });
    expect(due).toMatchObject([{ documentId: expect.stringContaining("finding:") }]);
  });

  test("that is missing something is told which field", async () => {
    const { people, id } = await inReview();
    const answer = await people.resolve(id, { how: "happened", forced: true, reason: "x" });
    expect(answer.status).toBe(400);
    const fields = (answer.body["errors"] as { field: string }[]).map(({ field }) => field);
    expect(fields).toContain("reason");
    const other = await people.resolve(id, { how: "happened" });
    expect(other.body["errors"]).toMatchObject([{ field: "providerId" }]);
  });

  test("contradicted by a later receipt holds the case until somebody has seen it", async () => {
    const { world, people, id } = await inReview("appliesLate");
    world.advance(horizonMs);
    await people.resolve(id, { how: "didNotHappen" });
    await world.turn();
    await report(world);
    await world.turn();
    const [contradiction] = await people.reviews();
    expect(contradiction).toMatchObject({ kind: "Contradiction" });
    expect((await world.record()).contradictionsOpen).toBe(1);
    await people.resolve(contradiction?.id ?? "", { how: "acknowledge" });
    await world.run();
    expect((await world.record()).contradictionsOpen).toBe(0);
    expect(await firstOf(world)).toMatchObject({ contradicted: { why: expect.any(String) } });
  });

  test("leaves a record of who, what, why and what came of it, refused ones too", async () => {
    const { world, people, id } = await inReview();
    await people.resolve(id, { how: "didNotHappen" });
    world.advance(1000);
    await people.resolve(id, { how: "abandon", reason: "nobody knows" }, ben);
    const { rows } = await people.store.records({ tenantId: "acme", max: 10 });
    expect(rows).toMatchObject([
      { by: "ben", reason: "nobody knows", details: { how: "abandon" }, outcome: { kind: "done" } },
      { by: "ana", subject: id, outcome: { kind: "refused", detail: expect.any(String) } },
    ]);
  });
});
