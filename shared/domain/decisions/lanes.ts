// The two lanes of a case: the outbox tells what has happened, the plan makes it happen (design.md 5, rules 4 to 7). Pure.
//
// An outbox effect tells of a commit, which stays a fact whatever came after: no version gate applies. A plan effect is
// gated at every claim: a decision made on v1 must not reach a provider at v2 (seed 1, Break 2).
//
// In the plan lane the first row that applies names the step:
//
//      no plan                           decide, if there is something to decide (decide-step.ts)
//   4  the plan is over                  end it: stale or broken, and nothing of it on its way
//      an effect is unknown              recover it; a stale or broken plan sends nothing again
//      the case is held, or in doubt     nothing: a person must act first
//   5  an effect is prepared             check for a repeated intent and for missing code, ask for approvals, then claim
//   6  every effect is confirmed         commit
import type { Book } from "../definitions.ts";
import { isPlanHeld, type Plan } from "../records/case.ts";
import { isFinal, isOpenUnknown, type Effect } from "../records/effect.ts";
import { caseOf, planEffects, type Snapshot } from "../records/snapshot.ts";
import { approvalState, withNewQuestions, type ApprovalState } from "./approvals.ts";
import { decideStep } from "./decide-step.ts";
import { isFailed, openDoubt, restsOn } from "./doubts.ts";
import { effectStep, keyEndStep, pacedStep, type EffectFacts } from "./effect-step.ts";
import { effectCodeStep, notificationStep } from "./missing-code.ts";
import { whyRepeated } from "./repeated-intent.ts";
import { isWork, soonest, type LaneFacts, type Step } from "./step.ts";
import { whyAccountMoved } from "./terms.ts";

/** Each outbox effect by itself: one that waits or is in review does not stop the next. */
export function outboxLane(snapshot: Snapshot, facts: LaneFacts): Step {
  let passive: Step = { kind: "idle" };
  for (const effect of snapshot.effects) {
    if (effect.origin !== "outbox" || isFinal(effect)) continue;
    const unpaced = effectStep(snapshot, effect, { ...facts, current: true });
    const step = pacedStep(snapshot, unpaced, facts);
    if (step.kind !== "wait" && step.kind !== "idle") return step;
    passive = soonest(passive, step);
  }
  return passive;
}

export function planLane(snapshot: Snapshot, facts: LaneFacts): Step {
  const record = caseOf(snapshot);
  const { plan } = record;
  if (plan === undefined) return decideStep(record, facts);
  const { book, nowMs = 0 } = facts;
  const effects = planEffects(snapshot);
  const unknown = effects.find(isOpenUnknown);
  // What may have left is brought to its end first: a new question about others must not use up its key.
  const asking = unknown === undefined ? withNewQuestions(snapshot, plan, book) : plan;
  const approvals = approvalState(snapshot, asking, nowMs);
  const ended = whyPlanEnded(snapshot, plan, { effects, approvals, book });
  if (ended !== undefined) return { kind: "endPlan", why: ended };
  const isHeld =
    isPlanHeld(record) || openDoubt(snapshot, restsOn(snapshot, effects)) !== undefined;
  const isBroken = approvals.kind === "refused" || effects.some(isFailed);
  const current = record.version === plan.decidedOn && !isBroken;
  const gated = { ...facts, current, approvals, isHeld };
  // A hold stops decisions and claims; what is unknown is still looked up, settled or shown to a person.
  if (unknown !== undefined) return gatedStep(snapshot, unknown, gated);
  if (isHeld) return { kind: "idle" };
  const prepared = effects.find(({ status }) => status === "prepared");
  if (prepared !== undefined) {
    const repeated = whyRepeated(snapshot, prepared);
    if (repeated !== undefined) {
      return { kind: "holdCase", reason: "RepeatedIntent", why: repeated };
    }
    return missingCodeStep(snapshot, effects, book) ?? gatedStep(snapshot, prepared, gated);
  }
  if (!effects.every(({ status }) => status === "confirmed")) return { kind: "idle" };
  return notificationStep(record, book) ?? { kind: "commit" };
}

/** Nothing of a plan leaves that could not go on afterwards: all of it must have its code, and so must what tells of it. */
function missingCodeStep(
  snapshot: Snapshot,
  effects: readonly Effect[],
  book: Book,
): Step | undefined {
  const prepared = effects.filter(({ status }) => status === "prepared");
  const steps = prepared.map((effect) => effectCodeStep(snapshot, effect, book));
  return steps.find((step) => step !== undefined) ?? notificationStep(caseOf(snapshot), book);
}

/** A plan effect is claimed only with all approvals given, and while nothing holds its plan. */
function gatedStep(
  snapshot: Snapshot,
  effect: Effect,
  facts: EffectFacts & { approvals: ApprovalState; isHeld: boolean },
): Step {
  const { approvals, isHeld } = facts;
  const step = effectStep(snapshot, effect, facts);
  if (isHeld && (step.kind === "claim" || step.kind === "draining")) {
    return keyEndStep(effect, facts);
  }
  if (step.kind !== "claim" || approvals.kind === "given") return step;
  const question = approvalStep(approvals);
  return isWork(question) ? question : soonest(question, keyEndStep(effect, facts));
}

function approvalStep(approvals: ApprovalState): Step {
  switch (approvals.kind) {
    case "ask":
      return { kind: "askApprovals", operationIds: approvals.operationIds };
    case "waiting":
      return { kind: "wait", untilMs: approvals.untilMs };
    case "given":
    case "refused":
      return { kind: "idle" };
  }
}

/** Why a plan is over: it is stale or broken, and nothing of it can still be on its way. Undefined while it goes on. */
function whyPlanEnded(
  snapshot: Snapshot,
  plan: Plan,
  {
    effects,
    approvals,
    book,
  }: { effects: readonly Effect[]; approvals: ApprovalState; book: Book },
): string | undefined {
  const { version } = caseOf(snapshot);
  const onItsWay = effects.some((effect) => effect.status === "started" || isOpenUnknown(effect));
  if (onItsWay) return undefined;
  // Something else was done under one of its operations: nothing is decided anew before a person has seen that.
  const undone = effects.filter(({ status }) => status !== "confirmed");
  if (openDoubt(snapshot, undone, ["EvidenceMismatch"]) !== undefined) return undefined;
  if (version !== plan.decidedOn) {
    return `decided on version ${plan.decidedOn}, the case is at ${version}`;
  }
  // All done by then, there is nothing left to refuse.
  if (approvals.kind === "refused" && undone.length > 0) {
    return `approval refused by ${approvals.by}`;
  }
  const broken = effects.find(
    (effect) => effect.status !== "confirmed" && effect.status !== "prepared",
  );
  if (broken !== undefined) return `${broken.action} is ${broken.status}`;
  // What was to follow an effect that failed at its goal rests on its success; a person sees the failure first.
  const isSeen = openDoubt(snapshot, effects, ["NotificationFailed"]) === undefined;
  const failed = isSeen ? effects.find(isFailed) : undefined;
  if (failed !== undefined) return `${failed.action} was accepted and then failed`;
  return whyAccountMoved(plan, effects, book);
}
