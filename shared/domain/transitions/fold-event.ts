// An event becomes facts, once (design.md 5, rule 3). Pure.
//
//   older than what this source already told   recorded; the workflow may fill in what is missing
//   same facts                                 recorded; no new version, so nothing is decided again
//   changed facts                              version + 1; on a final status also a review, or the case is reopened
//   facts that break the workflow's schema     recorded as refused; the case is held, nothing is lost
//   facts that were broken before it           put off: it waits unfolded for code, or for an event that mends them
//   a fold that throws                         the case is parked, the event stays unfolded: mended code folds it on release
//
// The facts get the shape of this code's revision first. They are written only with what an event changed, as one version.
import { digestOf, whyNotJson } from "../canonical-json.ts";
import {
  factFieldsOf,
  forwardFacts,
  hasFacts,
  whyThrown,
  whyTooLarge,
} from "../decisions/forward-facts.ts";
import type { Book, Facts, Workflow } from "../definitions.ts";
import type { Case } from "../records/case.ts";
import type { Event } from "../records/inbox.ts";
import { caseOf, withCase, withLine, type Snapshot } from "../records/snapshot.ts";
import { awaitCode } from "./await-code.ts";
import { changeAfterEnd } from "./change-after-end.ts";
import { investigateSource, refreshSource, whyTypeUnknown } from "../event-type.ts";
import { adoptCase, openCase } from "./open-case.ts";
import { holdCase, releaseHold } from "./reviews.ts";

export function foldEvent(
  snapshot: Snapshot,
  eventId: string,
  options: { book: Book; nowMs: number },
): Snapshot {
  const event = snapshot.events.find((candidate) => candidate.id === eventId);
  if (event === undefined) throw new Error(`no event ${eventId} in the snapshot`);
  const { book, nowMs } = options;
  const workflow = book.workflow(snapshot.case?.workflow.type ?? event.workflow);
  if (workflow === undefined) throw new Error(`no workflow for ${eventId}: it is left or put off`);
  const opened =
    snapshot.case === undefined ? openCase(snapshot, event, workflow, nowMs) : snapshot;
  return foldWith(adoptCase(opened, workflow), event, workflow, nowMs);
}

function foldWith(snapshot: Snapshot, event: Event, workflow: Workflow, nowMs: number): Snapshot {
  const record = caseOf(snapshot);
  if (event.workflow !== record.workflow.type) {
    const why = `event ${event.eventId} is for a case of ${event.workflow}, and its reference is one of ${record.workflow.type}`;
    return refuse(snapshot, event, why, nowMs);
  }
  const unknown = whyTypeUnknown(event, workflow);
  if (unknown !== undefined) return refuse(snapshot, event, unknown, nowMs);
  const { orderKeys: newestOf } = record;
  const newest = Object.hasOwn(newestOf, event.source) ? newestOf[event.source] : undefined;
  const older = newest !== undefined && event.orderKey < newest;
  if (event.source === investigateSource) return foldInvestigate(snapshot, event, workflow, nowMs);
  const forwarded = forwardFacts(record, workflow);
  if (forwarded.kind === "refused") return putOff(snapshot, event, forwarded.why, nowMs);
  const after = factsAfter(forwarded.facts, event, { workflow, older });
  if (after.kind === "threw") {
    return holdCase(snapshot, { reason: "Poison", why: after.why, nowMs });
  }
  const { folded } = after;
  if (folded === "ignored") return markFolded(snapshot, event, older ? "older" : "same", nowMs);
  const parsed = workflow.facts.safeParse(folded);
  if (!parsed.success) {
    if (forwarded.kind === "broken" && hasFacts(record)) {
      return putOff(snapshot, event, forwarded.why, nowMs);
    }
    return refuseFacts(snapshot, event, factFieldsOf(parsed.error), nowMs);
  }
  const facts: Facts = parsed.data;
  const unfit = whyNotJson(facts, "facts") ?? whyTooLarge(facts);
  if (unfit !== undefined) return refuseFacts(snapshot, event, unfit, nowMs);
  const factsDigest = digestOf(facts, "facts");
  const orderKeys = older
    ? record.orderKeys
    : { ...record.orderKeys, [event.source]: event.orderKey };
  // Told nothing new, the case keeps its facts as they stand, older shape and open questions included.
  if (forwarded.kind === "fits" && factsDigest === forwarded.digest) {
    return markFolded(withCase(snapshot, { orderKeys }), event, "same", nowMs);
  }
  const moved = withCase(snapshot, {
    facts: { ...facts },
    factsDigest,
    orderKeys,
    workflow: { type: record.workflow.type, revision: workflow.revision },
    requestedBy: requesterOf(record, event),
    version: record.version + 1,
    decisionsWithoutProgress: 0,
  });
  const merged = markFolded(moved, event, "merged", nowMs);
  if (workflow.statuses[record.status]?.final === true) {
    return changeAfterEnd(merged, { event, workflow, before: forwarded.facts, nowMs });
  }
  return releaseHold(merged, "new facts arrived", nowMs);
}

