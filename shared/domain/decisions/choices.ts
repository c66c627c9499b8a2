// What a person may say of a review, now: one policy, read by whoever shows it, whoever takes the answer, and the turn that
// folds it (design.md 4). Pure.
//
//   an unknown effect     it happened | it did not, once the horizon has passed | again, as the contract covers | look again |
//                         give it up
//   a prepared effect     again, when only the machine's own bounds stop it | give it up, and it is cancelled
//   a held case           try again
//   anything settled      seen
//
// What is not permitted may still be forced, where two people may take it on themselves: never past the version gate, the
// grant or an approval.
import type { Book } from "../definitions.ts";
import { isFinal, type Effect, type EffectOf } from "../records/effect.ts";
import type { Statement } from "../records/evidence.ts";
import type { Review } from "../records/review.ts";
import { caseOf, planEffects, type Snapshot } from "../records/snapshot.ts";
import { accountAt } from "./terms.ts";
import { consequenceOf } from "./consequences.ts";
import { isFailed, openDoubt, openMismatch, restsOn } from "./doubts.ts";
import { whyRetryNotCovered } from "./recover.ts";
import { horizonEndMs } from "./send-cover.ts";

export type ChoiceKind = Statement["kind"];

export interface Choice {
  kind: ChoiceKind;
  isPermitted: boolean;
  /** Why it is not permitted. */
  why?: string;
  /** When it will be, if time alone is missing. */
  fromMs?: number;
  /** Two people with the role may take it on themselves. */
  mayBeForced: boolean;
  /** What choosing it does, in a sentence. */
  consequence: string;
}

export interface ChoiceFacts {
  book: Book;
  nowMs: number;
}

type Verdict = Pick<Choice, "isPermitted" | "why" | "fromMs" | "mayBeForced">;

const permitted: Verdict = { isPermitted: true, mayBeForced: false };
const refused = (why: string): Verdict => ({ isPermitted: false, why, mayBeForced: false });

export function choicesOf(
  snapshot: Snapshot,
  review: Pick<Review, "id" | "kind" | "subject">,
  facts: ChoiceFacts,
): Choice[] {
  const effect = snapshot.effects.find(({ operationId }) => operationId === review.subject);
  const choice = (kind: ChoiceKind, verdict: Verdict): Choice => ({
    kind,
    ...verdict,
    consequence: consequenceOf(kind, { snapshot, effect, book: facts.book }),
  });
  // Of an erased case nothing is sent or settled any more; that somebody told of it, or against it, can be seen.
  if (snapshot.case?.erased !== undefined) return [choice("acknowledge", permitted)];
  if (review.kind === "CaseHeld") return [choice("release", releaseVerdict(snapshot, review.id))];
  // Two receipts, or success where there was none: nothing is left to find out, only to be seen.
  if (effect === undefined || isFinal(effect) || review.kind === "Contradiction") {
    return [choice("acknowledge", permitted)];
  }
  switch (effect.status) {
    case "unknown":
      return unknownChoices(snapshot, { effect, review }, facts).map(([kind, verdict]) =>
        choice(kind, verdict),
      );
    case "prepared":
      return [
        choice("retry", retryVerdict(snapshot, { effect, review }, facts)),
        choice("abandon", permitted),
      ];
    case "started":
    case "confirmed":
    case "rejected":
    case "cancelled":
      return [];
  }
}

function releaseVerdict(snapshot: Snapshot, reviewId: string): Verdict {
  const held = snapshot.case?.held;
  if (held?.reviewRef !== reviewId) return refused("the case is no longer held by this");
  switch (held.reason) {
    // Nothing that a person says makes up for code that is not there; the next look would hold it again.
    case "UnknownWorkflow":
    case "FactsInvalid":
    case "ActionRemoved":
      return refused("deploy code that fits this case: that lifts it");
    case "DecisionHeld":
    case "RepeatedIntent":
    case "PayloadMismatch":
    case "NoProgress":
    case "EventRefused":
    case "Poison":
    case "DeciderFailing":
      return permitted;
  }
}

interface Reviewed<Reviewable extends Effect> {
  effect: Reviewable;
  review: Pick<Review, "id" | "kind">;
}

function unknownChoices(
  snapshot: Snapshot,
  reviewed: Reviewed<EffectOf<"unknown">>,
  facts: ChoiceFacts,
): [ChoiceKind, Verdict][] {
  return [
    ["happened", permitted],
    ["didNotHappen", denialVerdict(snapshot, reviewed, facts)],
    ["retry", retryVerdict(snapshot, reviewed, facts)],
    ["lookAgain", lookVerdict(snapshot, reviewed, facts)],
    ["abandon", permitted],
  ];
}

