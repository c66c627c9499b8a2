// An event becomes facts, once (design.md 5, rule 3). Pure.
//
//   for another workflow, or of an unknown type   recorded as refused; the case is held
//   a request to investigate                      version + 1 on the same facts, if something can be decided now
//   the facts cannot be brought forward           put off: it waits unfolded for code that can
//   a fold that throws                            the case is parked; the event stays unfolded for mended code
//   older than what its source already told       recorded; the workflow may fill in what is missing
//   facts that were broken before it              put off: it waits for code, or for an event that mends them
//   facts that it breaks                          recorded as refused; the case is held
//   the same facts                                recorded; no new version, so nothing is decided again
//   changed facts                                 version + 1; on a final status also a review, or the case is reopened
//
// The facts are first brought to this code's revision. They are written only together with what an event changed.
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
import { caseOf, withCase, withEvent, withLine, type Snapshot } from "../records/snapshot.ts";
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
  return foldInto(adoptCase(opened, workflow), event, workflow, nowMs);
}

function foldInto(snapshot: Snapshot, event: Event, workflow: Workflow, nowMs: number): Snapshot {
  const record = caseOf(snapshot);
  const misdirected = whyMisdirected(record, event) ?? whyTypeUnknown(event, workflow);
  if (misdirected !== undefined) return refuse(snapshot, event, misdirected, nowMs);
  if (event.source === investigateSource) return foldInvestigate(snapshot, event, workflow, nowMs);
  const older = isOlder(record, event);
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
  const ordered = older
    ? snapshot
    : withCase(snapshot, { orderKeys: { ...record.orderKeys, [event.source]: event.orderKey } });
  // Nothing new: the case keeps its facts as they stand, in their older shape, and its open questions.
  if (forwarded.kind === "fits" && factsDigest === forwarded.digest) {
    return markFolded(ordered, event, "same", nowMs);
  }
  const changed = { facts, factsDigest, before: forwarded.facts };
  return withChangedFacts(ordered, event, { workflow, changed, nowMs });
}

function whyMisdirected(record: Case, { eventId, workflow }: Event): string | undefined {
  const { type } = record.workflow;
  return workflow === type
    ? undefined
    : `event ${eventId} is for a case of ${workflow}, and its reference is one of ${type}`;
}

/** Whether this source has already told something newer. */
function isOlder({ orderKeys }: Case, { orderKey, source }: Event): boolean {
  const newest = Object.hasOwn(orderKeys, source) ? orderKeys[source] : undefined;
  return newest !== undefined && orderKey < newest;
}

function withChangedFacts(
  snapshot: Snapshot,
  event: Event,
  options: {
    workflow: Workflow;
    changed: { facts: Facts; factsDigest: string; before: Facts };
    nowMs: number;
  },
): Snapshot {
  const record = caseOf(snapshot);
  const { changed, nowMs, workflow } = options;
  const moved = withCase(snapshot, {
    facts: { ...changed.facts },
    factsDigest: changed.factsDigest,
    workflow: { type: record.workflow.type, revision: workflow.revision },
    requestedBy: requesterOf(record, event),
    version: record.version + 1,
    decisionsWithoutProgress: 0,
  });
  const merged = markFolded(moved, event, "merged", nowMs);
  if (workflow.statuses[record.status]?.final === true) {
    return changeAfterEnd(merged, { event, workflow, before: changed.before, nowMs });
  }
  return releaseHold(merged, "new facts arrived", nowMs);
}

/**
 * An approver whose answer brought in changed facts has requested nothing, and whoever requested the case before is still its
 * requester: that person may not approve.
 */
function requesterOf(record: Case, event: Event): string | undefined {
  if (event.source === refreshSource) return record.requestedBy;
  return event.requestedBy ?? `source:${event.source}`;
}

/** A new decision on the same facts, if the status is open and no plan is under way. */
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

/** What the workflow makes of the event. Facts that the app read again from their record replace the old ones as they are. */
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
    // A fold is pure, so it would throw the same again and kill every worker that reads this case.
    const what = `fold of ${event.eventType} (${event.eventId}) ${whyThrown(error)}`;
    return { kind: "threw", why: `${what}; deploy a workflow that folds it, then release` };
  }
}

/** The fields named in `gone` are removed: the record has them no more, and each answer would find the facts changed again. */
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
  const line = `event ${event.source}/${event.eventId} folded: ${how}`;
  const told = withCase(withEvent(snapshot, folded), { eventReceivedAtMs: event.receivedAtMs });
  return withLine(told, line);
}
