// What still arrives for an erased case: that it arrived is kept, what it says is not. Pure.
//
//   an event     is emptied and changes nothing, because the facts that it would add to are gone; a review says that it came
//   a finding    is folded without its text: an outcome is no content, and evidence against one must still be seen
import type { Event } from "../records/inbox.ts";
import { caseOf, withEvent, withLine, type Snapshot } from "../records/snapshot.ts";
import { emptyEvent, emptyReceipt } from "./erase.ts";
import { openReview } from "./reviews.ts";
import { foldFindings } from "./fold-findings.ts";
import type { FoldOptions } from "./fold-statement.ts";
import type { Answer, Finding } from "../records/evidence.ts";

/** The findings of one effect, or else one event, so that a draft grows by little at a time. */
export function foldErased(snapshot: Snapshot, options: FoldOptions): Snapshot {
  const finding = snapshot.findings.find(({ folded }) => folded === undefined);
  if (finding !== undefined) {
    return foldFindings(snapshot, finding.operationId, options, withoutText);
  }
  const event = snapshot.events.find(({ folded }) => folded === undefined);
  return event === undefined ? snapshot : refuse(snapshot, event, options.nowMs);
}

function refuse(snapshot: Snapshot, event: Event, nowMs: number): Snapshot {
  const { version } = caseOf(snapshot);
  const folded: Event = { ...emptyEvent(event), folded: { atMs: nowMs, how: "refused", version } };
  delete folded.dueAtMs;
  delete folded.putOff;
  const line = `event ${event.source}/${event.eventId} came after the erasing and is not kept`;
  const refused = withLine(withEvent(snapshot, folded), line);
  // One review, however many come.
  if (refused.reviews.some(({ kind }) => kind === "FactsChangedAfterEnd")) return refused;
  return openReview(refused, {
    subject: "case",
    kind: "FactsChangedAfterEnd",
    why: "something was told of this case after its content had been erased; what it said is not kept",
    consequence: "Ask its source, if it matters: nothing of it was done, and nothing will be.",
    nowMs,
  })[0];
}

function withoutText(finding: Finding): Finding {
  const { content } = finding;
  switch (content.kind) {
    case "providerReport":
      return { ...finding, content: { ...content, receipt: emptyReceipt(content.receipt) } };
    case "attemptEnd":
      return { ...finding, content: { ...content, answer: emptyAnswer(content.answer) } };
    case "statement":
      return { ...finding, content: { ...content, reason: "" } };
    // A look-up is folded when it is made, so none arrives here.
    case "lookup":
    case "erased":
      return { ...finding, content: { kind: "erased" } };
  }
}

function emptyAnswer(answer: Answer): Answer {
  return answer.kind === "receipt"
    ? { ...answer, receipt: emptyReceipt(answer.receipt) }
    : { ...answer, reason: "" };
}
