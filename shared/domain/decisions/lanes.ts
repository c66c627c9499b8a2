// The two lanes of a case: the outbox (tell what has happened) and the plan (make it happen). Pure.
//
// The outbox is exempt from the version gate: it tells of a commit that is a fact, whatever came after.
// The plan is gated at every claim: a decision made on v1 must not reach a provider at v2.
import { caseOf, planEffects, type Snapshot } from "../records/snapshot.ts";
import { isFinal, standingOrder, type Effect, type EffectOf } from "../records/effect.ts";
import type { Case, Plan } from "../records/case.ts";
import { accountAt, whyAccountMoved } from "./terms.ts";
import { approvalState, withNewQuestions, type ApprovalState } from "./approvals.ts";
import { isFailed, openDoubt, restsOn } from "./doubts.ts";
import { forwardFacts } from "./forward-facts.ts";
import { effectCodeStep, missingStep, notificationStep, whyStatusLost } from "./missing-code.ts";
import { recover, whyExhausted } from "./recover.ts";
import { whyRepeated } from "./repeated-intent.ts";
import { keyEndMs } from "./send-cover.ts";
import { isWork, soonest, type LaneFacts, type Step } from "./step.ts";

const decisionsWithoutProgressMax = 3;

/** Each outbox effect by itself: one that waits or is in review does not stop the next. */
export function outboxLane(snapshot: Snapshot, facts: LaneFacts): Step {
  let passive: Step = { kind: "idle" };
  for (const effect of snapshot.effects) {
    if (effect.origin !== "outbox" || isFinal(effect)) continue;
    const step = effectStep(snapshot, effect, { ...facts, current: true });
    if (step.kind !== "wait" && step.kind !== "idle") return step;
    passive = soonest(passive, step);
  }
  return passive;
}

export function planLane(snapshot: Snapshot, facts: LaneFacts): Step {
  const record = caseOf(snapshot);
  if (record.plan === undefined) return decideStep(record, facts);
  const { book } = facts;
  const effects = planEffects(snapshot);
  const unknown = effects.find((effect) => effect.status === "unknown" && !isFinal(effect));
  // What may have left is brought to its end first: a new question about others must not use up its key.
  const { plan } = record;
  const asking = unknown === undefined ? withNewQuestions(snapshot, plan, book) : plan;
  const approvals = approvalState(snapshot, asking, facts.nowMs ?? 0);
  const ended = whyPlanEnded(snapshot, plan, { effects, approvals, book });
  if (ended !== undefined) return { kind: "endPlan", why: ended };
  const open = unknown ?? effects.find((effect) => effect.status === "prepared");
  const isHeld =
    planIsHeld(record) || openDoubt(snapshot, restsOn(snapshot, effects)) !== undefined;
  // A hold stops decisions and claims; what is unknown is still looked up, settled or shown to a person.
  if (isHeld && unknown === undefined) return { kind: "idle" };
  if (open?.status === "prepared") {
    const repeated = whyRepeated(snapshot, open);
    if (repeated !== undefined)
      return { kind: "holdCase", reason: "RepeatedIntent", why: repeated };
    // Nothing of a plan leaves that could then not go on.
    const lacking = lackingStep(snapshot, effects, facts.book);
    if (lacking !== undefined) return lacking;
  }
  if (open !== undefined) {
    const isBroken = approvals.kind === "refused" || effects.some(isFailed);
    const current = record.version === plan.decidedOn && !isBroken;
    const step = effectStep(snapshot, open, { ...facts, current });
    if (isHeld && (step.kind === "claim" || step.kind === "draining")) {
      return keyEndStep(open, facts);
    }
    if (step.kind !== "claim" || approvals.kind === "given") return step;
    const question = approvalStep(approvals);
    return isWork(question) ? question : soonest(question, keyEndStep(open, facts));
  }
  if (!effects.every((effect) => effect.status === "confirmed")) return { kind: "idle" };
  return notificationStep(record, facts.book) ?? { kind: "commit" };
}

/** Code that what is still to be sent needs, or what must tell of it. */
function lackingStep(
  snapshot: Snapshot,
  effects: readonly Effect[],
  book: LaneFacts["book"],
): Step | undefined {
  const prepared = effects.filter(({ status }) => status === "prepared");
  const steps = prepared.map((effect) => effectCodeStep(snapshot, effect, book));
  return steps.find((step) => step !== undefined) ?? notificationStep(caseOf(snapshot), book);
}

/** A hold or a question may outlast the key: then a person must see that no retry is covered any more. */
function keyEndStep(effect: Effect, { book, nowMs = 0 }: LaneFacts): Step {
  const contract = book.provider(effect.provider)?.contract;
  const endMs = contract && keyEndMs(effect, contract);
  // What may be sent after that, too, rests on no key.
  return endMs === undefined || endMs <= nowMs
    ? { kind: "idle" }
    : { kind: "wait", untilMs: endMs };
}

interface PlanFacts {
  effects: readonly Effect[];
  approvals: ApprovalState;
  book: LaneFacts["book"];
}

