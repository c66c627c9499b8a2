// Does the provider's contract cover one more send of an effect that may have been applied? Pure.
//
//   a key        protects a send while the provider still enforces it, under the terms that it was first used under
//   an absence   of a strong look-up protects a send if the look-up started after every earlier call could have been
//                applied, and every earlier attempt is known to have ended
//
// `recover` asks before a claim; the send gate asks again just before the call, because time has passed.
import type { Contract } from "../contract.ts";
import type { Book } from "../definitions.ts";
import {
  lastAttempt,
  provesNothingLeft,
  type Attempt,
  type Effect,
  type SilenceMark,
} from "../records/effect.ts";
import { absentStartedAtMs, whyTermsDiffer, type SendScope } from "./terms.ts";

type Attempted = Pick<Effect, "attempts">;

/** Why the key does not protect a send now; undefined while it does, and where the contract has no key. */
export function whyKeyLapsed(scope: SendScope): string | undefined {
  const { contract, effect, nowMs } = scope;
  if (contract.idempotency === undefined) return undefined;
  const otherTerms = whyTermsDiffer(scope);
  if (otherTerms !== undefined) return otherTerms;
  const endMs = keyEndMs(effect, contract);
  return endMs !== undefined && nowMs >= endMs
    ? "the provider may have pruned the key by now"
    : undefined;
}

/** From this time on the key protects no send; undefined without a key, or before its first use. */
export function keyEndMs(effect: Attempted, { idempotency }: Contract): number | undefined {
  // The claim is decided before the call, so the provider saw the key no earlier than this.
  const firstUseMs = effect.attempts.find((attempt) => !provesNothingLeft(attempt))?.claimedAtMs;
  if (idempotency === undefined || firstUseMs === undefined) return undefined;
  return firstUseMs + idempotency.retentionMs - idempotency.marginMs + 1;
}

/**
 * Why some answer says that another send under the same key would only hear the same again, or is not protected by it (cases.md 45,
 * 46). It may have been told late, after a further attempt that heard nothing.
 */
export function whyKeyIsSpent(effect: Attempted): string | undefined {
  if (wasTold(effect, "replayedError")) {
    return "the provider repeats an error that it stored under this key";
  }
  if (wasTold(effect, "keyReused")) {
    return "the provider says that this key was used with another payload, which is a defect here or there";
  }
  if (wasTold(effect, "nothingKept")) {
    return "the provider keeps no error under its key, and would carry out another request whatever the first one did";
  }
  return whyTaken(effect);
}

function wasTold({ attempts }: Attempted, mark: SilenceMark): boolean {
  return attempts.some(({ end }) => end?.[mark] === true);
}

function whyTaken(effect: Attempted): string | undefined {
  return wasTold(effect, "alreadyThere")
    ? "the provider says that what it asks for is there already"
    : undefined;
}

/** At the send gate: does the absence that the running attempt was claimed on protect its send, with or without a key? */
export function absenceCovers(scope: SendScope): boolean {
  const { contract, effect } = scope;
  const earlier = effect.attempts.slice(0, -1);
  const absentMs = lastAttempt(effect)?.absentStartedAtMs;
  if (absentMs === undefined || contract.lookup?.consistency !== "strong") return false;
  const isLate = absentMs > horizonEndMs({ attempts: earlier }, contract);
  return isLate && whyAbsenceIsNoProof(scope, earlier) === undefined;
}

/** Whether the last strong look-up found nothing, and started after every call could have been applied. */
export function isAbsentAfterHorizon(scope: Omit<SendScope, "nowMs">): boolean {
  const absentMs = absentStartedAtMs(scope);
  return absentMs !== undefined && absentMs > horizonEndMs(scope.effect, scope.contract);
}

/** Why an absence protects no send although its look-up started late enough; undefined when it does. */
export function whyAbsenceIsNoProof(
  scope: SendScope,
  attempts: readonly Attempt[],
): string | undefined {
  const otherTerms = whyTermsDiffer(scope);
  if (otherTerms !== undefined) return otherTerms;
  if (attempts.some(({ end }) => end === undefined || end.kind === "orphaned")) {
    return "a worker that took it may only be frozen";
  }
  return scope.contract.idempotency ? whyKeyIsSpent(scope.effect) : whyTaken(scope.effect);
}

/**
 * Until then a call that left may still be applied, by the longer of what was promised when it was made and what is promised now. An
 * attempt without an end counts as over at `elseMs`.
 */
export function horizonEndMs(
  { attempts }: Attempted,
  contract: Contract,
  elseMs = Infinity,
): number {
  const ends = attempts.map(
    ({ deadlineMs = elseMs, horizonMs = 0 }) =>
      deadlineMs + Math.max(horizonMs, contract.horizonMs),
  );
  return Math.max(...ends);
}

/** The same for an effect whose provider may not be registered here: then nobody knows, and it is Infinity. */
export function landsUntilMs(effect: Effect, book: Pick<Book, "provider">): number {
  const contract = book.provider(effect.provider)?.contract;
  return contract === undefined ? Infinity : horizonEndMs(effect, contract);
}
