import { describe, expect, test } from "vitest";
import { dueAtMsOf } from "../../shared/domain/due.ts";
import { covers, type Grant } from "../../shared/domain/records/grant.ts";
import type { Event } from "../../shared/domain/records/inbox.ts";
import { emptySnapshot } from "../../shared/domain/records/snapshot.ts";
import { foldEvent } from "../../shared/domain/transitions/fold-event.ts";
import { commitPlan } from "../../shared/domain/transitions/plan.ts";
import { applyDecision } from "../../shared/domain/transitions/decide.ts";
import {
  book,
  claimedCase,
  event,
  key,
  nowMs,
  openedCase,
  plannedCase,
  settled,
  withEvent,
} from "./situations.ts";

const fold = (snapshot: ReturnType<typeof openedCase>, n: number) =>
  foldEvent(snapshot, `event:src:e${n}`, { book, nowMs });

describe("an event", () => {
  test("that brings new facts makes one new version", () => {
    const after = fold(withEvent(openedCase(), event(2, { extra: "x" })), 2);
    expect(after.case).toMatchObject({ version: 2, facts: { n: 1, extra: "x" } });
    expect(
      after.events.every(({ folded, dueAtMs }) => folded !== undefined && dueAtMs === undefined),
    ).toBe(true);
  });

  test("opens its case in the status that its workflow begins with", () => {
    const workflow = book.workflow("test-flow");
    if (workflow === undefined) throw new Error("no workflow");
    const statuses = { received: { final: false }, ...workflow.statuses };
    const other = { ...workflow, initialStatus: "received", statuses };
    const received = { ...book, workflow: () => other };
    const arrived = withEvent(emptySnapshot(key), event(1));
    const opened = foldEvent(arrived, event(1).id, { book: received, nowMs });
    expect(opened.case?.status).toBe("received");
  });

  test("that tells the same again makes no version, so nothing is decided again", () => {
    const after = fold(withEvent(openedCase(), event(2, { n: 1 })), 2);
    expect(after.case?.version).toBe(1);
    expect(after.events.at(-1)?.folded?.how).toBe("same");
  });

  test("of the same time as the newest is taken as it arrives: nothing else tells which is newer", () => {
    const at = "2026-11-29T11:00:05Z";
    const told = (...told: Event[]) =>
      told.reduce(
        (snapshot, one) => foldEvent(withEvent(snapshot, one), one.id, { book, nowMs }),
        openedCase(),
      ).case?.facts["n"];
    expect(told(event(2, { n: 2 }, at), event(3, { n: 3 }, at))).toBe(3);
    expect(told(event(3, { n: 3 }, at), event(2, { n: 2 }, at))).toBe(2);
  });

  test("that is older tells nothing over what is known", () => {
    const older = event(2, { n: "old", extra: "fills" }, "2026-11-29T10:00:00Z");
    const after = fold(withEvent(openedCase(), older), 2);
    expect(after.case?.facts).toEqual({ n: 1, extra: "fills" });
    expect(after.case?.orderKeys).toEqual({ src: "2026-11-29T11:00:01Z" });
  });

  test("of the same moment as what its source told before is no older one", () => {
    const same = event(2, { n: 2 }, "2026-11-29T11:00:01Z");
    expect(fold(withEvent(openedCase(), same), 2).case?.facts).toEqual({ n: 2 });
  });

  test("is the first of its source although that is called as something that every object has", () => {
    const arrived = { ...event(2, { n: 2 }), source: "constructor" };
    const after = foldEvent(withEvent(openedCase(), arrived), arrived.id, { book, nowMs });
    expect(after.case).toMatchObject({ version: 2, facts: { n: 2 } });
  });

  test("that changes facts on a final status opens a review and decides nothing", () => {
    const done = commitPlan(settled(claimedCase(settled(claimedCase(), "receipt")), "receipt"), {
      book,
    });
    const after = fold(withEvent(done, event(2)), 2);
    expect(after.case?.status).toBe("done");
    expect(after.reviews.map(({ kind }) => kind)).toEqual(["FactsChangedAfterEnd"]);
    const chatty = fold(withEvent(fold(withEvent(after, event(3)), 3), event(4)), 4);
    expect(chatty.case?.facts).toEqual({ n: 4 });
    expect(chatty.reviews).toHaveLength(1);
  });

  test("with new facts answers a hold that a decision made", () => {
    const held = applyDecision(openedCase(), { kind: "hold", why: "ask" }, { book, nowMs });
    expect(held.case?.held).toBeDefined();
    const after = fold(withEvent(held, event(2)), 2);
    expect(after.case?.held).toBeUndefined();
    expect(after.reviews[0]?.resolution?.how).toBe("new facts arrived");
  });
});