/** A plan is over when it is stale or broken, and nothing of it can still be on its way. */
function whyPlanEnded(
  snapshot: Snapshot,
  plan: Plan,
  { effects, approvals, book }: PlanFacts,
): string | undefined {
  const { version } = caseOf(snapshot);
  const onItsWay = effects.some(
    (effect) => effect.status === "started" || (effect.status === "unknown" && !isFinal(effect)),
  );
  if (onItsWay) return undefined;
  // Nor may what was not done be decided anew before somebody has seen what else was done under it.
  const undone = effects.filter(({ status }) => status !== "confirmed");
  if (openDoubt(snapshot, undone, ["EvidenceMismatch"]) !== undefined) return undefined;
  if (version !== plan.decidedOn) {
    return `decided on version ${plan.decidedOn}, the case is at ${version}`;
  }
  if (approvals.kind === "refused") return `approval refused by ${approvals.by}`;
  const broken = effects.find(
    (effect) => effect.status !== "confirmed" && effect.status !== "prepared",
  );
  if (broken !== undefined) return `${broken.action} is ${broken.status}`;
  // A person has seen that it failed; what was to follow rests on its success.
  const isSeen = openDoubt(snapshot, effects, ["NotificationFailed"]) === undefined;
  const failed = isSeen ? effects.find(isFailed) : undefined;
  if (failed !== undefined) return `${failed.action} was accepted and then failed`;
  return whyAccountMoved(plan, effects, book);
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

function effectStep(
  snapshot: Snapshot,
  effect: Effect,
  facts: LaneFacts & { current: boolean },
): Step {
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

function unknownStep(effect: EffectOf<"unknown">, facts: LaneFacts & { current: boolean }): Step {
  const { current, nowMs } = facts;
  const provider = facts.book.provider(effect.provider);
  if (provider === undefined || nowMs === undefined) return { kind: "wait", untilMs: undefined };
  const { contract, apiVersion } = provider;
  const account = accountAt(provider, effect.tenantId);
  const recovery = recover({ effect, contract, account, apiVersion, current, nowMs });
  switch (recovery.kind) {
    case "inReview":
      return { kind: "idle" };
    case "wait":
      return recovery;
    case "review":
      return { ...recovery, kind: "openReview", operationId: effect.operationId };
    case "lookUp":
      if (facts.withheld?.has(effect.operationId) === true) return { kind: "idle" };
      return { kind: "lookUp", operationId: effect.operationId };
    case "retry":
      return missingStep(effect, facts.book, "send") ?? claimStep(effect, facts);
  }
}

function preparedStep(effect: EffectOf<"prepared">, facts: LaneFacts): Step {
  if (effect.reviewRef !== undefined) return { kind: "idle" };
  if (facts.nowMs === undefined) return { kind: "wait", untilMs: undefined };
  const { operationId } = effect;
  const exhausted = whyExhausted(effect);
  if (exhausted !== undefined && standingOrder(effect) === undefined) {
    return { kind: "openReview", operationId, review: "AttemptsExhausted", why: exhausted };
  }
  if (effect.notBeforeMs !== undefined && facts.nowMs < effect.notBeforeMs) {
    return { kind: "wait", untilMs: effect.notBeforeMs };
  }
  return claimStep(effect, facts);
}

function claimStep(effect: Effect, facts: LaneFacts): Step {
  if (facts.withheld?.has(effect.operationId) === true) return { kind: "idle" };
  if (facts.draining === true) return { kind: "draining" };
  return { kind: "claim", operationId: effect.operationId };
}

/** Nothing of an earlier plan is on its way here: a plan does not end before that. */
function decideStep(record: Case, facts: LaneFacts): Step {
  if (planIsHeld(record) || facts.workflow === undefined) return { kind: "idle" };
  const lost = whyStatusLost(record, facts.workflow);
  if (lost !== undefined) return { kind: "awaitCode", reason: "FactsInvalid", why: lost };
  if (facts.workflow.statuses[record.status]?.final !== false) return { kind: "idle" };
  if (record.decidedVersion === record.version) return { kind: "idle" };
  const retry = record.decideRetry;
  if (retry?.version === record.version && (facts.nowMs ?? 0) < retry.notBeforeMs) {
    return { kind: "wait", untilMs: retry.notBeforeMs };
  }
  if (record.decisionsWithoutProgress >= decisionsWithoutProgressMax) {
    const why = `${record.decisionsWithoutProgress} decisions brought no confirmed effect and no final status: it is still ${record.status}`;
    return { kind: "holdCase", reason: "NoProgress", why };
  }
  if (facts.draining === true) return { kind: "draining" };
  const forwarded = forwardFacts(record, facts.workflow);
  if (forwarded.kind !== "fits") {
    return { kind: "awaitCode", reason: "FactsInvalid", why: forwarded.why };
  }
  return forwarded.digest === record.factsDigest ? { kind: "decide" } : { kind: "bringForward" };
}

/** Whether the plan lane may decide or claim at all. */
function planIsHeld(record: Case): boolean {
  return record.held !== undefined || record.contradictionsOpen > 0;
}
