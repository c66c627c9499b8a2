// An event becomes facts, once (design.md 5, rule 3). Pure.
//
//   older than what this source already told   recorded; the workflow may fill in what is missing
//   same facts                                 recorded; no new version, so nothing is decided again
//   changed facts                              version + 1; on a final status also a review
//   facts that break the workflow's schema     recorded as refused; the case is held, nothing is lost
import { digestOf } from "../canonical-json.ts";
import type { Book, Facts, Workflow } from "../definitions.ts";
import type { Case } from "../records/case.ts";
import { schemaVersion } from "../records/evidence.ts";
import type { Event } from "../records/inbox.ts";
import { caseOf, withCase, withLine, type Snapshot } from "../records/snapshot.ts";
import { holdCase, openReview, releaseHold } from "./reviews.ts";

/** The case document must always have room for what else it records, outcomes first of all (cases.md 40). */
export const factsBytesMax = 512 * 1024;

export const refreshSource = "refresh";
export const investigateSource = "investigate";

export function foldEvent(
  snapshot: Snapshot,
  eventId: string,
  options: { book: Book; nowMs: number },
): Snapshot {
  const event = snapshot.events.find((candidate) => candidate.id === eventId);
  if (event === undefined) throw new Error(`no event ${eventId} in the snapshot`);
  const { book, nowMs } = options;
  const workflow = book.workflow(snapshot.case?.workflow.type ?? event.workflow);
  const opened =
    snapshot.case === undefined ? openCase(snapshot, event, workflow, nowMs) : snapshot;
  if (workflow === undefined) return foldUnknownWorkflow(opened, event, nowMs);
  return foldWith(opened, event, workflow, nowMs);
}

/** The record of a case that an event names, with nothing of it folded yet. */
export function openCase(
  snapshot: Snapshot,
  event: Event,
  workflow: Workflow | undefined,
  nowMs: number,
): Snapshot {
  const record: Case = {
    id: "case",
    type: "case",
    schemaVersion,
    tenantId: snapshot.tenantId,
    caseId: snapshot.caseId,
    externalRef: event.externalRef,
    workflow: { type: event.workflow, revision: workflow?.revision ?? 0 },
    facts: {},
    factsDigest: digestOf({}),
    status: workflow?.initialStatus ?? "open",
    version: 0,
    fence: 0,
    decisionsWithoutProgress: 0,
    contradictionsOpen: 0,
    reviewCount: 0,
    orderKeys: {},
    openedAtMs: nowMs,
    lastWriteId: "",
  };
  return withLine({ ...snapshot, case: record }, "case opened");
}

function foldUnknownWorkflow(snapshot: Snapshot, event: Event, nowMs: number): Snapshot {
  const folded = markFolded(snapshot, event, "refused", nowMs);
  if (caseOf(folded).held !== undefined) return folded;
  const why = `no workflow ${event.workflow} is registered in this code`;
  return holdCase(folded, { reason: "UnknownWorkflow", why, nowMs });
}

function foldWith(snapshot: Snapshot, event: Event, workflow: Workflow, nowMs: number): Snapshot {
  const record = caseOf(snapshot);
  const newest = record.orderKeys[event.source];
  const older = newest !== undefined && event.orderKey < newest;
  if (event.source === investigateSource) return foldInvestigate(snapshot, event, workflow, nowMs);
  const folded = factsAfter(record.facts, event, { workflow, older });
  if (folded === "ignored") return markFolded(snapshot, event, older ? "older" : "same", nowMs);
  const parsed = workflow.facts.safeParse(folded);
  if (!parsed.success) return refuseFacts(snapshot, event, parsed.error.issues, nowMs);
  const facts: Facts = parsed.data;
  if (Buffer.byteLength(JSON.stringify(facts)) > factsBytesMax) {
    const message = `would grow beyond ${factsBytesMax} bytes`;
    return refuseFacts(snapshot, event, [{ path: ["facts"], message }], nowMs);
  }
  const factsDigest = digestOf(facts, "facts");
  const orderKeys = older
    ? record.orderKeys
    : { ...record.orderKeys, [event.source]: event.orderKey };
  if (factsDigest === record.factsDigest) {
    return markFolded(withCase(snapshot, { orderKeys }), event, "same", nowMs);
  }
  const moved = withCase(snapshot, {
    facts: { ...facts },
    factsDigest,
    orderKeys,
    requestedBy: event.requestedBy ?? `source:${event.source}`,
    version: record.version + 1,
    decisionsWithoutProgress: 0,
  });
  const merged = markFolded(moved, event, "merged", nowMs);
  if (workflow.statuses[record.status]?.final === true)
    return reviewLateFacts(merged, event, nowMs);
  return releaseHold(merged, "new facts arrived", nowMs);
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
): Facts | "ignored" {
  if (event.source !== refreshSource) return workflow.fold(facts, event, { older });
  return older ? "ignored" : { ...facts, ...(event.body["data"] as Facts) };
}

function refuseFacts(
  snapshot: Snapshot,
  event: Event,
  issues: readonly { path: PropertyKey[]; message: string }[],
  nowMs: number,
): Snapshot {
  const folded = markFolded(snapshot, event, "refused", nowMs);
  if (caseOf(folded).held !== undefined) return folded;
  const fields = issues.map((issue) => issue.path.join(".")).join(", ");
  const why = `event ${event.eventId} would break the facts in: ${fields}`;
  return holdCase(folded, { reason: "FactsInvalid", why, nowMs });
}

function reviewLateFacts(snapshot: Snapshot, event: Event, nowMs: number): Snapshot {
  const [reviewed] = openReview(snapshot, {
    subject: "case",
    kind: "FactsChangedAfterEnd",
    why: `${event.eventType} (${event.eventId}) changed the facts after the case had ended`,
    consequence: "What was done and told before rests on the earlier facts.",
    nowMs,
  });
  return reviewed;
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
  const events = snapshot.events.map((other) => (other.id === event.id ? folded : other));
  return withLine({ ...snapshot, events }, `event ${event.source}/${event.eventId} folded: ${how}`);
}
