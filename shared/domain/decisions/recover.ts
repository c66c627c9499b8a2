// What to do about an effect whose outcome is unknown (design.md 5; seed 2, "Make the retry decision explicit"). Pure.
//
// The first row that applies decides. What was FOUND never comes here: a receipt bound to the operation has settled the
// effect, and a receipt bound to something else holds it in an `EvidenceMismatch` review (fold-findings.ts).
//
//   1  a review holds the effect        leave it to the person
//   2  a person ordered a retry         retry as far as the contract covers it, or, if the order is forced, beyond that
//   3  the provider enforces its key    retry: same operation, same key, same bytes
//   4  strong look-up                   look; retry if nothing was there after the horizon and every attempt has ended
//   5  search (eventual)                look; what a search does not show proves nothing, so a person must look
//   6  none of these                    a person must look
//
// Rows 3 and 4 retry only within the bounds on attempts, and only while the decision still stands (`current`). Where they
// cannot, the effect goes to a person: unknown is never called failed to keep the queue moving.
import { provesNothingLeft, standingOrder, type Effect, type EffectOf } from "../records/effect.ts";
import type { ReviewKind } from "../records/review.ts";
import {
  horizonEndMs,
  isAbsentAfterHorizon,
  whyAbsenceIsNoProof,
  whyKeyIsSpent,
  whyKeyLapsed,
} from "./send-cover.ts";
import { absentStartedAtMs, type SendScope } from "./terms.ts";

/** With the back-off of each, an outage of three hours is within all of them. */
export const attemptLimits = {
  /** Claims after which a byte may have left. */
  leftMax: 20,
  /** Of those, refusals that say nothing of a call before them: the next one would hear the same. */
  refusedMax: 5,
  /** Claims that provably sent or changed nothing: refused connections, 429. */
  notSentMax: 30,
  /** Look-ups of one unknown. */
  lookupsMax: 20,
};

export type Recovery =
  | { kind: "retry" }
  | { kind: "lookUp" }
  | { kind: "wait"; untilMs: number }
  | { kind: "inReview" }
  | { kind: "review"; review: ReviewKind; why: string };

export interface RecoverFacts extends SendScope {
  effect: EffectOf<"unknown">;
  /** False once the case has moved on from `decidedOn`, or the plan has failed: then it is never sent again. */
  current: boolean;
}

export function recover(facts: RecoverFacts): Recovery {
  const { contract, effect } = facts;
  // Row 1.
  if (effect.reviewRef !== undefined) return { kind: "inReview" };
  // Row 2.
  const ordered = recoverByOrder(facts);
  if (ordered !== undefined) return ordered;
  // Row 3. With its attempts used up a key is no help, but a look-up may still settle the effect without a person.
  const keyRefused = whyKeyRefused(facts);
  const mayLookInstead = contract.lookup !== undefined && whyExhausted(effect) !== undefined;
  if (keyRefused === undefined && !mayLookInstead) return retryWhenDue(facts);
  switch (contract.lookup?.consistency) {
    // Row 4.
    case "strong":
      return recoverByStrongLookup(facts);
    // Row 5.
    case "eventual":
      return recoverBySearch(facts, contract.lookup.settleMs);
    // Row 6.
    case undefined:
      return unknownReview(keyRefused ?? "the provider offers no look-up");
  }
}

/** Row 2. The order stands in for the bounds on attempts, and, if forced, for the contract; never for the decision. */
function recoverByOrder(facts: RecoverFacts): Recovery | undefined {
  const { current, effect } = facts;
  const order = standingOrder(effect);
  if (order === undefined || !current) return undefined;
  if (!order.forced && whyRetryNotCovered(facts) !== undefined) return undefined;
  return waitForBackOff(facts) ?? { kind: "retry" };
}

/** Why the contract covers no retry now, whoever asks for one; undefined when it does. */
export function whyRetryNotCovered(facts: RecoverFacts): string | undefined {
  const { contract, current, effect } = facts;
  const keyRefused = whyKeyRefused(facts);
  if (keyRefused === undefined || !current) return keyRefused;
  if (contract.lookup?.consistency !== "strong") return keyRefused;
  return isAbsentAfterHorizon(facts)
    ? whyAbsenceIsNoProof(facts, effect.attempts)
    : "no look-up after the horizon has shown that it is not there";
}

/** Row 3. Why the key allows no retry now; undefined when it does. */
function whyKeyRefused(facts: RecoverFacts): string | undefined {
  const { contract, current, effect } = facts;
  if (!current) return "its decision no longer stands; it may only be settled";
  if (contract.idempotency === undefined) {
    return "the provider offers neither a key nor a look-up that could settle it";
  }
  // It was prepared before the contract had a key, so the provider would take a repeat for a new request.
  if (effect.providerKey === undefined) return "it was sent without a key";
  return whyKeyIsSpent(effect) ?? whyKeyLapsed(facts);
}

/**
 * Row 4. The first look is made at once, because what it finds settles the effect. What it does not find proves nothing yet: the
 * request might still be running. Only a look that STARTED after the last deadline plus horizon finds an absence that
 * counts; an earlier absence never counts later (counterexample 10).
 */
function recoverByStrongLookup(facts: RecoverFacts): Recovery {
  const { contract, current, effect, nowMs } = facts;
  if (isAbsentAfterHorizon(facts)) {
    if (!current) return unknownReview("it is not there, and its decision no longer stands");
    const noProof = whyAbsenceIsNoProof(facts, effect.attempts);
    if (noProof !== undefined) return unknownReview(`it is not there, but ${noProof}`);
    return retryWhenDue(facts);
  }
  const overMs = horizonEndMs(effect, contract, nowMs);
  if (effect.lookups !== undefined && nowMs <= overMs) return { kind: "wait", untilMs: overMs + 1 };
  return lookWhenDue(effect, nowMs);
}

/** Row 5. After the settle time the search must show what is there, so looking again is no use. Without an answer it is asked again. */
function recoverBySearch(facts: RecoverFacts, settleMs: number): Recovery {
  const { contract, effect, nowMs } = facts;
  const settledMs = horizonEndMs(effect, contract, nowMs) + settleMs;
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

function retryWhenDue(facts: RecoverFacts): Recovery {
  const exhausted = whyExhausted(facts.effect);
  if (exhausted !== undefined) {
    return { kind: "review", review: "AttemptsExhausted", why: exhausted };
  }
  return waitForBackOff(facts) ?? { kind: "retry" };
}

function waitForBackOff({ effect, nowMs }: RecoverFacts): Recovery | undefined {
  const { notBeforeMs } = effect;
  if (notBeforeMs === undefined || nowMs >= notBeforeMs) return undefined;
  return { kind: "wait", untilMs: notBeforeMs };
}

function unknownReview(why: string): Recovery {
  return { kind: "review", review: "UnknownEffect", why };
}

/** Why the machine makes no further claim, whatever the contract says; undefined below the bounds. */
export function whyExhausted(effect: Effect): string | undefined {
  const notSent = effect.attempts.filter(provesNothingLeft).length;
  const left = effect.attempts.length - notSent;
  const refused = effect.attempts.filter(({ end }) => end?.kind === "refused").length;
  if (refused >= attemptLimits.refusedMax) {
    return `${refused} attempts were refused, after one that may have left`;
  }
  if (left >= attemptLimits.leftMax) return `${left} attempts may have left without an outcome`;
  if (notSent >= attemptLimits.notSentMax) return `${notSent} attempts were turned away`;
  return undefined;
}
