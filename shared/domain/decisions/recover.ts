// What to do about an effect whose outcome is unknown. The whole policy is the order below (design.md 5).
//
// Pure. No row permits a send that the contract does not cover: a key that the provider still enforces; an absence that a strong
// look-up found after the last attempt's horizon, when every attempt is known to have ended; or proof that nothing left.
import type { Contract } from "../contract.ts";
import {
  provesNothingLeft,
  standingOrder,
  type Attempt,
  type Effect,
  type EffectOf,
} from "../records/effect.ts";
import type { reviewKinds } from "../records/review.ts";
import { absentStartedAtMs, termsRefusal, type SendScope } from "./terms.ts";

export const attemptLimits = {
  /** Claims after which a byte may have left. */
  leftMax: 6,
  /** Claims that provably sent or changed nothing: refused connections, 429. */
  notSentMax: 30,
  /** Look-ups of one unknown. */
  lookupsMax: 12,
};

export type Recovery =
  | { kind: "retry" }
  | { kind: "lookUp" }
  | { kind: "wait"; untilMs: number }
  | { kind: "inReview" }
  | { kind: "review"; review: (typeof reviewKinds)[number]; why: string };

export interface RecoverFacts extends SendScope {
  effect: EffectOf<"unknown">;
  /** False once the case has moved on from `decidedOn`, or its plan has failed: settle or review, never send again. */
  current: boolean;
}

export function recover(facts: RecoverFacts): Recovery {
  const { effect, contract } = facts;
  if (effect.reviewRef !== undefined) return { kind: "inReview" };
  const ordered = recoverByOrder(facts);
  if (ordered !== undefined) return ordered;
  const keyRefused = whyKeyRefused(facts);
  // With its attempts used up, a key is no help, but a look-up may still settle it without a person.
  const mayLookInstead = contract.lookup !== undefined && exhaustion(effect) !== undefined;
  if (keyRefused === undefined && !mayLookInstead) return retryWhenDue(facts);
  switch (contract.lookup?.consistency) {
    case "strong":
      return recoverByStrongLookup(facts);
    case "eventual":
      return recoverBySearch(facts, contract.lookup.settleMs);
    case undefined:
      return unknownReview(keyRefused ?? "the provider offers no look-up");
  }
}

/** What a person ordered, while it may still be carried out; the bounds on attempts are the machine's own. */
function recoverByOrder(facts: RecoverFacts): Recovery | undefined {
  const { current, effect, nowMs } = facts;
  const order = standingOrder(effect);
  if (order === undefined || !current) return undefined;
  if (!order.forced && retryRefusal(facts) !== undefined) return undefined;
  if (effect.notBeforeMs !== undefined && nowMs < effect.notBeforeMs) {
    return { kind: "wait", untilMs: effect.notBeforeMs };
  }
  return { kind: "retry" };
}

/** Why the provider's contract does not cover another attempt now, whoever asks; undefined when it does. */
export function retryRefusal(facts: RecoverFacts): string | undefined {
  const { contract, current, effect } = facts;
  const keyRefused = whyKeyRefused(facts);
  if (keyRefused === undefined || !current) return keyRefused;
  if (contract.lookup?.consistency !== "strong") return keyRefused;
  const absentMs = absentStartedAtMs(facts);
  if (absentMs === undefined || absentMs <= horizonEndMs(effect, contract)) {
    return "no look-up after the horizon has shown that it is not there";
  }
  return absenceRefusal(facts, effect.attempts);
}

/** Until then a call that left may still be applied; unknown while any attempt has no end. */
export function horizonEndMs(effect: Pick<Effect, "attempts">, { horizonMs }: Contract): number {
  return lastDeadlineMs(effect, Infinity) + horizonMs;
}

function unknownReview(why: string): Recovery {
  return { kind: "review", review: "UnknownEffect", why };
}

/** Why a key does not allow a retry now; undefined when it does. */
function whyKeyRefused(facts: RecoverFacts): string | undefined {
  const { effect, contract, current } = facts;
  if (!current) return "its decision no longer stands; it may only be settled";
  if (contract.idempotency === undefined) {
    return "the provider offers neither a key nor a look-up that could settle it";
  }
  // Prepared before the contract had a key: the provider would take a repeat for a new wish.
  if (effect.providerKey === undefined) return "it was sent without a key";
  return whyKeyIsSpent(effect) ?? keyRefusal(facts, contract.idempotency);
}

/** Stops at the first: the next send under the same key would hear the same again (cases.md 45, 46). */
function whyKeyIsSpent(effect: Effect): string | undefined {
  const end = effect.attempts.at(-1)?.end;
  if (end?.replayedError === true) {
    return "the provider repeats an error that it stored under this key";
  }
  if (end?.keyReused === true) {
    return "the provider says that this key was used with another payload, which is a defect here or there";
  }
  if (end?.nothingKept === true) {
    return "the provider keeps no error under its key, and would carry out another request whatever the first one did";
  }
  return undefined;
}

function retryWhenDue({ effect, nowMs }: RecoverFacts): Recovery {
  const exhausted = exhaustion(effect);
  if (exhausted !== undefined) {
    return { kind: "review", review: "AttemptsExhausted", why: exhausted };
  }
  if (effect.notBeforeMs !== undefined && nowMs < effect.notBeforeMs) {
    return { kind: "wait", untilMs: effect.notBeforeMs };
  }
  return { kind: "retry" };
}

