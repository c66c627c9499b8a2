// Everybody who set a case going: each person whose event changed its facts or had it decided anew. Pure.
//
// None of them may approve what comes of it, nor force anything in it; a later request does not free an earlier requester.
// An approver whose answer brought in changed facts of record (`refreshSource`) has requested nothing. The record's own
// `requestedBy` may also name a source.
import type { Snapshot } from "../records/snapshot.ts";
import { refreshSource } from "../event-type.ts";

/** Needs the case with its whole history: the snapshot of a turn does not show folded events. */
export function requestersOf({ case: record, events }: Snapshot): ReadonlySet<string> {
  const asked = events.filter(
    ({ folded, source }) =>
      source !== refreshSource && (folded === undefined || folded.how === "merged"),
  );
  return new Set(
    [record?.requestedBy, ...asked.map(({ requestedBy }) => requestedBy)].filter(
      (who) => who !== undefined,
    ),
  );
}