describe("what is due", () => {
  test("of a call in flight is after its deadline", () => {
    expect(dueAtMsOf(claimedCase(), book, { nowMs })).toBeGreaterThanOrEqual(nowMs + 11_000);
  });

  test("of a back-off is its end", () => {
    const turnedAway = settled(claimedCase(), {
      kind: "notApplied",
      reason: "429",
      retryAfterMs: 9000,
    });
    expect(dueAtMsOf(turnedAway, book, { nowMs })).toBe(nowMs + 9000);
  });

  test("of work that a worker is about to go on with is a grace", () => {
    expect(dueAtMsOf(plannedCase(), book, { nowMs })).toBe(nowMs + 30_000);
  });

  test("of a case that only a person can move is nothing", () => {
    const held = applyDecision(openedCase(), { kind: "hold", why: "ask" }, { book, nowMs });
    expect(dueAtMsOf(held, book, { nowMs })).toBeUndefined();
  });
});

describe("a grant", () => {
  const grant: Grant = {
    id: "grant:1",
    type: "grant",
    schemaVersion: 1,
    tenantId: "acme",
    subject: "test-flow",
    action: "keyed.first.v1",
    target: "*",
    limits: { amount: "100.00" },
    grantedBy: "p",
    grantedAtMs: 0,
    expiresAtMs: nowMs + 1,
  };
  const need = {
    tenantId: "acme",
    subject: "test-flow",
    action: "keyed.first.v1",
    target: "T-1",
    payload: { amount: "100.00" },
  };

  test("covers what it names, within its limit and its time", () => {
    expect(covers(grant, need, nowMs)).toBe(true);
    expect(covers({ ...grant, target: "T-1" }, need, nowMs)).toBe(true);
    const inEuro = { amount: "9.999999", currency: "EUR" };
    expect(
      covers({ ...grant, only: { currency: "EUR" } }, { ...need, payload: inEuro }, nowMs),
    ).toBe(true);
  });

  test.each<[string, Partial<Grant>, Partial<typeof need>]>([
    ["another tenant", {}, { tenantId: "globex" }],
    ["another subject", {}, { subject: "other" }],
    ["another action", {}, { action: "keyed.second.v1" }],
    ["another target", { target: "T-2" }, {}],
    ["more than its limit", {}, { payload: { amount: "100.01" } }],
    [
      "a hair more than a doubled double can tell",
      { limits: { amount: "999999999999999" } },
      { payload: { amount: "999999999999999.000001" } },
    ],
    ["a negative amount", {}, { payload: { amount: "-5.00" } }],
    [
      "another currency than the only one",
      { only: { currency: "EUR" } },
      { payload: { amount: "1.00", currency: "KWD" } as { amount: string } },
    ],
    ["no currency where there is an only one", { only: { currency: "EUR" } }, {}],
    ["an amount in another form", {}, { payload: { amount: "1e1" } }],
    ["an amount that is a number", {}, { payload: { amount: 5 as unknown as string } }],
    ["a payload without the limited field", {}, { payload: {} as { amount: string } }],
    ["anything after it expired", { expiresAtMs: nowMs }, {}],
    ["anything after it was revoked", { revoked: { by: "p", atMs: 0, reason: "r" } }, {}],
  ])("does not cover %s", (_what, grantChange, needChange) => {
    expect(covers({ ...grant, ...grantChange }, { ...need, ...needChange }, nowMs)).toBe(false);
  });
});
