// Whether an answer says what the caller has seen already: a page that asks every few seconds is told "as before" in one line.
//
// The tag is weak: it leaves out what only the clock has changed. It saves the wire and the page's work, never the reading: each
// answer is of this moment.
import { createHash } from "node:crypto";

const clockFields = new Set(["ageMs", "storeMs"]);

export function etagOf(body: unknown): string {
  const text = JSON.stringify(body, (field, value: unknown) =>
    clockFields.has(field) ? undefined : value,
  );
  return `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}

export function isAsBefore(etag: string, ifNoneMatch: string | null): boolean {
  return (ifNoneMatch ?? "").split(",").some((one) => one.trim() === etag);
}