/** Who finds that facts are stale requests nothing, and takes no request from whoever made it: that person may not approve. */
function requesterOf(record: Case, event: Event): string | undefined {
  if (event.source === refreshSource) return record.requestedBy;
  return event.requestedBy ?? `source:${event.source}`;
}

/** A new decision on the same facts: where one can be made, and nothing is under way. */
function foldInvestigate(
  snapshot: Snapshot,
  event: Event,
  workflow: Workflow,
  nowMs: number,
): Snapshot {
  const record = caseOf(snapshot);
  const canDecide = record.plan === undefined && workflow.statuses[record.status]?.final === false;
  if (!canDecide) return markFolded(snapshot, event, "same", nowMs);
  const asked = withCase(snapshot, {
    requestedBy: event.requestedBy,
    version: record.version + 1,
    decisionsWithoutProgress: 0,
  });
  return releaseHold(markFolded(asked, event, "merged", nowMs), "asked to look again", nowMs);
}

/** What was read again from the record itself is told by the app, not by a source: the workflow has no say. */
function factsAfter(
  facts: Facts,
  event: Event,
  { workflow, older }: { workflow: Workflow; older: boolean },
): { kind: "gave"; folded: Facts | "ignored" } | { kind: "threw"; why: string } {
  if (event.source === refreshSource) {
    return { kind: "gave", folded: older ? "ignored" : refreshed(facts, event.body) };
  }
  try {
    return { kind: "gave", folded: workflow.fold(structuredClone(facts), event, { older }) };
  } catch (error) {
    // Pure code throws the same each time: it would kill every worker that reads this case.
    const what = `fold of ${event.eventType} (${event.eventId}) ${whyThrown(error)}`;
    return { kind: "threw", why: `${what}; deploy a workflow that folds it, then release` };
  }
}

/** What the record does not have any more would make every answer's facts differ from the case's, for ever. */
function refreshed(facts: Facts, body: Event["body"]): Facts {
  const gone = new Set((body["gone"] ?? []) as string[]);
  const kept = Object.entries(facts).filter(([field]) => !gone.has(field));
  return { ...Object.fromEntries(kept), ...(body["data"] as Facts) };
}

function refuseFacts(snapshot: Snapshot, event: Event, fields: string, nowMs: number): Snapshot {
  const why = `event ${event.eventId} would break the facts in: ${fields}`;
  return refuse(snapshot, event, why, nowMs);
}

function refuse(snapshot: Snapshot, event: Event, why: string, nowMs: number): Snapshot {
  const folded = markFolded(snapshot, event, "refused", nowMs);
  // One review, however many come.
  if (caseOf(folded).held?.reason === "EventRefused") return folded;
  return holdCase(folded, { reason: "EventRefused", why, nowMs });
}

/** The facts were broken before this event, which is not to blame and does not mend them. */
function putOff(snapshot: Snapshot, event: Event, why: string, nowMs: number): Snapshot {
  return awaitCode(snapshot, event, { reason: "FactsInvalid", why, nowMs });
}

function markFolded(
  snapshot: Snapshot,
  event: Event,
  how: NonNullable<Event["folded"]>["how"],
  nowMs: number,
): Snapshot {
  const { version } = caseOf(snapshot);
  const folded: Event = { ...event, folded: { atMs: nowMs, how, version } };
  delete folded.dueAtMs;
  delete folded.putOff;
  const events = snapshot.events.map((other) => (other.id === event.id ? folded : other));
  const line = `event ${event.source}/${event.eventId} folded: ${how}`;
  return withLine(
    withCase({ ...snapshot, events }, { eventReceivedAtMs: event.receivedAtMs }),
    line,
  );
}
