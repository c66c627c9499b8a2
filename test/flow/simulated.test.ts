// What the simulation found, each as a small trace of its own. The rule that cured it is named; without it the test fails.
import { describe, expect, test } from "vitest";
import { next } from "../../shared/domain/decisions/next.ts";
import { recover } from "../../shared/domain/decisions/recover.ts";
import type { Finding } from "../../shared/domain/records/evidence.ts";
import type { EffectOf } from "../../shared/domain/records/effect.ts";
import { effectOf, withCase, type Snapshot } from "../../shared/domain/records/snapshot.ts";
import { markOrphaned } from "../../shared/domain/transitions/claim.ts";
import { foldFindings } from "../../shared/domain/transitions/fold-findings.ts";
import { holdCase, holdEffect } from "../../shared/domain/transitions/reviews.ts";
import {
  book,
  callTimeoutMs,
  claimedCase,
  firstOf,
  key,
  noContract,
  nowMs,
  settled,
} from "../domain/situations.ts";
import { newWorld } from "./world.ts";

const settleMs = 120_000;
const search = {
  ...noContract,
  lookup: { by: "search", consistency: "eventual", settleMs },
} as const;

/** Its answer was lost; one search was made, long after everything had settled. */
function searchedOnce(absent: boolean): EffectOf<"unknown"> {
  const lost = settled(claimedCase(), { kind: "noAnswer", reason: "reset" });
  const effect = effectOf(lost, firstOf(lost).operationId);
  if (effect.status !== "unknown") throw new Error("it should be unknown");
  const startedAtMs = nowMs + 3_600_000;
  const { account, apiVersion, contractRevision } = effect;
  const absence = {
    absentStartedAtMs: startedAtMs,
    absentUnder: { account, apiVersion, contractRevision },
  };
  return {
    ...effect,
    lookups: {
      count: 1,
      lastStartedAtMs: startedAtMs,
      ...(absent ? absence : {}),
      notBeforeMs: startedAtMs + callTimeoutMs,
    },
  };
}

describe("a retry long after the key's time", () => {
  const retentionMs = 24 * 3_600_000;

  test("is let through the gate by a strong absence that came after every deadline, and is confirmed", async () => {
    const world = newWorld();
    const lookup = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
    world.keyed.contract = { ...world.keyed.contract, lookup };
    world.keyed.lookup = async () => ({ kind: "absent" });
    world.keyed.script = ["swallowed"];
    await world.post(1);
    await world.turn();
    world.advance(retentionMs);
    await world.run();
    const [first] = await world.effects();
    expect(first).toMatchObject({ status: "confirmed", attempts: [{ n: 1 }, { n: 2 }] });
    expect(world.keyed.applied.map(({ action }) => action)).toEqual([
      "keyed.first.v1",
      "keyed.second.v1",
    ]);
  });

  test("is stopped at the gate when the key ran out on the way there, and nothing has shown that it is absent", async () => {
    const world = newWorld();
    world.keyed.script = ["swallowed"];
    await world.post(1);
    await world.turn();
    const sent = world.keyed.received.length;
    const { marginMs = 0 } = world.keyed.contract.idempotency ?? {};
    const [first] = await world.effects();
    const startedMs = first?.attempts[0]?.claimedAtMs ?? 0;
    world.advance(startedMs + retentionMs - marginMs - world.nowMs());
    let visits = 0;
    const slow = world.worker({
      async at(name, act) {
        if (name === "gate" && (visits += 1) === 1) world.advance(2000);
        return act();
      },
    });
    await world.turn(slow);
    expect(visits).toBe(1);
    expect(world.keyed.received).toHaveLength(sent);
    expect((await world.effects())[0]).toMatchObject({
      status: "unknown",
      attempts: [{ n: 1 }, { n: 2, end: { kind: "notSent" } }],
    });
  });
});

// The worker's own half of the trace below: nobody overtook it, so it settles its attempt itself.
test("a worker that was frozen behind its gate counts the horizon from when its own socket closed", async () => {
  const world = newWorld();
  world.keyed.script = ["swallowed"];
  let thawedMs = 0;
  const frozen = world.worker({
    async at(name, act) {
      if (name !== "send") return act();
      world.advance(90_000);
      const answer = await act();
      thawedMs = world.nowMs();
      return answer;
    },
  });
  await world.post(1);
  await world.turn(frozen);
  const [effect] = await world.effects();
  expect(effect).toMatchObject({ status: "unknown", attempts: [{ end: { kind: "noAnswer" } }] });
  expect(effect?.attempts[0]?.deadlineMs).toBeGreaterThanOrEqual(thawedMs);
});

// simulate --seed 1 --schedule 51: the only search, made late, met a 503, and a person got what one more would have shown.
test("a search that gave no answer is asked again; only one that showed nothing goes to a person", () => {
  const facts = { contract: search, account: "acme", apiVersion: "v1", current: true };
  const laterMs = nowMs + 3_700_000;
  expect(recover({ ...facts, effect: searchedOnce(false), nowMs: laterMs })).toEqual({
    kind: "lookUp",
  });
  expect(recover({ ...facts, effect: searchedOnce(true), nowMs: laterMs })).toMatchObject({
    kind: "review",
  });
});

