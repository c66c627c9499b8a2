// Names the outcome of each effect and case when all faults have stopped, and says which of them nobody may leave so.
//
// Written from the contracts alone, not from `recover`: what a machine could still have settled by a key that is
// enforced, or by a look-up that tells the truth, must not be left to a person.
import type { Contract } from "../../shared/domain/contract.ts";
import type { Case } from "../../shared/domain/records/case.ts";
import type { Effect, EffectOf } from "../../shared/domain/records/effect.ts";
import type { Review } from "../../shared/domain/records/review.ts";
import { coversContent } from "./grants.ts";
import { contentOf, sealedIn } from "./history.ts";
import { judged, type Judged } from "./judged.ts";
import type { CaseTestimony, Testimony } from "./testimony.ts";

export interface Outcome {
  subject: string;
  name: string;
  /** Why this may not be so; undefined when it may. */
  stuck?: string;
}

const lookupsMax = 20;
const leftMax = 20;
const refusedMax = 5;
const notSentMax = 30;

export function reachedTheirEnds(testimony: Testimony): Judged {
  const outcomes = testimony.settled ? outcomesOf(testimony) : [];
  return judged(outcomes, ({ name, stuck, subject }) =>
    stuck === undefined ? undefined : `${subject} is ${name}: ${stuck}`,
  );
}

export function outcomesOf(testimony: Testimony): Outcome[] {
  return testimony.cases.flatMap((one) => {
    const { final } = one;
    const record = final?.snapshot.case;
    if (final === undefined || record === undefined) return [];
    const effects = final.snapshot.effects.map((effect) => effectOutcome(testimony, one, effect));
    return [...effects, caseOutcome(one, { effects, record })];
  });
}

function effectOutcome(testimony: Testimony, one: CaseTestimony, effect: Effect): Outcome {
  const subject = `${effect.action} ${effect.operationId}`;
  switch (effect.status) {
    case "confirmed":
    case "rejected":
    case "cancelled":
      return { subject, name: effect.status };
    case "started":
      return { subject, name: "started", stuck: "its call must be over for long" };
    case "prepared":
      return { subject, ...preparedOutcome(testimony, one, effect) };
    case "unknown": {
      if (effect.abandonedBy !== undefined) return { subject, name: "unknown, abandoned" };
      const review = reviewOf(one, effect.reviewRef);
      const withheld = withheldOutcome(testimony, one, effect);
      if (review === undefined && withheld !== undefined) return { subject, ...withheld };
      if (review === undefined && isHeldWithCase(testimony, one, effect)) {
        return { subject, name: "unknown, its case is held" };
      }
      if (review === undefined) return { subject, name: "unknown", stuck: "no review is open" };
      const isParked = one.final?.snapshot.case?.held?.reason === "Poison";
      const stuck = isParked ? undefined : whyMachineCould(testimony, one, { effect, review });
      return {
        subject,
        name: `unknown, in review (${review.kind})`,
        ...(stuck === undefined ? {} : { stuck }),
      };
    }
  }
}

/** A key, or that it is not there, would settle it by sending again, and nothing of a held case is sent: its review shows it. */
function isHeldWithCase(testimony: Testimony, { final }: CaseTestimony, effect: Effect): boolean {
  const record = final?.snapshot.case;
  const isHeld =
    record?.held !== undefined || (record?.contradictionsOpen ?? 0) > 0 || isPlanDoubted({ final });
  const contract = testimony.contracts[effect.provider];
  const isAbsent =
    contract?.lookup?.consistency === "strong" && effect.lookups?.absentStartedAtMs !== undefined;
  const isOrdered = effect.retryOrder?.attempts === effect.attempts.length;
  const maySendAgain = contract?.idempotency !== undefined || isAbsent || isOrdered;
  return isHeld && effect.origin === "plan" && maySendAgain;
}

function reviewOf({ final }: CaseTestimony, id: string | undefined): Review | undefined {
  return final?.snapshot.reviews.find(
    (review) => review.id === id && review.resolution === undefined,
  );
}

