// Opening and closing reviews, and holding a case: always in the batch of what made them necessary.
import { openMismatch } from "../decisions/doubts.ts";
import type { Case, HeldReason } from "../records/case.ts";
import { hasEnded, isFinal, type Effect, type EffectCore } from "../records/effect.ts";
import { schemaVersion } from "../records/evidence.ts";
import type { Review, ReviewKind } from "../records/review.ts";
import { caseOf, withCase, withEffect, withLine, type Snapshot } from "../records/snapshot.ts";

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

/** Holds one effect: until evidence or a person settles it, the machine leaves it alone. */
export function holdEffect(
  snapshot: Snapshot,
  effect: Effect,
  need: Omit<ReviewNeed, "subject">,
): Snapshot {
  const [opened, reviewRef] = openReview(snapshot, { ...need, subject: effect.operationId });
  return withEffect(opened, { ...effect, reviewRef });
}

/** Holds the plan lane; the outbox lane goes on. A hold that stood before it is replaced, so that no review outlives its hold. */
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
 * The provider told of something else under this operation. One review however often it is told, and only a person ends it:
 * no outcome of an attempt says what that other thing is. A started effect's document is not rewritten (its `_ts` is the
 * attempt's start); what it becomes finds the review again.
 */
export function holdForMismatch(
  snapshot: Snapshot,
  effect: Effect,
  need: Omit<ReviewNeed, "subject" | "kind"> & { providerId: string },
): Snapshot {
  const { foreignIds = [], operationId } = effect;
  const { providerId } = need;
  const known = openMismatch(snapshot, effect)?.id;
  // A person has seen it, and nothing waits for an outcome any more.
  if (known === undefined && isFinal(effect) && foreignIds.includes(providerId)) return snapshot;
  const mismatch = { ...need, subject: operationId, kind: "EvidenceMismatch" } as const;
  const [opened, reviewRef] =
    known === undefined ? openReview(snapshot, mismatch) : [snapshot, known];
  const told = withProviderId(opened, reviewRef, providerId);
  // What has an outcome is held by nothing; all that it may wait for is news of its delivery.
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

/** What the provider calls so was told to be something else, whether a person has seen it yet or not. */
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

/** It has an outcome: no review of what it waited for outlives it, but for one that says that something else was found. */
export function resolveHolds(snapshot: Snapshot, effect: EffectCore, how: Resolution): Snapshot {
  const { grantHold, operationId, payloadHold, reviewRef } = effect;
  const refs = [reviewRef, grantHold, payloadHold];
  const ended = snapshot.reviews.filter(
    ({ id, kind, subject }) =>
      kind !== "EvidenceMismatch" &&
      (refs.includes(id) || (subject === operationId && isOfNoOutcome(kind))),
  );
  return ended.reduce((resolved, { id }) => resolveReview(resolved, id, how), snapshot);
}

function isOfNoOutcome(kind: ReviewKind): boolean {
  return kind === "UnknownEffect" || kind === "AttemptsExhausted";
}

/** The same effect, waiting for nothing and in no review. */
export function unheld(effect: EffectCore): EffectCore {
  const { grantHold: _grant, payloadHold: _payload, reviewRef: _review, ...free } = effect;
  return free;
}

/** New facts answer a hold that a decision made; a contradiction stays until a person resolves it. */
export function releaseHold(snapshot: Snapshot, how: string, nowMs: number): Snapshot {
  const { held }: Case = caseOf(snapshot);
  if (held === undefined) return snapshot;
  const resolved = resolveReview(snapshot, held.reviewRef, { how, by: "machine", atMs: nowMs });
  return withCase(resolved, { held: undefined });
}
