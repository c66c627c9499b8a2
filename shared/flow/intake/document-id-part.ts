// A sender's id as a part of a document's id. One that a document cannot have gives way to its digest; "~" keeps the
// two forms apart.
import { createHash } from "node:crypto";

export function documentIdPart(eventId: string): string {
  if (/^[A-Za-z0-9._:-]+$/.test(eventId)) return eventId;
  return `~${createHash("sha256").update(eventId).digest("hex")}`;
}
