// Rule 0: what newer code wrote is left alone (design.md 5, 9). Pure.
//
//   a document with a newer schema    its fields may mean something else here
//   a case of a newer revision        its facts have a shape that this code does not know
//   a call under a newer contract     what became of it only that contract can settle, while a deploy rolls
//   a workflow type unknown here      newer, while a deploy rolls; removed, if it stays so
//   an event type unknown here        the same; its fold would not know it, and let it vanish
//
// Left alone is: no write, not even the count of a crash; asked again later, and reported. Nothing waits for it, because
// the code that wrote it is running, or is about to run again.
import type { Book, Workflow } from "../definitions.ts";
import { isFinal, lastAttempt } from "../records/effect.ts";
import { unfoldedEvents, type Snapshot } from "../records/snapshot.ts";
import { whyTypeUnknown } from "../event-type.ts";

/**
 * A rolling deploy is over by then; what is still unknown is shown to a person. Too short costs a review that the next look
 * of newer code closes, too long only the time until somebody sees it: either way the event stays unfolded and is not lost.
 */
export const newerGraceMs = 3_600_000;

/** Undefined: this code may act. */
export function whyLeft(
  snapshot: Snapshot,
  book: Book,
  nowMs: number | undefined,
): string | undefined {
  if (snapshot.newerSchema) return "a document has a newer schema";
  const { case: record } = snapshot;
  const events = unfoldedEvents(snapshot);
  const type = record?.workflow.type ?? events[0]?.workflow;
  if (type === undefined) return undefined;
  const workflow = book.workflow(type);
  if (workflow !== undefined) {
    const isNewer = record !== undefined && record.workflow.revision > workflow.revision;
    return isNewer
      ? "the case has the facts of a newer revision"
      : (whyCallIsNewer(snapshot, book, nowMs) ?? whyEventIsNewer(snapshot, workflow, nowMs));
  }
  if (record?.erased !== undefined) return undefined;
  // A case that such code had to open is as old as the event that it was opened for.
  const sinceMs = Math.min(
    record?.openedAtMs ?? Infinity,
    ...events.map(({ receivedAtMs }) => receivedAtMs),
  );
  const isYoung = nowMs === undefined || nowMs < sinceMs + newerGraceMs;
  return isYoung ? `this code has no workflow ${type} yet` : undefined;
}

/** Intake took it, so some code knows its type. Afterwards it is refused in sight (fold-event.ts). */
function whyEventIsNewer(
  snapshot: Snapshot,
  workflow: Workflow,
  nowMs: number | undefined,
): string | undefined {
  if (snapshot.case?.erased !== undefined) return undefined;
  const newer = unfoldedEvents(snapshot).find(
    (event) =>
      whyTypeUnknown(event, workflow) !== undefined &&
      (nowMs === undefined || nowMs < event.receivedAtMs + newerGraceMs),
  );
  return newer && whyTypeUnknown(newer, workflow);
}

/** Afterwards it is a roll-back, and a person is shown what nobody settles. */
function whyCallIsNewer(
  { effects }: Snapshot,
  book: Book,
  nowMs: number | undefined,
): string | undefined {
  const called = effects.find((effect) => {
    const known = book.provider(effect.provider)?.contract.revision ?? Infinity;
    const isOpen = effect.status === "started" || effect.status === "unknown";
    if (!isOpen || isFinal(effect) || effect.reviewRef !== undefined) return false;
    const sinceMs = lastAttempt(effect)?.claimedAtMs ?? 0;
    const isYoung = nowMs === undefined || nowMs < sinceMs + newerGraceMs;
    return effect.contractRevision > known && isYoung;
  });
  return called && `${called.action} was called under a newer contract of ${called.provider}`;
}