// simulate --seed 3 --schedule 384 (freeze at send, call landing late): the horizon was counted from the claim's own
// deadline, a look-up inside the true horizon found nothing, and the call was sent twice.
test("a worker that was frozen behind its gate ends its attempt when its socket closes, not at the claim's deadline", () => {
  const claimed = claimedCase();
  const { operationId } = firstOf(claimed);
  const thawedMs = nowMs + 90_000;
  const orphaned = markOrphaned(claimed, operationId, {
    deadlineMs: nowMs + 11_000,
    nowMs: nowMs + 12_000,
  });
  const told: Snapshot = {
    ...orphaned,
    findings: [
      {
        id: `finding:${operationId}:end`,
        type: "finding",
        schemaVersion: 1,
        ...key,
        operationId,
        content: {
          kind: "attemptEnd",
          attempt: 1,
          answer: { kind: "noAnswer", reason: "timed out" },
        },
        by: "thawed",
        foundAtMs: thawedMs,
      },
    ],
  };
  const folded = foldFindings(told, operationId, { book, nowMs: thawedMs });
  const [attempt] = effectOf(folded, operationId).attempts;
  expect(attempt?.end?.kind).toBe("noAnswer");
  expect(attempt?.deadlineMs).toBeGreaterThanOrEqual(thawedMs);
});

// simulate --seed 3 --schedule 1072: a contradiction held the case, and an unknown of its plan was neither looked up nor shown.
test("a hold stops claims and decisions, and still lets what is unknown go to a look-up or a person", () => {
  const lost = settled(claimedCase(), { kind: "noAnswer", reason: "reset" });
  const { operationId } = firstOf(lost);
  const held = withCase(lost, { contradictionsOpen: 1 });
  const soonMs = nowMs + 3_600_000;
  expect(next(held, book, { nowMs: soonMs })).toMatchObject({ kind: "wait" });
  const dayLaterMs = nowMs + 30 * 3_600_000;
  expect(next(held, book, { nowMs: dayLaterMs })).toMatchObject({
    kind: "openReview",
    operationId,
  });
});

// simulate --seed 3 --schedule 280: workers died of a case, it was parked, and its last call stayed "started" for good.
test("a parked case's call is over at its deadline, and a person sees that its end is unknown", () => {
  const claimed = claimedCase();
  const { operationId } = firstOf(claimed);
  const held = { reason: "Poison", detail: "test", reviewRef: "review:case:1" } as const;
  const parked = withCase(claimed, { held });
  const laterMs = nowMs + 60_000;
  const over = next(parked, book, { nowMs: laterMs });
  expect(over).toMatchObject({ kind: "markUnknown", operationId });
  const unknown = markOrphaned(parked, operationId, { deadlineMs: laterMs, nowMs: laterMs });
  expect(next(unknown, book, { nowMs: laterMs })).toMatchObject({
    kind: "openReview",
    operationId,
  });
});

// simulate --seed 20261129 --schedule 336: a person released a parked case, and what its parking had put before a person stayed
// there, though a look-up would have settled it.
test("a parked case that is released goes on with what its parking had shown to a person", () => {
  const unknown = settled(claimedCase(), { kind: "noAnswer", reason: "reset" });
  const { operationId } = firstOf(unknown);
  const parked = holdCase(unknown, { reason: "Poison", why: "test", nowMs });
  const shown = holdEffect(parked, effectOf(parked, operationId), {
    kind: "UnknownEffect",
    why: "its case is parked",
    consequence: "test",
    nowMs,
  });
  const told: Finding = {
    id: "finding:case:1",
    type: "finding",
    schemaVersion: 1,
    ...key,
    operationId: "case",
    content: {
      kind: "statement",
      statement: { kind: "release" },
      reason: "test",
      about: { reviewId: parked.case?.held?.reviewRef ?? "", attempts: 0 },
    },
    by: "p-1",
    foundAtMs: nowMs,
  };
  const released = foldFindings({ ...shown, findings: [told] }, "case", { book, nowMs });
  expect(released.case?.held).toBeUndefined();
  expect(effectOf(released, operationId).reviewRef).toBeUndefined();
  expect(released.reviews.filter(({ resolution }) => resolution === undefined)).toEqual([]);
  expect(next(released, book, { nowMs: nowMs + 60_000 }).kind).toBe("claim");
});

// simulate --seed 11 --schedules 127 and 1891: a worker thawed after a person had given its effect up; what it told made the
// effect unknown without a review, or prepared without a plan.
test.each(["noAnswer", "notSent"] as const)(
  "an abandoned effect stays abandoned when its worker comes back with %s",
  (kind) => {
    const claimed = claimedCase();
    const { operationId } = firstOf(claimed);
    const orphaned = markOrphaned(claimed, operationId, { deadlineMs: nowMs, nowMs });
    const finding = (n: number, content: Finding["content"]): Finding => ({
      id: `finding:${operationId}:${n}`,
      type: "finding",
      schemaVersion: 1,
      ...key,
      operationId,
      content,
      by: "test",
      foundAtMs: nowMs,
    });
    const fold = (from: Snapshot, told: Finding) =>
      foldFindings({ ...from, findings: [told] }, operationId, { book, nowMs });
    const statement = { kind: "abandon" } as const;
    const abandoned = fold(orphaned, finding(1, { kind: "statement", statement, reason: "test" }));
    const answer = { kind, reason: "late" } as const;
    const thawed = fold(abandoned, finding(2, { kind: "attemptEnd", attempt: 1, answer }));
    expect(effectOf(thawed, operationId)).toMatchObject({
      status: "unknown",
      abandonedBy: "test",
      attempts: [{ end: { kind } }],
    });
  },
);
