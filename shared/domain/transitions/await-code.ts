// A case that needs code which is not deployed here is held, and its events are put off; once the code is there it goes on
// (design.md 9). Pure.
//
// An event that is put off stays unfolded and loses its own due time: the case's due time makes somebody look. The first code
// that can fold such events folds them, in order.
import type { CodeHold } from "../decisions/step.ts";
import { forwardFacts } from "../decisions/forward-facts.ts";
import type { Book } from "../definitions.ts";
import type { Event } from "../records/inbox.ts";
import {
  caseOf,
  effectOf,
  unfoldedEvents,
  withCase,
  withEffect,
  withEvent,
  withLine,
  type Snapshot,
} from "../records/snapshot.ts";
import { openCase } from "./open-case.ts";
import { holdCase, resolveReview } from "./reviews.ts";

const consequence =
  "Nothing is decided or sent for this case until code that fits is deployed; then it goes on by itself.";

/** Holds the case and puts off this event. One event at a time, so that no batch grows with what has arrived. */
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
  const line = `event ${event.source}/${event.eventId} put off: ${how.why}`;
  return withLine(withEvent(snapshot, waiting), line);
}

/** The first unfolded event that was not put off. */
export function freshEvent(snapshot: Snapshot): Event | undefined {
  return unfoldedEvents(snapshot).find((event) => event.putOff === undefined);
}

/** Upcasts the facts to this code's revision, as a new version: open questions about the old one count no more. */
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

/** Resolves the review that held one effect because its code was missing. */
export function liftReview(
  snapshot: Snapshot,
  operationId: string,
  { how, nowMs }: { how: string; nowMs: number },
): Snapshot {
  const { reviewRef, ...effect } = effectOf(snapshot, operationId);
  const resolved = resolveReview(snapshot, reviewRef, { how, by: "machine", atMs: nowMs });
  return withEffect(resolved, effect);
}
