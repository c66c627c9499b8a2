// The order of design.md 5, row by row. Nothing is faked; the time is passed in.
import { describe, expect, test } from "vitest";
import { newerGraceMs } from "../../shared/domain/decisions/leave.ts";
import { next } from "../../shared/domain/decisions/next.ts";
import { dueAtMsOf } from "../../shared/domain/due.ts";
import { holdCase } from "../../shared/domain/transitions/reviews.ts";
import { emptySnapshot, type Snapshot } from "../../shared/domain/records/snapshot.ts";
import { askApprovals } from "../../shared/domain/transitions/ask-approvals.ts";
import { endPlan } from "../../shared/domain/transitions/plan.ts";
import { commitPlan } from "../../shared/domain/transitions/plan.ts";
import { foldEvent } from "../../shared/domain/transitions/fold-event.ts";
import { applyDecision } from "../../shared/domain/transitions/decide.ts";
import {
  book,
  bookWith,
  callTimeoutMs,
  claimedCase,
  event,
  firstOf,
  key,
  nowMs,
  openedCase,
  plannedCase,
  planOfTwo,
  receiptFor,
  settled,
  withEvent,
} from "./situations.ts";

const step = (snapshot: Snapshot, atMs: number | undefined = nowMs) =>
  next(snapshot, book, { nowMs: atMs });

function bothConfirmed(): Snapshot {
  return settled(claimedCase(settled(claimedCase(), "receipt")), "receipt");
}

describe("nothing is known", () => {
  test("a hint for no case does nothing", () => {
    expect(step(emptySnapshot(key))).toEqual({ kind: "nothing" });
  });

  test("an event opens the case", () => {
    expect(step(withEvent(emptySnapshot(key), event(1)))).toEqual({
      kind: "foldEvent",
      eventId: "event:src:e1",
    });
  });

  test("the older of two events is folded first", () => {
    const both = withEvent(withEvent(emptySnapshot(key), event(2)), event(1));
    expect(step(both)).toMatchObject({ eventId: "event:src:e1" });
  });
});

describe("documents of newer code", () => {
  test("are left alone, whatever else there is to do", () => {
    const newer = { ...withEvent(openedCase(), event(2)), newerSchema: true };
    expect(step(newer).kind).toBe("leave");
  });

  test("so is a case that a newer revision decided", () => {
    const snapshot = openedCase();
    const record = snapshot.case && {
      ...snapshot.case,
      workflow: { type: "test-flow", revision: 2 },
    };
    expect(step({ ...snapshot, ...(record && { case: record }) }).kind).toBe("leave");
    const erased = record && { ...record, erased: { by: "p", atMs: nowMs } };
    const late = withEvent({ ...snapshot, ...(erased && { case: erased }) }, event(2));
    expect(step(late).kind).toBe("leave");
  });
});

test("a case in mid-plan whose workflow is gone is held, once it cannot be a deploy that rolls", () => {
  const empty = { ...book, workflow: () => undefined };
  const look = (atMs: number) => next(plannedCase(), empty, { nowMs: atMs });
  expect(look(nowMs + newerGraceMs - 1).kind).toBe("leave");
  expect(look(nowMs + newerGraceMs)).toMatchObject({
    kind: "awaitCode",
    reason: "UnknownWorkflow",
  });
});

describe("a started effect", () => {
  const deadlineMs = nowMs + 1000 + callTimeoutMs;

  test("is waited for until its call must be over, by the store's clock", () => {
    expect(step(claimedCase(), deadlineMs - 1)).toEqual({ kind: "wait", untilMs: deadlineMs });
  });

  test("is unknown, not resent, once its call must be over", () => {
    expect(step(claimedCase(), deadlineMs)).toMatchObject({ kind: "markUnknown", deadlineMs });
  });

  test("counts as running while the store tells no time", () => {
    const blind = next(claimedCase(), book, { nowMs: undefined });
    expect(blind).toEqual({ kind: "wait", untilMs: undefined });
  });

  test("lets a new event wait until the call is over", () => {
    expect(step(withEvent(claimedCase(), event(2)), nowMs)).toMatchObject({ kind: "wait" });
  });

  test("is settled by a finding first, even while its call runs", () => {
    const snapshot = claimedCase();
    const effect = firstOf(snapshot);
    const finding = {
      id: `finding:${effect.operationId}:1`,
      type: "finding" as const,
      schemaVersion: 1 as const,
      ...key,
      operationId: effect.operationId,
      content: { kind: "providerReport" as const, receipt: receiptFor(effect) },
      by: "source",
      foundAtMs: nowMs,
    };
    const informed = withEvent({ ...snapshot, findings: [finding] }, event(2));
    expect(step(informed)).toEqual({ kind: "foldFindings", operationId: effect.operationId });
  });
});

