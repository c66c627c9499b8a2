// What makes an answer new to who has seen one: what it says, and never the clock alone.
import { expect, test } from "vitest";
import { etagOf, isAsBefore } from "../../../shared/flow/operate/unchanged.ts";

const seen = { storeMs: 1, reviews: [{ id: "review:case:1", ageMs: 5, openedAtMs: 3 }] };

test("an answer that differs by the clock alone is as before; by anything else it is new", () => {
  const etag = etagOf(seen);
  const later = { storeMs: 2, reviews: [{ id: "review:case:1", ageMs: 6, openedAtMs: 3 }] };
  const other = { ...seen, reviews: [{ id: "review:case:1", ageMs: 5, openedAtMs: 4 }] };
  expect(isAsBefore(etagOf(later), etag)).toBe(true);
  expect(isAsBefore(etagOf(other), etag)).toBe(false);
  expect(isAsBefore(etag, `"x", ${etag}`)).toBe(true);
  expect(isAsBefore(etag, null)).toBe(false);
});
