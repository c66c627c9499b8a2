// What a person may state about a review now (design.md 4). Pure. One policy: for showing the choices, for taking the answer,
// and for the turn that folds it.
//
//   an unknown effect    happened | didNotHappen, after the horizon | retry, as the contract covers it | lookAgain | abandon
//   a prepared effect    retry, if only the bounds on attempts stopped it | abandon, which cancels it
//   a held case          release
//   anything settled     acknowledge
//
// Some of what is not permitted may be forced by two people: a denial before the horizon, and a retry that the contract does
// not cover. Nobody forces a send past the version gate, a grant or an approval.
import type { Book } from "../definitions.ts";
import { isFinal, type Effect, type EffectOf } from "../records/effect.ts";
import type { Statement } from "../records/evidence.ts";
import type { Review } from "../records/review.ts";
import { caseOf, findEffect, planEffects, type Snapshot } from "../records/snapshot.ts";
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
  /** When it will be permitted, if only time is missing. */
  fromMs?: number;
  /** Two people with the role may do it all the same. */
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
  const effect = findEffect(snapshot, review.subject);
  const choice = (kind: ChoiceKind, verdict: Verdict): Choice => ({
    kind,
    ...verdict,
    consequence: consequenceOf(kind, { snapshot, effect, book: facts.book }),
  });
  // Of an erased case nothing is sent or settled any more; a person can only see that something was told of it.
  if (snapshot.case?.erased !== undefined) return [choice("acknowledge", permitted)];
  if (review.kind === "CaseHeld") return [choice("release", releaseVerdict(snapshot, review.id))];
  // A final status, or evidence against one, changes by no word of a person; it can only be seen.
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
    // No word of a person replaces missing code; the next look would hold the case again.
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

/** Before the horizon a call may still land, so even an honest look proves nothing (counterexample 11). */
function denialVerdict(
  snapshot: Snapshot,
  { effect, review }: Reviewed<EffectOf<"unknown">>,
  { book, nowMs }: ChoiceFacts,
): Verdict {
  // What is denied is decided anew, so a person must first have seen what else was found.
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
  // A prepared effect has nothing out there that a send could repeat.
  if (effect.status === "prepared") return permitted;
  const { apiVersion, contract } = provider;
  const account = accountAt(provider, effect.tenantId);
  const why = whyRetryNotCovered({ effect, contract, account, apiVersion, current: true, nowMs });
  return why === undefined ? permitted : { isPermitted: false, why, mayBeForced: true };
}

/** What the effect waits for that no word of a person replaces; undefined when this very review holds it. */
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

/** Why no person may have it sent: the gates that stand before every send. */
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
  // A look that shows nothing would free the effect for a retry, and here a retry takes two people.
  if (review.kind === "EvidenceMismatch") {
    return refused("something else was found under this operation; look for yourself");
  }
  const waits = whatItWaitsFor(effect, review);
  return waits === undefined ? permitted : refused(waits);
}

/** Why this statement may not be taken; undefined when it may. That a forced one has two authors, the caller checks. */
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
