// Accepted is not delivered: what a provider reports later changes the stage, and a bounce waits for a person.
import { describe, expect, test } from "vitest";
import { next } from "../../shared/domain/decisions/next.ts";
import { bookOf } from "../../shared/domain/book-of.ts";
import type { Book, Workflow } from "../../shared/domain/definitions.ts";
import { notCompared, type Receipt } from "../../shared/domain/records/evidence.ts";
import type { Snapshot } from "../../shared/domain/records/snapshot.ts";
import { holdEffect } from "../../shared/domain/transitions/reviews.ts";
import { foldFindings } from "../../shared/domain/transitions/fold-findings.ts";
import { book, claimedCase, firstOf, key, nowMs, receiptFor, settled } from "./situations.ts";

const accepted = settled(claimedCase(), "receipt");
const { operationId } = firstOf(accepted);

function reported(
  from: Snapshot,
  stage: Receipt["stage"],
  providerId = "P-1",
  change: Partial<Receipt["boundTo"]> = {},
): Snapshot {
  const { boundTo, ...receiptOfIt } = receiptFor(firstOf(from), providerId);
  const receipt = { ...receiptOfIt, boundTo: { ...boundTo, ...change }, stage };
  const finding = {
    id: `finding:${operationId}:${stage}:${from.findings.length}`,
    type: "finding",
    schemaVersion: 1,
    ...key,
    operationId,
    content: { kind: "providerReport", receipt },
    by: "mail-provider",
    foundAtMs: nowMs,
  } as const;
  const arrived = { ...from, findings: [...from.findings, finding] };
  return foldFindings(arrived, operationId, { book, nowMs });
}

function stageOf(snapshot: Snapshot): string {
  const effect = firstOf(snapshot);
  return effect.status === "confirmed" ? effect.receipt.stage : effect.status;
}

const reviewKinds = (snapshot: Snapshot) => snapshot.reviews.map(({ kind }) => kind);

describe("a message that the provider has accepted (cases.md 54)", () => {
  test("is shown as accepted until a report says more", () => {
    expect(stageOf(accepted)).toBe("accepted");
    expect(stageOf(reported(accepted, "delivered"))).toBe("delivered");
  });

  test("and that bounces is failed, stays confirmed as sent, and waits for a person", () => {
    const bounced = reported(accepted, "failed");
    expect(stageOf(bounced)).toBe("failed");
    expect(reviewKinds(bounced)).toEqual(["NotificationFailed"]);
    expect(firstOf(bounced).reviewRef).toBe(bounced.reviews[0]?.id);
  });

  test("and that bounced twice has one review, and no older report makes it good", () => {
    const again = reported(reported(reported(accepted, "failed"), "failed"), "delivered");
    expect(stageOf(again)).toBe("failed");
    expect(reviewKinds(again)).toEqual(["NotificationFailed"]);
  });

  test("and that bounces after it was called delivered is failed", () => {
    expect(stageOf(reported(reported(accepted, "delivered"), "failed"))).toBe("failed");
  });

  test("is delivered also by words that nothing can be compared with, and stays bound by those of its receipt", () => {
    const delivered = reported(accepted, "delivered", "P-1", { payloadDigest: notCompared });
    expect(firstOf(delivered)).toMatchObject({
      receipt: { stage: "delivered", boundTo: receiptFor(firstOf(accepted)).boundTo },
    });
    expect(reviewKinds(delivered)).toEqual([]);
    const other = reported(accepted, "delivered", "P-2", { payloadDigest: notCompared });
    expect(reviewKinds(other)).toEqual(["EvidenceMismatch"]);
  });

  test("under another provider id is a contradiction, not a stage", () => {
    const other = reported(accepted, "delivered", "P-2");
    expect(stageOf(other)).toBe("accepted");
    expect(reviewKinds(other)).toEqual(["Contradiction"]);
  });
});