describe("the plan lane", () => {
  test("decides an open case", () => {
    expect(step(openedCase())).toEqual({ kind: "decide" });
  });

  test("decides each version at most once", () => {
    const waiting = applyDecision(openedCase(), { kind: "wait", why: "test" }, { book, nowMs });
    expect(step(waiting)).toEqual({ kind: "idle" });
  });

  test("claims the first effect, then the second, then commits", () => {
    const [first, second] = plannedCase().effects;
    expect(step(plannedCase())).toEqual({ kind: "claim", operationId: first?.operationId });
    const one = settled(claimedCase(), "receipt");
    expect(step(one)).toEqual({ kind: "claim", operationId: second?.operationId });
    expect(step(bothConfirmed())).toEqual({ kind: "commit" });
  });

  test("claims nothing that another operation has done since, as a restored case document may have it", () => {
    const planned = plannedCase();
    const done = {
      ...firstOf(settled(claimedCase(), "receipt")),
      operationId: "other",
      decidedOn: 0,
    };
    expect(step({ ...planned, effects: [...planned.effects, done] })).toMatchObject({
      kind: "holdCase",
      reason: "RepeatedIntent",
    });
  });

  test("folds what arrived before it claims or commits", () => {
    expect(step(withEvent(plannedCase(), event(2))).kind).toBe("foldEvent");
    expect(step(withEvent(bothConfirmed(), event(2))).kind).toBe("foldEvent");
  });

  test("ends a stale plan instead of claiming on an old version", () => {
    const moved = foldEvent(withEvent(plannedCase(), event(2)), "event:src:e2", { book, nowMs });
    expect(step(moved)).toMatchObject({ kind: "endPlan" });
  });

  test("ends a plan that is confirmed in part, or wholly, when the version has moved (counterexample 1)", () => {
    for (const before of [settled(claimedCase(), "receipt"), bothConfirmed()]) {
      const moved = foldEvent(withEvent(before, event(2)), "event:src:e2", { book, nowMs });
      expect(step(moved)).toMatchObject({ kind: "endPlan" });
    }
  });

  test("ends a plan of which one effect was rejected, and decides on a new version (counterexample 13)", () => {
    const refused = settled(claimedCase(), {
      kind: "refused",
      reason: "no",
      speaksForOperation: false,
    });
    expect(step(refused)).toMatchObject({ kind: "endPlan" });
    const ended = endPlan(refused, { why: "test", nowMs });
    expect(ended.effects.map(({ status }) => status)).toEqual(["rejected", "cancelled"]);
    expect(ended.case?.version).toBe((refused.case?.version ?? 0) + 1);
    expect(step(ended)).toEqual({ kind: "decide" });
  });

  test("decides nothing while an effect is unknown, in review or not (counterexample 2)", () => {
    const unknown = settled(claimedCase(), { kind: "noAnswer", reason: "reset" });
    const moved = foldEvent(withEvent(unknown, event(2)), "event:src:e2", { book, nowMs });
    expect(step(moved)).toMatchObject({ kind: "openReview" });
    const held = {
      ...moved,
      effects: moved.effects.map((effect) => ({ ...effect, reviewRef: "r" })),
    };
    expect(step(held)).toEqual({ kind: "idle" });
  });

  test("is held after three decisions without a confirmed effect or a new event", () => {
    const tired = openedCase();
    const record = tired.case && { ...tired.case, decisionsWithoutProgress: 3 };
    expect(step({ ...tired, ...(record && { case: record }) })).toMatchObject({
      kind: "holdCase",
      reason: "NoProgress",
    });
  });

  test("claims nothing before its back-off has passed", () => {
    const turnedAway = settled(claimedCase(), {
      kind: "notApplied",
      reason: "429",
      retryAfterMs: 5000,
    });
    expect(firstOf(turnedAway).status).toBe("prepared");
    expect(step(turnedAway)).toEqual({ kind: "wait", untilMs: nowMs + 5000 });
    expect(step(turnedAway, nowMs + 5000)).toMatchObject({ kind: "claim" });
  });

  test("waits while its case is held, until its key covers no retry; then a person sees it", () => {
    const unknown = settled(claimedCase(), { kind: "noAnswer", reason: "reset" });
    const need = { reason: "EventRefused", why: "test", nowMs } as const;
    const held = holdCase(unknown, need);
    const endMs = nowMs + 24 * 3_600_000 - 15 * 60_000 + 1;
    const at = (ms: number) => next(held, book, { nowMs: ms });
    expect(at(nowMs + 60_000)).toEqual({ kind: "wait", untilMs: endMs });
    expect(dueAtMsOf(held, book, { nowMs: nowMs + 60_000 })).toBe(endMs);
    expect(at(endMs)).toMatchObject({ kind: "openReview" });
  });

  test("that waits for an answer with something unknown in it looks again when the key covers no retry any more", () => {
    const asking = bookWith(undefined, { approve: ["keyed.first.v1"] });
    const options = { book: asking, nowMs };
    const planned = applyDecision(openedCase(), planOfTwo, options);
    const unknown = settled(claimedCase(planned), { kind: "noAnswer", reason: "reset" });
    const waiting = askApprovals(unknown, [firstOf(unknown).operationId], options);
    const endMs = nowMs + 24 * 3_600_000 - 15 * 60_000 + 1;
    const at = (ms: number) => next(waiting, asking, { nowMs: ms });
    expect(at(nowMs + 60_000)).toEqual({ kind: "wait", untilMs: endMs });
    expect(at(endMs)).toMatchObject({ kind: "openReview" });
  });

  test("claims and decides nothing while a contradiction is open", () => {
    const contradicted = (snapshot: Snapshot): Snapshot => ({
      ...snapshot,
      ...(snapshot.case && { case: { ...snapshot.case, contradictionsOpen: 1 } }),
    });
    expect(step(contradicted(plannedCase()))).toEqual({ kind: "idle" });
    expect(step(contradicted(openedCase()))).toEqual({ kind: "idle" });
  });

  test("makes no new decision and no claim during a drain", () => {
    const draining = { nowMs, draining: true };
    expect(next(openedCase(), book, draining)).toEqual({ kind: "draining" });
    expect(next(plannedCase(), book, draining)).toEqual({ kind: "draining" });
    expect(next(bothConfirmed(), book, draining)).toEqual({ kind: "commit" });
  });
});

