// Counts a delivery that came again because its worker died or threw, before any work is done on it (cases.md 19). Pure.
//
// A message that kills its worker must not kill ten of them and then vanish into a dead-letter queue. After four in a row the
// case is parked under a review that says why; all other cases go on.
import type { Book } from "../definitions.ts";
import { caseOf, withCase, withLine, type Snapshot } from "../records/snapshot.ts";
import { openCase } from "./open-case.ts";
import { holdCase } from "./reviews.ts";

const crashesMax = 4;

/** Returns the snapshot itself when there is nothing to count on (no case, and no event to open one) or the case is parked. */
export function countCrash(snapshot: Snapshot, options: { book: Book; nowMs: number }): Snapshot {
  const [event] = snapshot.events;
  if (snapshot.case === undefined && event === undefined) return snapshot;
  const opened =
    snapshot.case === undefined && event !== undefined
      ? openCase(snapshot, event, options.book.workflow(event.workflow), options.nowMs)
      : snapshot;
  const record = caseOf(opened);
  if (record.held?.reason === "Poison") return snapshot;
  const crashes = (record.crashes ?? 0) + 1;
  const counted = withLine(
    withCase(opened, { crashes }),
    `delivery came again, ${crashes} in a row`,
  );
  if (crashes < crashesMax) return counted;
  const why = `${crashes} deliveries in a row ended with their worker`;
  return holdCase(counted, { reason: "Poison", why, nowMs: options.nowMs });
}