test("what its plan's next effect sent is not sent again once the first has failed: it is a person's", () => {
  const second = settled(claimedCase(accepted), { kind: "noAnswer", reason: "reset" });
  const lateMs = nowMs + 60_000;
  expect(next(second, book, { nowMs: lateMs })).toMatchObject({ kind: "claim" });
  const failed = reported(second, "failed");
  const seen = { ...failed, reviews: [] };
  for (const snapshot of [failed, seen]) {
    expect(next(snapshot, book, { nowMs: lateMs })).toMatchObject({
      kind: "openReview",
      review: "UnknownEffect",
    });
  }
});

describe("a message that nobody reports on", () => {
  const silenceMs = 72 * 3_600_000;
  const { effects, ...rest } = accepted;
  /** The message alone, in a case that has nothing else to do. */
  const quiet: Snapshot = { ...rest, effects: effects.slice(0, 1), case: doneCase() };

  function doneCase(): NonNullable<Snapshot["case"]> {
    if (accepted.case === undefined) throw new Error("no case");
    const { plan: _over, ...record } = accepted.case;
    return { ...record, status: "done" };
  }

  function bookThatReports(): Book {
    const workflow: Workflow | undefined = book.workflow("test-flow");
    const keyed = book.provider("keyed");
    if (workflow === undefined || keyed === undefined) throw new Error("the book has changed");
    const contract = { ...keyed.contract, deliverySilenceMs: silenceMs };
    const names = ["keyed.first.v1", "keyed.second.v1", "mail.tell.v1"];
    const actions = names.flatMap((name) => book.action(name) ?? []);
    const bare = book.provider("bare") ?? keyed;
    return bookOf({ workflows: [workflow], actions, providers: [{ ...keyed, contract }, bare] });
  }

  const at = (snapshot: Snapshot, ageMs: number, which = bookThatReports()) =>
    next(snapshot, which, { nowMs: nowMs + ageMs });

  test("is looked at again when its provider should have reported", () => {
    expect(at(quiet, 1)).toEqual({ kind: "wait", untilMs: nowMs + silenceMs });
  });

  test("is visible once that time has passed, and once only", () => {
    const step = at(quiet, silenceMs);
    expect(step).toMatchObject({ kind: "openReview", review: "DeliverySilent" });
    const need = { kind: "DeliverySilent", why: "silent", consequence: "", nowMs } as const;
    const held = holdEffect(quiet, firstOf(quiet), need);
    expect(at(held, 2 * silenceMs)).toEqual({ kind: "idle" });
    const delivered = reported(held, "delivered");
    expect(delivered.reviews[0]?.resolution?.how).toBe("settled: its delivery was reported");
    expect(firstOf(delivered).reviewRef).toBeUndefined();
  });

  test("is visible although its plan waits for something else", () => {
    const waiting = {
      ...accepted,
      effects: accepted.effects.map((effect) =>
        effect.status === "prepared" ? { ...effect, notBeforeMs: nowMs + 2 * silenceMs } : effect,
      ),
    };
    expect(at(waiting, 1)).toEqual({ kind: "wait", untilMs: nowMs + silenceMs });
    expect(at(waiting, silenceMs)).toMatchObject({
      kind: "openReview",
      review: "DeliverySilent",
    });
  });

  test("is visible although something else was told of it meanwhile, seen or not", () => {
    const told = reported(quiet, "accepted", "P-2", { payloadDigest: "another" });
    expect(reviewKinds(told)).toEqual(["EvidenceMismatch"]);
    const seen = { ...told, reviews: [] };
    const isSilent = { kind: "openReview", review: "DeliverySilent" };
    for (const snapshot of [told, seen]) expect(at(snapshot, silenceMs)).toMatchObject(isSilent);
  });

  test("is left alone once it is delivered, or where no reports are promised", () => {
    expect(at(reported(quiet, "delivered"), 2 * silenceMs)).toEqual({ kind: "idle" });
    expect(at(quiet, 2 * silenceMs, book)).toEqual({ kind: "idle" });
  });
});