/** What the machine could have done about an unknown effect that lies with a person. */
function whyMachineCould(
  testimony: Testimony,
  one: CaseTestimony,
  { effect, review }: { effect: EffectOf<"unknown">; review: Review },
): string | undefined {
  const contract = testimony.contracts[effect.provider];
  if (contract === undefined) return `no contract of ${effect.provider}`;
  if (review.kind === "EvidenceMismatch") return undefined;
  // What the contract promises now it did not promise for those calls.
  if (effect.contractRevision !== contract.revision) return undefined;
  const isCurrent =
    effect.origin === "outbox" ||
    (effect.decidedOn === review.caseVersion &&
      !isRefused(one, effect) &&
      !hasFailedBeside(one, effect));
  if (isExhausted(effect)) return undefined;
  if (isCurrent && keyStillHeld(contract, effect, review)) return "its key would have settled it";
  if (contract.lookup === undefined) return undefined;
  const lookups = effect.lookups;
  if (lookups === undefined) return "nobody has looked it up";
  if (lookups.count >= lookupsMax) return undefined;
  const wasThere = testimony.applied.some(
    (entry) =>
      entry.operationId === effect.operationId && entry.visibleAtMs < lookups.lastStartedAtMs,
  );
  if (wasThere) return "a look-up would have found it";
  if (contract.lookup.consistency === "eventual") return undefined;
  // Its worker's own end may have come later: a review stays until evidence or a person settles it.
  const wasOrphaned = orphanedIds(testimony).has(effect.operationId);
  return isCurrent && !wasOrphaned ? "it is not there and may be sent again" : undefined;
}

/** Asked again while it was unknown, and a person said no: nothing of it is sent any more. */
function isRefused({ final }: CaseTestimony, { decidedOn }: Effect): boolean {
  const { approvals = [] } = final?.snapshot ?? {};
  return approvals.some(
    ({ answer, version }) => version === decidedOn && answer?.decision === "refuse",
  );
}

/** What its plan did before it has failed at its goal: nothing of that plan is sent any more. */
function hasFailedBeside({ final }: CaseTestimony, { decidedOn }: Effect): boolean {
  const { effects = [] } = final?.snapshot ?? {};
  return effects.some(
    (other) =>
      other.origin === "plan" &&
      other.decidedOn === decidedOn &&
      other.status === "confirmed" &&
      other.receipt.stage === "failed",
  );
}

function orphanedIds({ cases }: Testimony): Set<string> {
  const ids = new Set<string>();
  for (const { landed } of cases) {
    for (const { batch } of landed) {
      for (const document of [...batch.creates, ...batch.replaces]) {
        if (document.type !== "effect") continue;
        if (document.attempts.some(({ end }) => end?.kind === "orphaned"))
          ids.add(document.operationId);
      }
    }
  }
  return ids;
}

function keyStillHeld(contract: Contract, effect: Effect, review: Review): boolean {
  if (contract.idempotency === undefined) return false;
  const { marginMs, retentionMs } = contract.idempotency;
  const last = effect.attempts.at(-1);
  if (last?.end?.replayedError === true || last?.end?.keyReused === true) return false;
  const first = effect.attempts.find(
    ({ end }) => end?.kind !== "notSent" && end?.kind !== "notApplied",
  );
  const usedMs = review.openedAtMs - (first?.claimedAtMs ?? review.openedAtMs);
  return usedMs <= retentionMs - marginMs;
}

function isExhausted({ attempts }: Effect): boolean {
  const turnedAway = attempts.filter(
    ({ end }) => end?.kind === "notSent" || end?.kind === "notApplied",
  ).length;
  const refused = attempts.filter(({ end }) => end?.kind === "refused").length;
  return (
    refused >= refusedMax || turnedAway >= notSentMax || attempts.length - turnedAway >= leftMax
  );
}

/**
 * Something else was found under an operation of its plan, or of what that plan makes good, or it failed at its goal, and nobody has
 * seen that yet.
 */
function isPlanDoubted({ final }: Pick<CaseTestimony, "final">): boolean {
  const { case: record, effects = [], reviews = [] } = final?.snapshot ?? {};
  const planned = new Set(record?.plan?.operationIds);
  const madeGood = effects
    .filter(({ operationId }) => planned.has(operationId))
    .map(({ compensates }) => compensates);
  const subjects = new Set([...planned, ...madeGood]);
  return reviews.some(
    ({ kind, resolution, subject }) =>
      (kind === "EvidenceMismatch" || kind === "NotificationFailed") &&
      resolution === undefined &&
      subjects.has(subject),
  );
}

function preparedOutcome(
  testimony: Testimony,
  one: CaseTestimony,
  effect: EffectOf<"prepared">,
): Omit<Outcome, "subject"> {
  const record = one.final?.snapshot.case;
  const isHeld =
    record?.held !== undefined || (record?.contradictionsOpen ?? 0) > 0 || isPlanDoubted(one);
  const isParked = record?.held?.reason === "Poison";
  if (isParked || (effect.origin === "plan" && isHeld))
    return { name: "prepared, its case is held" };
  if (effect.reviewRef !== undefined && reviewOf(one, effect.reviewRef) !== undefined) {
    const name = "prepared, in review";
    return isExhausted(effect) ? { name } : { name, stuck: "it may still be tried" };
  }
  const withheld = withheldOutcome(testimony, one, effect);
  if (withheld !== undefined) return withheld;
  const before = one.final?.snapshot.effects.find(
    (other) =>
      other.origin === "plan" &&
      other.decidedOn === effect.decidedOn &&
      other.ordinal < effect.ordinal &&
      other.status !== "confirmed",
  );
  if (effect.origin === "plan" && before !== undefined) return { name: "prepared, behind another" };
  return { name: "prepared", stuck: "nothing keeps it from being sent" };
}

