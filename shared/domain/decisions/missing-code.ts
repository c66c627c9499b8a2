// Code that a case needs and that this deployment does not have: a workflow, an action, a provider, facts that fit. Pure.
//
//   the workflow    the case is held and its events wait unfolded; effects are still settled, looked up and told
//   facts that fit  the case is held, and the review names the fields; an event that mends them lifts the hold. So for a status
//   an action       nothing of it is sent: the effect is held, or the case if a notification needs it
//   a provider      or the tenant's account there: the effect is held; a call in flight ends as unknown first
//
// A review shows each of them to a person. Once the code is deployed again, the next look lifts the hold and the case goes on.
import type { Book, Workflow } from "../definitions.ts";
import type { Case } from "../records/case.ts";
import type { Effect } from "../records/effect.ts";
import type { Event } from "../records/inbox.ts";
import type { ReviewKind } from "../records/review.ts";
import { unfoldedEvents, type Snapshot } from "../records/snapshot.ts";
import { accountAt } from "./terms.ts";
import { forwardFacts, hasFacts } from "./forward-facts.ts";
import type { Step } from "./step.ts";

/** Whether only other code can move the case on. No deploy wakes it, so it is looked at now and then. */
export function waitsForCode({ case: record, events, reviews }: Snapshot): boolean {
  const reason = record?.held?.reason;
  return (
    reason === "UnknownWorkflow" ||
    reason === "FactsInvalid" ||
    reason === "ActionRemoved" ||
    events.some(({ folded, putOff }) => folded === undefined && putOff !== undefined) ||
    reviews.some(({ kind, resolution }) => resolution === undefined && isCodeReview(kind))
  );
}

function isCodeReview(kind: ReviewKind | undefined): boolean {
  return kind === "ActionRemoved" || kind === "ProviderRemoved";
}

/** The next event to fold. What was put off waits until the facts fit; a new event is tried, because it may mend them. */
export function eventToFold(snapshot: Snapshot, workflow: Workflow): Event | undefined {
  const { case: record } = snapshot;
  const unfolded = unfoldedEvents(snapshot);
  const fresh = unfolded.filter(({ putOff }) => putOff === undefined);
  if (record === undefined || fresh.length === unfolded.length) return fresh[0];
  const mayFold = !hasFacts(record) || forwardFacts(record, workflow).kind === "fits";
  return mayFold ? unfolded[0] : fresh[0];
}

/** For the case as a whole; undefined when it has what it needs, or when a review already shows what is missing. */
export function caseCodeStep(
  snapshot: Snapshot,
  type: string,
  { book, workflow }: { book: Book; workflow: Workflow | undefined },
): Step | undefined {
  const { case: record } = snapshot;
  if (workflow === undefined) {
    const isShown = unfoldedEvents(snapshot).every(({ putOff }) => putOff !== undefined);
    if (record?.held !== undefined && isShown) return undefined;
    const why = `no workflow ${type} is registered in this code`;
    return { kind: "awaitCode", reason: "UnknownWorkflow", why };
  }
  if (record === undefined) return undefined;
  return liftStep(record, book, workflow) ?? putOffStep(snapshot, workflow);
}

/** Events that wait for code must be seen to wait: the hold that stood when they were put off has been lifted since. */
function putOffStep(snapshot: Snapshot, workflow: Workflow): Step | undefined {
  const { case: record } = snapshot;
  if (record === undefined || record.held !== undefined) return undefined;
  if (unfoldedEvents(snapshot).length === 0) return undefined;
  if (eventToFold(snapshot, workflow) !== undefined) return undefined;
  const forwarded = forwardFacts(record, workflow);
  const why = forwarded.kind === "fits" ? "its events wait for code" : forwarded.why;
  return { kind: "awaitCode", reason: "FactsInvalid", why };
}

function liftStep(record: Case, book: Book, workflow: Workflow): Step | undefined {
  switch (record.held?.reason) {
    case "UnknownWorkflow":
      return { kind: "liftHold", why: `workflow ${workflow.type} is registered again` };
    case "FactsInvalid":
      return forwardFacts(record, workflow).kind === "fits" &&
        whyStatusLost(record, workflow) === undefined
        ? { kind: "liftHold", why: "the facts fit this code" }
        : undefined;
    case "ActionRemoved":
      return notificationStep(record, book) === undefined
        ? { kind: "liftHold", why: "every action that it needs is registered again" }
        : undefined;
    default:
      return undefined;
  }
}

/** Why the status is no status any more. It would be neither open nor final: nothing would be decided, and nobody told. */
export function whyStatusLost({ status }: Case, workflow: Workflow): string | undefined {
  if (Object.hasOwn(workflow.statuses, status)) return undefined;
  return `${status} is no status of revision ${workflow.revision} of ${workflow.type}`;
}

/** A commit prepares its notifications, so it needs their code. */
export function notificationStep({ plan }: Case, book: Book): Step | undefined {
  const missing = plan?.notifications.find(({ action }) => book.action(action) === undefined);
  if (missing === undefined) return undefined;
  const why = `action ${missing.action}, which must tell of this plan, is not registered in this code`;
  return { kind: "awaitCode", reason: "ActionRemoved", why };
}

/** For one open effect; undefined when what its next step needs is there. */
export function effectCodeStep(snapshot: Snapshot, effect: Effect, book: Book): Step | undefined {
  const { operationId } = effect;
  const review = snapshot.reviews.find(({ id }) => id === effect.reviewRef);
  const sends = effect.status === "prepared" || review?.kind === "ActionRemoved";
  const missing = missingStep(effect, book, sends ? "send" : "lookUp");
  if (isCodeReview(review?.kind)) {
    const why = `${effect.action} and its provider are registered again`;
    return missing === undefined ? { kind: "liftReview", operationId, why } : { kind: "idle" };
  }
  return missing !== undefined && effect.reviewRef !== undefined ? { kind: "idle" } : missing;
}

/** What is missing for this effect. A send needs its action, too; a look-up does not. */
export function missingStep(effect: Effect, book: Book, need: "send" | "lookUp"): Step | undefined {
  const { action, operationId, provider } = effect;
  const open = (review: "ActionRemoved" | "ProviderRemoved", what: string): Step => {
    const why = `${what} is not registered in this code`;
    return { kind: "openReview", operationId, review, why };
  };
  const known = book.provider(provider);
  if (known === undefined) return open("ProviderRemoved", `provider ${provider}`);
  if (accountAt(known, effect.tenantId) === "") {
    return open("ProviderRemoved", `an account of ${effect.tenantId} at ${provider}`);
  }
  if (need === "send" && book.action(action) === undefined) {
    return open("ActionRemoved", `action ${action}`);
  }
  return undefined;
}
