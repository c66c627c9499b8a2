// What a person may say of a review: each kind against an effect that is unknown, prepared or settled.
import { describe, expect, test } from "vitest";
import { choicesOf } from "../../shared/domain/decisions/choices.ts";
import { consequenceOf } from "../../shared/domain/decisions/consequences.ts";
import { heldReasons } from "../../shared/domain/records/case.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Review } from "../../shared/domain/records/review.ts";
import { withCase, withEffect, type Snapshot } from "../../shared/domain/records/snapshot.ts";
import { foldFindings } from "../../shared/domain/transitions/fold-findings.ts";
import { openReview } from "../../shared/domain/transitions/reviews.ts";
import { book, claimedCase, plannedCase, firstOf, key, nowMs, settled } from "./situations.ts";

const noAnswer = { kind: "noAnswer", reason: "reset" } as const;
const unknown = () => settled(claimedCase(), noAnswer);

/** In review, of this kind, and held by it where the kind holds an effect. */
function reviewed(snapshot: Snapshot, kind: Review["kind"], isHeld = true): [Snapshot, Review] {
  const { operationId } = firstOf(snapshot);
  const need = { subject: operationId, kind, why: "test", consequence: "", nowMs };
  const [opened, reviewRef] = openReview(snapshot, need);
  const held = isHeld ? withEffect(opened, { ...firstOf(opened), reviewRef }) : opened;
  const review = held.reviews.find(({ id }) => id === reviewRef);
  if (review === undefined) throw new Error("no review");
  return [held, review];
}

function failed(effect: Effect | undefined): Effect {
  if (effect?.status !== "confirmed") throw new Error("not confirmed");
  return { ...effect, receipt: { ...effect.receipt, stage: "failed" } };
}

function shown([snapshot, review]: [Snapshot, Review]): Record<string, string> {
  const choices = choicesOf(snapshot, review, { book, nowMs });
  return Object.fromEntries(
    choices.map(({ isPermitted, kind, mayBeForced }) => [
      kind,
      isPermitted ? "permitted" : mayBeForced ? "forced" : "no",
    ]),
  );
}

describe("an unknown effect under a key that its provider still enforces", () => {
  test("may be sent again unforced, when only the machine's bounds have stopped it", () => {
    expect(shown(reviewed(unknown(), "AttemptsExhausted"))).toEqual({
      happened: "permitted",
      didNotHappen: "forced",
      retry: "permitted",
      lookAgain: "no",
      abandon: "permitted",
    });
  });

  test("of a plan of which another effect is doubted is sent by no word of a person, not even by two", () => {
    const second = settled(claimedCase(settled(claimedCase(), "receipt")), noAnswer);
    const [first, other] = second.effects;
    const need = { why: "test", consequence: "", nowMs };
    const ofSecond = { ...need, subject: other?.operationId ?? "", kind: "UnknownEffect" } as const;
    const [inReview] = openReview(second, ofSecond);
    const choices = (snapshot: Snapshot) => shown([snapshot, inReview.reviews[0] as Review]);
    expect(choices(inReview)).toMatchObject({ retry: "permitted" });
    for (const kind of ["NotificationFailed", "EvidenceMismatch"] as const) {
      const doubt = { ...need, subject: first?.operationId ?? "", kind };
      expect(choices(openReview(inReview, doubt)[0])).toMatchObject({ retry: "no" });
    }
    const seen = withEffect(inReview, failed(first));
    expect(choices(seen)).toMatchObject({ retry: "no", happened: "permitted" });
  });

  test("for which something else was found is sent again by force only", () => {
    expect(shown(reviewed(unknown(), "EvidenceMismatch"))).toMatchObject({ retry: "forced" });
  });

  test.each([
    "NoGrant",
    "ActionRemoved",
    "ProviderRemoved",
    "PayloadUnavailable",
    "PayloadMismatch",
  ] as const)("that waits under %s is sent by no word of a person, and may be settled", (kind) => {
    const choices = shown(reviewed(unknown(), kind, false));
    expect(choices).toMatchObject({ happened: "permitted", retry: "no", lookAgain: "no" });
  });

  test("held by another review is not freed by this one", () => {
    const [held] = reviewed(unknown(), "UnknownEffect");
    expect(shown(reviewed(held, "AttemptsExhausted", false))).toMatchObject({ retry: "no" });
  });

  test.each([
    ["a parked case", { held: { reason: "Poison", detail: "", reviewRef: "r" } }],
    ["an open contradiction", { contradictionsOpen: 1 }],
    ["a newer version", { version: 9 }],
  ] as const)("is not sent again over %s, by any force", (_what, change) => {
    const [snapshot, review] = reviewed(unknown(), "AttemptsExhausted");
    expect(shown([withCase(snapshot, change), review])).toMatchObject({ retry: "no" });
  });
});

describe("a prepared effect", () => {
  test("that was turned away too often is tried again or given up, and then cancelled", () => {
    const [snapshot, review] = reviewed(plannedCase(), "AttemptsExhausted");
    expect(shown([snapshot, review])).toEqual({ retry: "permitted", abandon: "permitted" });
    const { operationId } = firstOf(snapshot);
    const finding = {
      id: `finding:${operationId}:1`,
      type: "finding",
      schemaVersion: 1,
      ...key,
      operationId,
      content: {
        kind: "statement",
        statement: { kind: "abandon" },
        reason: "not wanted any more",
        about: { reviewId: review.id, attempts: firstOf(snapshot).attempts.length },
      },
      by: "ana",
      foundAtMs: nowMs,
    } as const;
    const after = foldFindings({ ...snapshot, findings: [finding] }, operationId, { book, nowMs });
    expect(firstOf(after)).toMatchObject({
      status: "cancelled",
      reason: "given up by ana: not wanted any more",
    });
    expect(firstOf(after).reviewRef).toBeUndefined();
    expect(after.reviews.every(({ resolution }) => resolution !== undefined)).toBe(true);
  });
});

test("what is settled is only to be seen", () => {
  const confirmed = settled(claimedCase(), "receipt");
  expect(shown(reviewed(confirmed, "DeliverySilent"))).toEqual({ acknowledge: "permitted" });
});

test("every hold says in a sentence what releasing it does", () => {
  for (const reason of heldReasons) {
    const held = withCase(unknown(), { held: { reason, detail: "", reviewRef: "r" } });
    const says = consequenceOf("release", { snapshot: held, effect: undefined, book });
    expect(says).toMatch(/^[A-Z].*\.$/);
  }
});