/** Its payload cannot be read, or nobody has granted it: for as long as that is so, and no longer. */
function withheldOutcome(
  testimony: Testimony,
  one: CaseTestimony,
  effect: Effect,
): Omit<Outcome, "subject"> | undefined {
  const { grantHold, payloadHold, payloadRef = "", status } = effect;
  if (reviewOf(one, payloadHold) !== undefined) {
    const name = `${status}, its payload cannot be read`;
    const sealed = sealedIn(one.landed, payloadRef);
    const isReadable = sealed !== undefined && testimony.keyIds.has(sealed.keyId);
    return isReadable ? { name, stuck: "its payload can be read" } : { name };
  }
  if (reviewOf(one, grantHold) === undefined) return undefined;
  const name = `${status}, without a grant`;
  return isGranted(testimony, one, effect) ? { name, stuck: "a grant covers it" } : { name };
}

function isGranted({ endedAtMs, grants }: Testimony, one: CaseTestimony, effect: Effect): boolean {
  const content = contentOf(one, effect);
  // What is given while a month passes for the payloads comes after the end.
  const byThen = grants.filter(({ atMs }) => atMs <= endedAtMs);
  const latest = new Map(byThen.map(({ grant }) => [grant.id, grant]));
  return [...latest.values()].some(
    (grant) =>
      grant.action === effect.action &&
      grant.tenantId === effect.tenantId &&
      (grant.target === "*" || grant.target === effect.target) &&
      grant.revoked === undefined &&
      // One that somebody gave after the end has woken nobody yet.
      grant.grantedAtMs <= endedAtMs &&
      coversContent(grant, content) &&
      (grant.expiresAtMs ?? Infinity) > endedAtMs,
  );
}

function caseOutcome(
  one: CaseTestimony,
  { effects, record }: { effects: readonly Outcome[]; record: Case },
): Outcome {
  const subject = `case ${record.caseId}`;
  if (record.status !== "open") return { subject, name: "ended" };
  if (record.held !== undefined) {
    const name = `held (${record.held.reason})`;
    if (reviewOf(one, record.held.reviewRef) === undefined)
      return { subject, name, stuck: "no review is open" };
    const stuck = whyNotHeld(one, record.held.reason);
    return { subject, name, ...(stuck === undefined ? {} : { stuck }) };
  }
  if (record.contradictionsOpen > 0) return { subject, name: "held (Contradiction)" };
  if (isPlanDoubted(one)) return { subject, name: "held (something of its plan is doubted)" };
  if (record.plan !== undefined) {
    const waits = effects.some(
      ({ name }) => /^(unknown|prepared), /.test(name) && name !== "unknown, abandoned",
    );
    const name = "in its plan";
    return waits ? { subject, name } : { subject, name, stuck: "nothing of its plan is open" };
  }
  const last = one.decisions.findLast(({ version }) => version === record.version);
  if (last?.decision.kind === "wait") return { subject, name: "waiting for facts" };
  return { subject, name: "open", stuck: `version ${record.version} was never decided on` };
}

function whyNotHeld(
  one: CaseTestimony,
  reason: NonNullable<Case["held"]>["reason"],
): string | undefined {
  const isContradicted = one.final?.snapshot.effects.some(
    (effect) => effect.contradicted !== undefined,
  );
  switch (reason) {
    case "RepeatedIntent":
      return one.decider === "again" || isContradicted === true
        ? undefined
        : "nothing was asked for twice";
    case "NoProgress":
      return one.decisions.length >= 3 ? undefined : "it was decided on less than three times";
    case "DecisionHeld":
      return one.decider === "hasty" ||
        one.decisions.some(({ decision }) => decision.kind === "hold")
        ? undefined
        : "no decision held it";
    case "Poison":
      // Each count is judged by itself: parking-rules.ts.
      return undefined;
    case "DeciderFailing":
    case "PayloadMismatch":
    case "UnknownWorkflow":
    case "FactsInvalid":
    case "EventRefused":
    case "ActionRemoved":
      return "no schedule asks for this";
  }
}
