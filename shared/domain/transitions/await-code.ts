// A case that needs code which is not deployed here: held, and its events put off; or going on, now that it is (design.md 9).
// Pure.
//
// What is put off stays unfolded and loses its own due time, so that no sweep comes for it: the case's due time looks
// after it. It is folded, in order, by the first code that can.
import type { CodeHold } from "../decisions/step.ts";
import { forwardFacts } from "../decisions/forward-facts.ts";
import type { Book } from "../definitions.ts";
import type { Event } from "../records/inbox.ts";
import { caseOf, effectOf, withCase, withEffect, withLine } from "../records/snapshot.ts";
import { unfoldedEvents, type Snapshot } from "../records/snapshot.ts";
import { openCase } from "./open-case.ts";
import { holdCase, resolveReview } from "./reviews.ts";

const consequence =
  "Nothing is decided or sent for this case until code that fits is deployed; then it goes on by itself.";

/** `event`: one at a time, so that no batch grows with what has arrived. */
export function awaitCode(
  snapshot: Snapshot,
  event: Event | undefined,
  need: { reason: CodeHold; why: string; nowMs: number },
): Snapshot {
  const { nowMs, why } = need;
  const opened =
    snapshot.case === undefined && event !== undefined
      ? openCase(snapshot, event, undefined, nowMs)
      : snapshot;
  const told = event === undefined ? opened : putOff(opened, event, { atMs: nowMs, why });
  return caseOf(told).held === undefined ? holdCase(told, { ...need, consequence }) : told;
}

function putOff(snapshot: Snapshot, event: Event, how: { atMs: number; why: string }): Snapshot {
  const { dueAtMs: _itsCase, ...rest } = event;
  const waiting: Event = { ...rest, putOff: how };
  const events = snapshot.events.map((other) => (other.id === event.id ? waiting : other));
  return withLine(
    { ...snapshot, events },
    `event ${event.source}/${event.eventId} put off: ${how.why}`,
  );
}

/** The first of what arrived that nobody has tried yet. */
export function freshEvent(snapshot: Snapshot): Event | undefined {
  return unfoldedEvents(snapshot).find((event) => event.putOff === undefined);
}

/** The facts in the shape of this code's revision: changed facts are a new version, on which nothing is decided or asked yet. */
export function bringForward(snapshot: Snapshot, { book }: { book: Book }): Snapshot {
  const record = caseOf(snapshot);
  const { revision, type } = record.workflow;
  const workflow = book.workflow(type);
  const forwarded = workflow && forwardFacts(record, workflow);
  if (workflow === undefined || forwarded?.kind !== "fits") throw new Error("no facts that fit");
  const brought = withCase(snapshot, {
    facts: { ...forwarded.facts },
    factsDigest: forwarded.digest,
    workflow: { type, revision: workflow.revision },
    version: record.version + 1,
  });
  const line = `facts brought from revision ${revision} to ${workflow.revision}; v${record.version + 1}`;
  return withLine(brought, line);
}

/** Ends the review that held one effect for want of code. */
export function liftReview(
  snapshot: Snapshot,
  operationId: string,
  { how, nowMs }: { how: string; nowMs: number },
): Snapshot {
  const { reviewRef, ...effect } = effectOf(snapshot, operationId);
  const resolved = resolveReview(snapshot, reviewRef, { how, by: "machine", atMs: nowMs });
  return withEffect(resolved, effect);
}