/**
 * Looks early, because what is found settles at once; but only a look that STARTED after the last deadline plus horizon
 * may find an absence that counts, and earlier absences never count later (counterexample 10).
 */
function recoverByStrongLookup(facts: RecoverFacts): Recovery {
  const { effect, contract, current, nowMs } = facts;
  const overMs = lastDeadlineMs(effect, nowMs) + contract.horizonMs;
  const absentMs = absentStartedAtMs(facts);
  if (absentMs !== undefined && absentMs > overMs) {
    if (!current) {
      return unknownReview("it is not there, and its decision no longer stands");
    }
    const refusal = absenceRefusal(facts, effect.attempts);
    if (refusal !== undefined) return unknownReview(`it is not there, but ${refusal}`);
    return retryWhenDue(facts);
  }
  if (effect.lookups !== undefined && nowMs <= overMs) return { kind: "wait", untilMs: overMs + 1 };
  return lookWhenDue(effect, nowMs);
}

/** Why even a timely absence allows no retry; undefined when it does. */
function absenceRefusal(facts: SendScope, attempts: readonly Attempt[]): string | undefined {
  const otherTerms = termsRefusal(facts);
  if (otherTerms !== undefined) return otherTerms;
  if (attempts.some(({ end }) => end === undefined || end.kind === "orphaned")) {
    return "a worker that took it may only be frozen";
  }
  // The next send would bear the same key and hear the same again.
  return facts.contract.idempotency && whyKeyIsSpent(facts.effect);
}

/** Asked at the send gate: whether the absence that the running attempt was claimed on covers its send, key or no key. */
export function absenceCovers(facts: SendScope): boolean {
  const { contract, effect } = facts;
  const earlier = effect.attempts.slice(0, -1);
  const absentMs = effect.attempts.at(-1)?.absentStartedAtMs;
  if (absentMs === undefined || contract.lookup?.consistency !== "strong") return false;
  const overMs = lastDeadlineMs({ attempts: earlier }, Infinity) + contract.horizonMs;
  return absentMs > overMs && absenceRefusal(facts, earlier) === undefined;
}

/** A search may lag: what it shows settles, what it does not show proves nothing, however often. */
function recoverBySearch(facts: RecoverFacts, settleMs: number): Recovery {
  const { effect, contract, nowMs } = facts;
  const settledMs = lastDeadlineMs(effect, nowMs) + contract.horizonMs + settleMs;
  // A search that gave no answer has shown nothing: it is asked again, within the bound.
  if ((absentStartedAtMs(facts) ?? 0) > settledMs) {
    return unknownReview(
      "the search does not show it, and what a search does not show proves nothing",
    );
  }
  return lookWhenDue(effect, nowMs);
}

function lookWhenDue({ lookups }: EffectOf<"unknown">, nowMs: number): Recovery {
  if (lookups === undefined) return { kind: "lookUp" };
  if (lookups.count >= attemptLimits.lookupsMax) {
    return unknownReview(`${lookups.count} look-ups could not settle it`);
  }
  if (nowMs < lookups.notBeforeMs) return { kind: "wait", untilMs: lookups.notBeforeMs };
  return { kind: "lookUp" };
}

/** When no byte of any attempt can leave any more. */
function lastDeadlineMs(effect: Pick<Effect, "attempts">, nowMs: number): number {
  return Math.max(...effect.attempts.map(({ deadlineMs }) => deadlineMs ?? nowMs));
}

/** Why the key no longer protects a retry; undefined while it does. Asked again at the send gate. */
export function keyRefusal(
  facts: SendScope,
  idempotency: NonNullable<Contract["idempotency"]>,
): string | undefined {
  const { effect, nowMs } = facts;
  const otherTerms = termsRefusal(facts);
  if (otherTerms !== undefined) return otherTerms;
  const usedMs = nowMs - (firstStartMs(effect) ?? nowMs);
  return usedMs > coveredMs(idempotency)
    ? "the provider may have pruned the key by now"
    : undefined;
}

/** From then on its key covers no retry; undefined where there is no key, or nothing that it was used for. */
export function keyEndMs(effect: Effect, { idempotency }: Contract): number | undefined {
  const firstStart = firstStartMs(effect);
  if (idempotency === undefined || firstStart === undefined) return undefined;
  return firstStart + coveredMs(idempotency) + 1;
}

const coveredMs = ({ marginMs, retentionMs }: NonNullable<Contract["idempotency"]>): number =>
  retentionMs - marginMs;

/** The earliest moment at which the provider may have seen the key: never later than the truth. */
function firstStartMs(effect: Effect): number | undefined {
  return effect.attempts.find((attempt) => !provesNothingLeft(attempt))?.claimedAtMs;
}

/** Why no further claim is allowed, whatever the contract says; undefined below the bounds. */
export function exhaustion(effect: Effect): string | undefined {
  const notSent = effect.attempts.filter(provesNothingLeft).length;
  const left = effect.attempts.length - notSent;
  if (left >= attemptLimits.leftMax) return `${left} attempts may have left without an outcome`;
  if (notSent >= attemptLimits.notSentMax) return `${notSent} attempts were turned away`;
  return undefined;
}
