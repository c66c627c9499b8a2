// Opens and resolves reviews and holds effects and cases, always in the batch of what made it necessary. Pure.
import { repeatConsequence } from "../decisions/consequences.ts";
import { openMismatch } from "../decisions/doubts.ts";
import type { Book } from "../definitions.ts";
import type { Case, HeldReason } from "../records/case.ts";
import { hasEnded, isFinal, type Effect, type EffectCore } from "../records/effect.ts";
import { schemaVersion } from "../records/evidence.ts";
import type { Review, ReviewKind } from "../records/review.ts";
import {
  caseOf,
  effectOf,
  withCase,
  withEffect,
  withLine,
  type Snapshot,
} from "../records/snapshot.ts";

type Resolution = NonNullable<Review["resolution"]>;

export interface ReviewNeed {
  /** An operation id, or "case". */
  subject: string;
  kind: ReviewKind;
  why: string;
  consequence: string;
  nowMs: number;
}

/** Returns the new snapshot and the review's id. */
export function openReview(snapshot: Snapshot, need: ReviewNeed): [Snapshot, string] {
  const record = caseOf(snapshot);
  const n = record.reviewCount + 1;
  const review: Review = {
    id: `review:${need.subject}:${n}`,
    type: "review",
    schemaVersion,
    tenantId: snapshot.tenantId,
    caseId: snapshot.caseId,
    subject: need.subject,
    kind: need.kind,
    why: need.why,
    consequence: need.consequence,
    caseVersion: record.version,
    openedAtMs: need.nowMs,
  };
  const counted = withCase(snapshot, { reviewCount: n });
  const opened = { ...counted, reviews: [...counted.reviews, review] };
  return [withLine(opened, `review opened (${need.kind}): ${need.why}`), review.id];
}

/** Holds one effect: the machine leaves it alone until evidence or a person settles it. */
export function holdEffect(
  snapshot: Snapshot,
  effect: Effect,
  need: Omit<ReviewNeed, "subject">,
): Snapshot {
  const [opened, reviewRef] = openReview(snapshot, { ...need, subject: effect.operationId });
  return withEffect(opened, { ...effect, reviewRef });
}

/** Opens a review if the effect was accepted and then failed: whoever it was for does not have it. */
export function reviewFailure(
  snapshot: Snapshot,
  operationId: string,
  options: { book: Book; nowMs: number },
): Snapshot {
  const effect = effectOf(snapshot, operationId);
  if (effect.status !== "confirmed" || effect.receipt.stage !== "failed") return snapshot;
  return holdEffect(snapshot, effect, {
    kind: "NotificationFailed",
    why: `${effect.action} was accepted and then failed: whom or what it was for, it did not reach`,
    consequence: repeatConsequence(options.book, effect),
    nowMs: options.nowMs,
  });
}

/** Holds the plan lane; the outbox lane goes on. Resolves the review of an earlier hold, which this one replaces. */
export function holdCase(
  snapshot: Snapshot,
  need: {
    reason: HeldReason;
    why: string;
    nowMs: number;
    consequence?: string;
  },
): Snapshot {
  const before = resolveReview(snapshot, caseOf(snapshot).held?.reviewRef, {
    how: `held anew: ${need.reason}`,
    by: "machine",
    atMs: need.nowMs,
  });
  const [opened, reviewRef] = openReview(before, {
    subject: "case",
    kind: "CaseHeld",
    why: `${need.reason}: ${need.why}`,
    consequence:
      need.consequence ??
      "Nothing more is decided or sent for this case until a person resolves this.",
    nowMs: need.nowMs,
  });
  return withCase(opened, { held: { reason: need.reason, detail: need.why, reviewRef } });
}

/**
 * The provider showed something else under this operation. One review, however often it is shown; only a person resolves it,
 * because no outcome of an attempt says what that other thing is. The document of a started effect is not rewritten (its
 * `_ts` is the attempt's start): its next status finds the open review (attempt.ts).
 */
export function holdForMismatch(
  snapshot: Snapshot,
  effect: Effect,
  need: Omit<ReviewNeed, "subject" | "kind"> & { providerId: string },
): Snapshot {
  const { foreignIds = [], operationId } = effect;
  const { providerId } = need;
  const known = openMismatch(snapshot, effect)?.id;
  // A person has seen this very id, and the effect is final: there is nothing more to hold.
  if (known === undefined && isFinal(effect) && foreignIds.includes(providerId)) return snapshot;
  const mismatch = { ...need, subject: operationId, kind: "EvidenceMismatch" } as const;
  const [opened, reviewRef] =
    known === undefined ? openReview(snapshot, mismatch) : [snapshot, known];
  const told = withProviderId(opened, reviewRef, providerId);
  // An effect with an outcome is not held; its `reviewRef` may show that its delivery is overdue, and stays.
  if (effect.status === "started" || hasEnded(effect)) return told;
  return effect.reviewRef === reviewRef ? told : withEffect(told, { ...effect, reviewRef });
}

function withProviderId(snapshot: Snapshot, reviewRef: string, providerId: string): Snapshot {
  const reviews = snapshot.reviews.map((review) => {
    const { id, providerIds = [] } = review;
    if (id !== reviewRef || providerIds.includes(providerId)) return review;
    return { ...review, providerIds: [...providerIds, providerId] };
  });
  return { ...snapshot, reviews };
}

/** Whether this provider id was found to be something else, seen by a person or not. */
export function isForeign(snapshot: Snapshot, effect: Effect, providerId: string): boolean {
  const { foreignIds = [] } = effect;
  const { providerIds = [] } = openMismatch(snapshot, effect) ?? {};
  return [...foreignIds, ...providerIds].includes(providerId);
}

export function resolveReview(
  snapshot: Snapshot,
  reviewRef: string | undefined,
  resolution: Resolution,
): Snapshot {
  if (reviewRef === undefined) return snapshot;
  const reviews = snapshot.reviews.map((review) =>
    review.id === reviewRef && review.resolution === undefined ? { ...review, resolution } : review,
  );
  return withLine({ ...snapshot, reviews }, `review resolved: ${resolution.how}`);
}

/** The effect has an outcome: resolves the reviews of what it waited for, but not one that says that something else was found. */
export function resolveHolds(snapshot: Snapshot, effect: EffectCore, how: Resolution): Snapshot {
  const { grantHold, operationId, payloadHold, reviewRef } = effect;
  const refs = [reviewRef, grantHold, payloadHold];
  const ended = snapshot.reviews.filter(
    ({ id, kind, subject }) =>
      kind !== "EvidenceMismatch" &&
      (refs.includes(id) || (subject === operationId && asksForOutcome(kind))),
  );
  return ended.reduce((resolved, { id }) => resolveReview(resolved, id, how), snapshot);
}

function asksForOutcome(kind: ReviewKind): boolean {
  return kind === "UnknownEffect" || kind === "AttemptsExhausted";
}

/** The effect without the holds that it had. */
export function unheld(effect: EffectCore): EffectCore {
  const { grantHold: _grant, payloadHold: _payload, reviewRef: _review, ...free } = effect;
  return free;
}

/** Lifts the hold of the case, if there is one. Open contradictions hold it all the same. */
export function releaseHold(snapshot: Snapshot, how: string, nowMs: number): Snapshot {
  const { held }: Case = caseOf(snapshot);
  if (held === undefined) return snapshot;
  const resolved = resolveReview(snapshot, held.reviewRef, { how, by: "machine", atMs: nowMs });
  return withCase(resolved, { held: undefined });
}
