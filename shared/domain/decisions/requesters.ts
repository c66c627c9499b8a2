// Who set a case going, in its whole life: each person whose event changed its facts or had it decided anew. Pure.
//
// None of them may approve what comes of it, nor force anything in it: whoever asks later does not free whoever asked first.
// A source is no person. Who found, when answering, that the facts of record had changed has asked for nothing.
import type { Snapshot } from "../records/snapshot.ts";
import { refreshSource } from "../event-type.ts";

/** Of the case with all its history: what a turn reads of it does not show what is folded. */
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
