// The one judge of every simulated or crashed world. Pure; it believes journals, never a worker.
//
// Each rule is a named function from the testimony to what breaks it. It shares no code with what it judges but the
// shapes of the records: digests are computed anew, outcomes are named by an oracle of its own (oracle.ts).
// `npm run mutants` takes the rules of the app away one by one and sees the rule of that name speak here.
import * as approvals from "./approval-rules.ts";
import { deliveriesAreTold } from "./delivery-rules.ts";
import type { Rule } from "./judged.ts";
import * as ledger from "./ledger-rules.ts";
import { reachedTheirEnds } from "./oracle.ts";
import * as pacing from "./pacing-rules.ts";
import * as payloads from "./payload-rules.ts";
import * as plans from "./plan-rules.ts";
import type { Testimony, Violation } from "./testimony.ts";
import * as world from "./world-rules.ts";

export const rules = {
  /** Applied at most once per business intent. */
  appliedOnce: world.appliedOnce,
  /** Nothing is confirmed that was not applied. */
  confirmedWasApplied: world.confirmedWasApplied,
  /** Nothing is rejected or cancelled that was applied. */
  deniedWasNotApplied: world.deniedWasNotApplied,
  /** Proof against a final status shows as a contradiction. */
  contradictionShows: world.contradictionShows,
  /** No send but behind a gate that read a grant which held. */
  grantHeldAtGate: world.grantHeldAtGate,
  /** No send without a claim that stands. */
  claimStandsAtSend: world.claimStandsAtSend,
  /** No send after the claim's time has run out. */
  sendsInTime: world.sendsInTime,
  /** A receipt that reached a living worker is in the record. */
  receiptIsKept: world.receiptIsKept,
  /** What the provider received is what was frozen. */
  bytesAsFrozen: world.bytesAsFrozen,
  /** No claim while another plan's contradiction is open, none on a version that has passed. */
  claimsAreCurrent: ledger.claimsAreCurrent,
  /** Statuses follow the table of the design. */
  statusesFollowTable: ledger.statusesFollowTable,
  /** Each batch rests on the case as the batch before left it. */
  noLostUpdate: ledger.noLostUpdate,
  fencesRise: ledger.fencesRise,
  /** A version is decided on at most once, and a version stands for one state of facts and status. */
  versionDecidedOnce: ledger.versionDecidedOnce,
  logIdsUnique: ledger.logIdsUnique,
  /** The batch of a commit carries its notifications, and each comes to an end or to a person. */
  commitTells: ledger.commitTells,
  /** Every durable event was folded into its case. */
  noCaseLost: ledger.noCaseLost,
  /** A schedule's run is one, however many run it. */
  runsAreOne: ledger.runsAreOne,
  /** What a system reports comes to the operation that it is about. */
  reportsAreHeard: ledger.reportsAreHeard,
  /** What became of a delivery is in the record; its failure, or silence about it, comes to a person. */
  deliveriesAreTold,
  /** Every unknown is in an open review, or on its way. */
  unknownIsVisible: ledger.unknownIsVisible,
  /** Every case ended, or is held for a reason that its contract leaves to a person. */
  progress: reachedTheirEnds,
  /** A person had said yes to these very bytes, and it still held at the gate's look. */
  approvalHeldAtGate: approvals.approvalHeldAtGate,
  /** All that a plan needs are given before its first claim. */
  approvalsComeFirst: approvals.approvalsComeFirst,
  /** Whoever requested it does not approve it, and no machine does. */
  approverIsAnother: approvals.approverIsAnother,
  answeredOnce: approvals.answeredOnce,
  /** No answer to a question that ran out, none on facts of record that had changed. */
  answersAreCurrent: approvals.answersAreCurrent,
  /** Only what is confirmed is made good. */
  compensationHasCause: approvals.compensationHasCause,
  /** A frozen plan ends for a cause, and a new revision is none. */
  plansEndForCause: plans.plansEndForCause,
  /** What a newer revision wrote is left alone. */
  newerIsLeft: plans.newerIsLeft,
  /** A decision is of its worker's own code, on a model's answer for this version. */
  decidedByOwnCode: plans.decidedByOwnCode,
  /** What a checkpoint gave is not asked for again. */
  adviceIsKept: plans.adviceIsKept,
  /** A crash is counted for what came again or was overdue, and not after a worker that lived. */
  crashesAreReal: plans.crashesAreReal,
  /** Only a closed case is erased, and nothing is left of its content. */
  erasedForGood: plans.erasedForGood,
  /** A sensitive payload is in clear nowhere in the store. */
  sealedApart: payloads.sealedApart,
  /** It is kept as long as its effect may need it, and no longer than a month after. */
  payloadsKept: payloads.payloadsKept,
  /** One provider's places and its breaker. */
  placesAreKept: pacing.placesAreKept,
  /** Nothing is sent past the pacing. */
  sendsAreAdmitted: pacing.sendsAreAdmitted,
  /** Retry-After is kept by whoever heard it. */
  backOffIsKept: pacing.backOffIsKept,
  noDefect: ({ cases, defects }) => ({ looked: cases.length, wrong: [...defects] }),
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof rules;

export interface Judgement {
  violations: Violation[];
  /** How many subjects each rule found to judge. */
  looked: Record<RuleName, number>;
}

export function judge(testimony: Testimony): Judgement {
  const violations: Violation[] = [];
  const looked = Object.entries(rules).map(([rule, judgeBy]) => {
    const { looked, wrong } = judgeBy(testimony);
    violations.push(...wrong.map((evidence) => ({ rule, evidence })));
    return [rule, looked];
  });
  return { violations, looked: Object.fromEntries(looked) };
}

export function audit(testimony: Testimony): Violation[] {
  return judge(testimony).violations;
}