describe("the outbox lane", () => {
  const committed = commitPlan(bothConfirmed(), { book });

  test("tells of a commit before anything else", () => {
    const outbox = committed.effects.find(({ origin }) => origin === "outbox");
    expect(step(committed)).toEqual({ kind: "claim", operationId: outbox?.operationId });
  });

  test("is exempt from the version gate: it tells what has happened (counterexample 3)", () => {
    const moved = foldEvent(withEvent(committed, event(3)), "event:src:e3", { book, nowMs });
    expect(moved.case?.version).toBeGreaterThan(committed.case?.version ?? 0);
    expect(step(moved)).toMatchObject({ kind: "claim" });
  });

  test("in review does not stop the plan lane", () => {
    const outboxHeld: Snapshot = {
      ...committed,
      effects: committed.effects.map((effect) =>
        effect.origin === "outbox" ? { ...effect, reviewRef: "review:x:1" } : effect,
      ),
    };
    const record = outboxHeld.case && { ...outboxHeld.case, status: "open" };
    const reopened = { ...outboxHeld, ...(record && { case: record }) };
    expect(next(reopened, bookWith(), { nowMs })).toEqual({ kind: "decide" });
  });

  test("of a final case leaves nothing to do once it is confirmed", () => {
    expect(step(settled(claimedCase(committed), "receipt"))).toEqual({ kind: "idle" });
  });
});
