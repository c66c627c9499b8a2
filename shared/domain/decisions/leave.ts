// Rule 0: what newer code wrote is left alone (design.md 5, 9). Pure.
//
//   a document of a newer schema     its fields may mean something else here
//   a case of a newer revision       its facts have a shape that this code does not know
//   a call under a newer contract    for an hour: only that contract says what became of the call
//   an unknown workflow type         for an hour: the code that knows it is being deployed
//   an unknown event type            the same; to fold it here would lose it
//
// After that hour the code is not on its way but gone, and a person is shown what waits (missing-code.ts, fold-event.ts).
// To leave alone means: write nothing, not even the count of a crash; report it; look again later. Nothing is lost by that,
// because the code that wrote it is running, or is about to run again.
import type { Book, Workflow } from "../definitions.ts";
import { isFinal, lastAttempt } from "../records/effect.ts";
import { unfoldedEvents, workflowTypeOf, type Snapshot } from "../records/snapshot.ts";
import { whyTypeUnknown } from "../event-type.ts";

/**
 * A rolling deploy is over within this time. If it is too short, a person sees a review that the newer code then closes; if it
 * is too long, a person sees it later. Either way the event stays unfolded and nothing is lost.
 */
export const newerGraceMs = 3_600_000;

/** Why this code must leave the case alone; undefined when it may act. */
export function whyLeft(
  snapshot: Snapshot,
  book: Book,
  nowMs: number | undefined,
): string | undefined {
  if (snapshot.newerSchema) return "a document has a newer schema";
  const { case: record } = snapshot;
  const type = workflowTypeOf(snapshot);
  if (type === undefined) return undefined;
  const workflow = book.workflow(type);
  if (workflow === undefined) return whyTypeIsNewer(snapshot, type, nowMs);
  const isNewer = record !== undefined && record.workflow.revision > workflow.revision;
  if (isNewer) return "the case has the facts of a newer revision";
  return whyCallIsNewer(snapshot, book, nowMs) ?? whyEventIsNewer(snapshot, workflow, nowMs);
}

function isYoung(sinceMs: number, nowMs: number | undefined): boolean {
  return nowMs === undefined || nowMs < sinceMs + newerGraceMs;
}

function whyTypeIsNewer(
  snapshot: Snapshot,
  type: string,
  nowMs: number | undefined,
): string | undefined {
  const { case: record } = snapshot;
  if (record?.erased !== undefined) return undefined;
  // Code that does not know the type may have opened the case long after its event came.
  const sinceMs = Math.min(
    record?.openedAtMs ?? Infinity,
    ...unfoldedEvents(snapshot).map(({ receivedAtMs }) => receivedAtMs),
  );
  return isYoung(sinceMs, nowMs) ? `this code has no workflow ${type} yet` : undefined;
}

/** Intake took the event, so some code knows its type. */
function whyEventIsNewer(
  snapshot: Snapshot,
  workflow: Workflow,
  nowMs: number | undefined,
): string | undefined {
  if (snapshot.case?.erased !== undefined) return undefined;
  const newer = unfoldedEvents(snapshot).find(
    (event) => whyTypeUnknown(event, workflow) !== undefined && isYoung(event.receivedAtMs, nowMs),
  );
  return newer && whyTypeUnknown(newer, workflow);
}

/** After the hour it was a roll-back: this code then shows the call to a person. */
function whyCallIsNewer(
  { effects }: Snapshot,
  book: Book,
  nowMs: number | undefined,
): string | undefined {
  const called = effects.find((effect) => {
    const known = book.provider(effect.provider)?.contract.revision ?? Infinity;
    const isOpen = effect.status === "started" || effect.status === "unknown";
    if (!isOpen || isFinal(effect) || effect.reviewRef !== undefined) return false;
    const claimedAtMs = lastAttempt(effect)?.claimedAtMs ?? 0;
    return effect.contractRevision > known && isYoung(claimedAtMs, nowMs);
  });
  return called && `${called.action} was called under a newer contract of ${called.provider}`;
}
