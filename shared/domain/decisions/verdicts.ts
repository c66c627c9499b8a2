// Whether one choice of a person is permitted now, and if not, why and from when on (design.md 4). Pure.
//
// What the provider's contract forbids two people may force. What stands before every send (the version gate, a hold, missing
// code, a grant, an approval) nobody may force.
import type { Book } from "../definitions.ts";
import type { Effect, EffectOf } from "../records/effect.ts";
import type { Review } from "../records/review.ts";
import { caseOf, planEffects, type Snapshot } from "../records/snapshot.ts";
import { isFailed, openDoubt, openMismatch, restsOn } from "./doubts.ts";
import { whyRetryNotCovered } from "./recover.ts";
import { landsUntilMs } from "./send-cover.ts";
import { sendScopeOf } from "./terms.ts";

export interface ChoiceFacts {
  book: Book;
  nowMs: number;
}

export interface Verdict {
  isPermitted: boolean;
  /** Why it is not permitted. */
  why?: string;
  /** When it will be permitted, if only time is missing. */
  fromMs?: number;
  /** Two people with the role may do it all the same. */
  mayBeForced: boolean;
}

export const permitted: Verdict = { isPermitted: true, mayBeForced: false };
const refused = (why: string): Verdict => ({ isPermitted: false, why, mayBeForced: false });
const refusedUnlessForced = (why: string): Verdict => ({
  isPermitted: false,
  why,
  mayBeForced: true,
});

export interface Reviewed<Reviewable extends Effect> {
  effect: Reviewable;
  review: Pick<Review, "id" | "kind">;
}

export function releaseVerdict(snapshot: Snapshot, reviewId: string): Verdict {
  const held = snapshot.case?.held;
  if (held?.reviewRef !== reviewId) return refused("the case is no longer held by this");
  switch (held.reason) {
    // A release does not replace missing code; the next look would hold the case again.
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

/** Before the horizon a call may still land, so even an honest look proves nothing (counterexample 11). */
export function denialVerdict(
  snapshot: Snapshot,
  { effect, review }: Reviewed<EffectOf<"unknown">>,
  { book, nowMs }: ChoiceFacts,
): Verdict {
  // What is denied is decided anew, so a person must first have seen what else was found.
  const mismatch = openMismatch(snapshot, effect);
  if (mismatch !== undefined && mismatch.id !== review.id)
    return refused("something else was found under this operation; resolve that review");
  const overMs = landsUntilMs(effect, book);
  if (nowMs > overMs) return permitted;
  const why = "a call that left may still be applied; look again after the provider's horizon";
  const fromMs = Number.isFinite(overMs) ? { fromMs: overMs + 1 } : {};
  return { ...refusedUnlessForced(why), ...fromMs };
}

export function retryVerdict(
  snapshot: Snapshot,
  { effect, review }: Reviewed<EffectOf<"unknown" | "prepared">>,
  { book, nowMs }: ChoiceFacts,
): Verdict {
  const provider = book.provider(effect.provider);
  if (provider === undefined) return refused("its provider is not defined in this code");
  const waits = whatItWaitsFor(effect, review) ?? whyNothingIsSent(snapshot, effect, review);
  if (waits !== undefined) return refused(waits);
  if (review.kind === "EvidenceMismatch") {
    return refusedUnlessForced("something else was found under this operation");
  }
  // Nothing of a prepared effect may have been applied, so a send repeats nothing.
  if (effect.status === "prepared") return permitted;
  const scope = sendScopeOf(effect, provider, nowMs);
  const why = whyRetryNotCovered({ ...scope, effect, current: true });
  return why === undefined ? permitted : refusedUnlessForced(why);
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

export function lookVerdict(
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
