// One attempt comes to its end, and what that makes of the effect (design.md 4). Pure.
//
// What one attempt learned is not what the operation is. Once any attempt may have left, a later one's refusal or "not sent"
// proves nothing about the first. Each attempt keeps in `leftBefore` whether an earlier one may have left:
//
//   answer                  nothing may have left before     something may have left before
//   receipt, bound          confirmed                        confirmed
//   receipt, not bound      unknown, in review               unknown, in review
//   refused                 rejected                         unknown, unless the refusal speaks for the operation
//   notApplied, notSent     prepared again                   unknown
//   noAnswer                unknown                          unknown
import type { Book } from "../definitions.ts";
import { notBeforeMs } from "../decisions/back-off.ts";
import { repeatConsequence } from "../decisions/consequences.ts";
import { openMismatch } from "../decisions/doubts.ts";
import {
  coreOf,
  silenceMarks,
  type Attempt,
  type AttemptEnd,
  type Effect,
  type EffectCore,
} from "../records/effect.ts";
import type { Answer, Receipt } from "../records/evidence.ts";
import {
  caseOf,
  effectOf,
  withCase,
  withEffect,
  withLine,
  type Snapshot,
} from "../records/snapshot.ts";
import { holdForMismatch, resolveReview } from "./reviews.ts";
import { confirm, reject } from "./settle.ts";
import { whyUnbound } from "./why-unbound.ts";

export interface Settlement {
  operationId: string;
  attempt: number;
  answer: Answer;
  settledBy: "attempt" | "finding";
  book: Book;
  nowMs: number;
  /** When no byte of this attempt can leave any more. */
  deadlineMs: number;
}

export function settleAttempt(snapshot: Snapshot, settlement: Settlement): Snapshot {
  const { operationId, answer } = settlement;
  const effect = effectOf(snapshot, operationId);
  const attempt = effect.attempts.find((candidate) => candidate.n === settlement.attempt);
  if (attempt === undefined) throw new Error(`no attempt ${settlement.attempt} of ${operationId}`);
  const released = releaseClaim(snapshot, operationId);
  const ended = endAttempt(effect, attempt, settlement);
  switch (answer.kind) {
    case "receipt": {
      const { receipt } = answer;
      const unbound = whyUnbound(snapshot, effect, receipt);
      return unbound === undefined
        ? confirm(released, ended, { ...settlement, receipt })
        : mismatch(released, ended, { ...settlement, reason: unbound, receipt });
    }
    case "refused":
      return attempt.leftBefore && !answer.speaksForOperation
        ? becomeUnknown(released, ended, { ...settlement, reason: `refused: ${answer.reason}` })
        : reject(released, ended, { ...settlement, reason: answer.reason });
    case "notApplied":
    case "notSent":
      return attempt.leftBefore
        ? becomeUnknown(released, ended, { ...settlement, reason: answer.reason })
        : prepareAgain(released, ended, settlement, answer);
    case "noAnswer":
      return becomeUnknown(released, ended, { ...settlement, reason: answer.reason });
  }
}

/** Ends the case's claim if it is this effect's; the claim of another effect's call stays. */
export function releaseClaim(snapshot: Snapshot, operationId: string): Snapshot {
  if (caseOf(snapshot).claim?.operationId !== operationId) return snapshot;
  return withCase(snapshot, { claim: undefined });
}

function endAttempt(effect: Effect, attempt: Attempt, settlement: Settlement): EffectCore {
  const { answer } = settlement;
  const end = endOf(answer, settlement.nowMs);
  const ended: Attempt = { ...attempt, deadlineMs: settlement.deadlineMs, end };
  const core = coreOf(effect);
  const provesNothingLeft = answer.kind === "notSent" || answer.kind === "notApplied";
  return {
    ...core,
    attempts: core.attempts.map((other) => (other.n === attempt.n ? ended : other)),
    mayHaveLeft: provesNothingLeft ? attempt.leftBefore : core.mayHaveLeft,
  };
}

/** What of an answer is kept with its attempt. */
export function endOf(answer: Answer, atMs: number): AttemptEnd {
  const end: AttemptEnd = { kind: answer.kind, atMs };
  if (answer.kind !== "receipt") end.reason = answer.reason;
  if (answer.kind === "noAnswer") {
    for (const mark of silenceMarks) if (answer[mark] === true) end[mark] = true;
  }
  return end;
}

function prepareAgain(
  snapshot: Snapshot,
  effect: EffectCore,
  settlement: Settlement,
  answer: Answer & { kind: "notApplied" | "notSent" },
): Snapshot {
  const reviewRef = openMismatch(snapshot, effect)?.id;
  const resolved =
    reviewRef === undefined
      ? resolveReview(snapshot, effect.reviewRef, {
          how: `settled: nothing was sent or applied (${answer.reason})`,
          by: settlement.settledBy,
          atMs: settlement.nowMs,
        })
      : snapshot;
  const { reviewRef: _resolved, ...core } = effect;
  const prepared: Effect = {
    ...core,
    ...(reviewRef === undefined ? {} : { reviewRef }),
    notBeforeMs: notBeforeMs(effect, {
      nowMs: settlement.nowMs,
      retryAfterMs: retryAfterMsOf(answer),
    }),
    status: "prepared",
    reason: answer.reason,
  };
  const line = `${effect.action} did nothing (${answer.reason}); prepared again`;
  return withLine(withEffect(resolved, prepared), line);
}

export function becomeUnknown(
  snapshot: Snapshot,
  effect: EffectCore,
  options: { reason: string; nowMs: number; answer?: Answer },
): Snapshot {
  const { answer, nowMs, reason } = options;
  const reviewRef = openMismatch(snapshot, effect)?.id;
  const unknown: Effect = {
    ...effect,
    ...(reviewRef === undefined ? {} : { reviewRef }),
    notBeforeMs: notBeforeMs(effect, { nowMs, retryAfterMs: retryAfterMsOf(answer) }),
    status: "unknown",
    reason,
    unknownSinceMs: nowMs,
  };
  return withLine(withEffect(snapshot, unknown), `unknown ${effect.action}: ${reason}`);
}

function retryAfterMsOf(answer: Answer | undefined): number | undefined {
  return answer?.kind === "noAnswer" || answer?.kind === "notApplied"
    ? answer.retryAfterMs
    : undefined;
}

/** The provider answered with success, but for something else: the machine never confirms by that. */
function mismatch(
  snapshot: Snapshot,
  effect: EffectCore,
  { book, nowMs, reason, receipt }: Settlement & { reason: string; receipt: Receipt },
): Snapshot {
  const unknown = becomeUnknown(snapshot, effect, { reason, nowMs });
  return holdForMismatch(unknown, effectOf(unknown, effect.operationId), {
    why: reason,
    providerId: receipt.providerId,
    consequence: repeatConsequence(book, effect),
    nowMs,
  });
}
