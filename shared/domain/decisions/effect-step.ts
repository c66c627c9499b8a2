// The next step of one effect that is not settled, whichever lane it is in (design.md 5, rules 4 and 5). Pure.
//
//   unknown     what recover.ts says: retry, look up, wait, or show it to a person
//   prepared    claim it, once its back-off is over, unless its attempts are used up or a review holds it
//   started     wait: the call is in flight
//
// Code that the step needs and that is not deployed comes first (missing-code.ts). A grant or a payload that this turn
// looked for in vain (`withheld`) and a drain stop a claim here; approvals and holds of a plan stop it in lanes.ts.
import { standingOrder, type Effect, type EffectOf } from "../records/effect.ts";
import { effectOf, type Snapshot } from "../records/snapshot.ts";
import { effectCodeStep, missingStep } from "./missing-code.ts";
import { recover, whyExhausted } from "./recover.ts";
import { keyEndMs } from "./send-cover.ts";
import type { LaneFacts, Step } from "./step.ts";
import { sendScopeOf } from "./terms.ts";

/** `current`: the decision still stands, so the effect may be sent. An outbox effect's always does. */
export type EffectFacts = LaneFacts & { current: boolean };

export function effectStep(snapshot: Snapshot, effect: Effect, facts: EffectFacts): Step {
  switch (effect.status) {
    case "unknown":
      return effectCodeStep(snapshot, effect, facts.book) ?? unknownStep(effect, facts);
    case "prepared":
      return effectCodeStep(snapshot, effect, facts.book) ?? preparedStep(effect, facts);
    case "started":
      return { kind: "wait", untilMs: undefined };
    case "confirmed":
    case "rejected":
    case "cancelled":
      return { kind: "idle" };
  }
}

function unknownStep(effect: EffectOf<"unknown">, facts: EffectFacts): Step {
  const { book, current, nowMs } = facts;
  const { operationId } = effect;
  const provider = book.provider(effect.provider);
  if (provider === undefined || nowMs === undefined) return { kind: "wait", untilMs: undefined };
  const recovery = recover({ ...sendScopeOf(effect, provider, nowMs), effect, current });
  switch (recovery.kind) {
    case "inReview":
      return { kind: "idle" };
    case "wait":
      return recovery;
    case "review":
      return { ...recovery, kind: "openReview", operationId };
    case "lookUp":
      return isWithheld(effect, facts) ? { kind: "idle" } : { kind: "lookUp", operationId };
    case "retry":
      return missingStep(effect, book, "send") ?? claimStep(effect, facts);
  }
}

function preparedStep(effect: EffectOf<"prepared">, facts: LaneFacts): Step {
  const { notBeforeMs, operationId, reviewRef } = effect;
  if (reviewRef !== undefined) return { kind: "idle" };
  if (facts.nowMs === undefined) return { kind: "wait", untilMs: undefined };
  const exhausted = whyExhausted(effect);
  if (exhausted !== undefined && standingOrder(effect) === undefined) {
    return { kind: "openReview", operationId, review: "AttemptsExhausted", why: exhausted };
  }
  if (notBeforeMs !== undefined && facts.nowMs < notBeforeMs) {
    return { kind: "wait", untilMs: notBeforeMs };
  }
  return claimStep(effect, facts);
}

function claimStep(effect: Effect, facts: LaneFacts): Step {
  if (isWithheld(effect, facts)) return { kind: "idle" };
  if (facts.draining === true) return { kind: "draining" };
  return { kind: "claim", operationId: effect.operationId };
}

/** What may be claimed waits while its provider is left alone. */
export function pacedStep(snapshot: Snapshot, step: Step, { paced }: LaneFacts): Step {
  if (step.kind !== "claim") return step;
  const untilMs = paced?.get(effectOf(snapshot, step.operationId).provider);
  return untilMs === undefined ? step : { kind: "wait", untilMs };
}

function isWithheld({ operationId }: Effect, { withheld }: LaneFacts): boolean {
  return withheld?.has(operationId) === true;
}

/**
 * For an effect that must wait although its key would allow a retry: when its key lapses, somebody must look again, because
 * then no retry is covered any more.
 */
export function keyEndStep(effect: Effect, { book, nowMs = 0 }: LaneFacts): Step {
  const contract = book.provider(effect.provider)?.contract;
  const endMs = contract && keyEndMs(effect, contract);
  return endMs === undefined || endMs <= nowMs
    ? { kind: "idle" }
    : { kind: "wait", untilMs: endMs };
}
