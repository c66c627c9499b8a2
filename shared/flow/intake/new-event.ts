// An event document as intake writes it: due soon, so that the sweep finds it if its hint is lost.
import type { Event } from "../../domain/records/inbox.ts";
import { schemaVersion } from "../../domain/records/evidence.ts";
import { documentIdPart } from "./document-id-part.ts";

/** How long a recorded event may lie unfolded before the sweep wakes somebody. */
const unfoldedGraceMs = 15_000;

export function newEvent(
  told: Omit<Event, "id" | "type" | "schemaVersion" | "dueAtMs" | "folded">,
): Event {
  return {
    ...told,
    id: `event:${told.source}:${documentIdPart(told.eventId)}`,
    type: "event",
    schemaVersion,
    dueAtMs: told.receivedAtMs + unfoldedGraceMs,
  };
}