/** A call that is under way may still land: an honest look before the horizon proves nothing (counterexample 11). */
function denialVerdict(
  snapshot: Snapshot,
  { effect, review }: Reviewed<EffectOf<"unknown">>,
  { book, nowMs }: ChoiceFacts,
): Verdict {
  // What was denied is decided anew: not before that, too, has been seen.
  const mismatch = openMismatch(snapshot, effect);
  if (mismatch !== undefined && mismatch.id !== review.id)
    return refused("something else was found under this operation; resolve that review");
  const contract = book.provider(effect.provider)?.contract;
  const overMs = contract === undefined ? Infinity : horizonEndMs(effect, contract);
  if (nowMs > overMs) return permitted;
  const why = "a call that left may still be applied; look again after the provider's horizon";
  const fromMs = Number.isFinite(overMs) ? { fromMs: overMs + 1 } : {};
  return { isPermitted: false, why, ...fromMs, mayBeForced: true };
}

function retryVerdict(
  snapshot: Snapshot,
  { effect, review }: Reviewed<EffectOf<"unknown" | "prepared">>,
  { book, nowMs }: ChoiceFacts,
): Verdict {
  const provider = book.provider(effect.provider);
  if (provider === undefined) return refused("its provider is not defined in this code");
  const waits = whatItWaitsFor(effect, review) ?? whyNothingIsSent(snapshot, effect, review);
  if (waits !== undefined) return refused(waits);
  if (review.kind === "EvidenceMismatch") {
    const why = "something else was found under this operation";
    return { isPermitted: false, why, mayBeForced: true };
  }
  // Nothing of it ever left, so the contract has nothing against it.
  if (effect.status === "prepared") return permitted;
  const { apiVersion, contract } = provider;
  const account = accountAt(provider, effect.tenantId);
  const why = whyRetryNotCovered({ effect, contract, account, apiVersion, current: true, nowMs });
  return why === undefined ? permitted : { isPermitted: false, why, mayBeForced: true };
}

/** What no word of a person replaces, and what lifts it; undefined when this review itself holds the effect. */
function whatItWaitsFor(effect: Effect, { id, kind }: Pick<Review, "id" | "kind">) {
  switch (kind) {
    case "NoGrant":
      return "give the grant that it waits for; that sends it";
    case "ActionRemoved":
    case "ProviderRemoved":
      return "deploy the code that it needs; that sends it";
    case "PayloadUnavailable":
    case "PayloadMismatch":
      return "it goes on by itself as soon as what was frozen can be read and sent";
    case "UnknownEffect":
    case "EvidenceMismatch":
    case "AttemptsExhausted":
    case "Contradiction":
    case "NotificationFailed":
    case "DeliverySilent":
    case "FactsChangedAfterEnd":
    case "CaseHeld":
      return effect.reviewRef === undefined || effect.reviewRef === id
        ? undefined
        : "another review holds it; resolve that one";
  }
}

/** What no person may override: the gates that stand before every send. */
function whyNothingIsSent(
  snapshot: Snapshot,
  effect: Effect,
  review: Pick<Review, "id">,
): string | undefined {
  const record = caseOf(snapshot);
  if (record.held?.reason === "Poison") return "the case is parked; release it first";
  if (effect.origin !== "plan") return undefined;
  if (record.held !== undefined) return "the case is held; release it first";
  if (record.contradictionsOpen > 0) return "a contradiction of this case is not resolved yet";
  const ofPlan = planEffects(snapshot);
  if (ofPlan.some(isFailed))
    return "something of its plan failed at its goal; nothing more is sent";
  const reviews = snapshot.reviews.filter(({ id }) => id !== review.id);
  if (openDoubt({ reviews }, restsOn(snapshot, ofPlan)) !== undefined)
    return "something else was found under an operation of its plan; see that review first";
  const isCurrent =
    record.version === effect.decidedOn && record.plan?.decidedOn === record.version;
  return isCurrent
    ? undefined
    : "the case has moved on since this was decided; it is never sent again";
}

function lookVerdict(
  snapshot: Snapshot,
  { effect, review }: Reviewed<Effect>,
  { book }: ChoiceFacts,
): Verdict {
  if (book.provider(effect.provider)?.contract.lookup === undefined) {
    return refused("the provider offers no look-up");
  }
  if (snapshot.case?.held?.reason === "Poison") {
    return refused("the case is parked; release it first");
  }
  // A look that shows nothing would free it for a retry, which takes two people here.
  if (review.kind === "EvidenceMismatch") {
    return refused("something else was found under this operation; look for yourself");
  }
  const waits = whatItWaitsFor(effect, review);
  return waits === undefined ? permitted : refused(waits);
}

/** Why this statement may not be taken as it stands; undefined when it may. Two people are the caller's to check. */
export function whyNotTaken(
  choices: readonly Choice[],
  statement: Statement,
): { why: string; fromMs?: number; mayBeForced: boolean } | undefined {
  const choice = choices.find(({ kind }) => kind === statement.kind);
  if (choice === undefined) return { why: "this review has no such choice", mayBeForced: false };
  const { fromMs, isPermitted, mayBeForced, why = "it is not permitted" } = choice;
  if (isPermitted) return undefined;
  const isForced = "forced" in statement && statement.forced;
  if (isForced && mayBeForced) return undefined;
  return { why, mayBeForced, ...(fromMs === undefined ? {} : { fromMs }) };
}
