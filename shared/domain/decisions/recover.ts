// What to do about an effect whose outcome is unknown. The whole policy is the order below (design.md 5).
//
// Pure. No row permits a send that the provider's contract does not cover: only a key that the provider
// still enforces, or proof that nothing left, leads to a retry. Everything else waits or goes to a person.
import type { Contract } from "../contract.ts";
import { unitIntervalOf } from "../identity.ts";
import type { Attempt, Effect, EffectOf } from "../records/effect.ts";
import type { reviewKinds } from "../records/review.ts";

export const attemptLimits = {
  /** Claims after which a byte may have left. */
  leftMax: 6,
  /** Claims that provably sent or changed nothing: refused connections, 429. */
  notSentMax: 30,
};

export type Recovery =
  | { kind: "retry" }
  | { kind: "wait"; untilMs: number }
  | { kind: "inReview" }
  | { kind: "review"; review: (typeof reviewKinds)[number]; why: string };

export interface RecoverFacts {
  effect: EffectOf<"unknown">;
  contract: Contract;
  /** The account and version that a send would use today. */
  account: string;
  apiVersion: string;
  /** False once the case has moved on from `decidedOn`: settle or review, never send again. */
  current: boolean;
  nowMs: number;
}

export function recover(facts: RecoverFacts): Recovery {
  const { effect, contract, current, nowMs } = facts;
  if (effect.reviewRef !== undefined) return { kind: "inReview" };
  if (!current) {
    return unknownReview("the case has moved on since this was decided; it may only be settled");
  }
  const exhausted = exhaustion(effect);
  if (exhausted !== undefined) {
    return { kind: "review", review: "AttemptsExhausted", why: exhausted };
  }
  if (contract.idempotency === undefined) {
    return unknownReview("the provider offers neither a key nor a look-up that could settle it");
  }
  if (effect.attempts.at(-1)?.end?.replayedError === true) {
    return unknownReview("the provider repeats an error that it stored under this key");
  }
  const refusal = keyRefusal(facts, contract.idempotency);
  if (refusal !== undefined) return unknownReview(refusal);
  if (effect.notBeforeMs !== undefined && nowMs < effect.notBeforeMs) {
    return { kind: "wait", untilMs: effect.notBeforeMs };
  }
  return { kind: "retry" };
}

function unknownReview(why: string): Recovery {
  return { kind: "review", review: "UnknownEffect", why };
}

/** Why the key no longer protects a retry; undefined while it does. Asked again at the send gate. */
export function keyRefusal(
  facts: Omit<RecoverFacts, "current" | "effect"> & { effect: Effect },
  idempotency: NonNullable<Contract["idempotency"]>,
): string | undefined {
  const { effect, nowMs } = facts;
  if (effect.account !== facts.account || effect.apiVersion !== facts.apiVersion) {
    return "the key was given under another account or API version";
  }
  const firstStart = firstStartMs(effect);
  if (firstStart === undefined) return undefined;
  if (nowMs - firstStart > idempotency.retentionMs - idempotency.marginMs) {
    return "the provider may have pruned the key by now";
  }
  return undefined;
}

/** The earliest moment at which the provider may have seen the key: never later than the truth. */
function firstStartMs(effect: Effect): number | undefined {
  return effect.attempts.find((attempt) => mayHaveLeft(attempt))?.claimedAtMs;
}

function mayHaveLeft(attempt: Attempt): boolean {
  return attempt.end?.kind !== "notSent" && attempt.end?.kind !== "notApplied";
}

/** Why no further claim is allowed, whatever the contract says; undefined below the bounds. */
export function exhaustion(effect: Effect): string | undefined {
  const left = effect.attempts.filter(mayHaveLeft).length;
  if (left >= attemptLimits.leftMax) return `${left} attempts may have left without an outcome`;
  const notSent = effect.attempts.length - left;
  if (notSent >= attemptLimits.notSentMax) return `${notSent} attempts were turned away`;
  return undefined;
}

const backOffMsMin = 1000;
const backOffMsMax = 5 * 60_000;
const retryAfterMsMax = 15 * 60_000;

/** When the next attempt may start: doubling, with jitter fixed by the attempt, and Retry-After within a cap. */
export function notBeforeMs(
  effect: Effect,
  options: { nowMs: number; retryAfterMs?: number | undefined },
): number {
  const n = effect.attempts.length;
  const doubledMs = Math.min(backOffMsMax, backOffMsMin * 2 ** Math.max(0, n - 1));
  const jitteredMs = doubledMs * (0.5 + unitIntervalOf(effect.operationId, n) / 2);
  const askedMs = Math.min(retryAfterMsMax, options.retryAfterMs ?? 0);
  return options.nowMs + Math.ceil(Math.max(jitteredMs, askedMs));
}
