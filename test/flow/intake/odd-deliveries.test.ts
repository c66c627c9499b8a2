// Whatever is signed and sent, intake answers: it throws at nobody, names the field that is wrong, and what it took is one event of one
// case that a store can hold.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyOf, intakeWorld } from "./intake-world.ts";

const text = fc.string({ unit: "binary", maxLength: 40 });
const anyBody = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((json) => Buffer.from(json)),
  fc
    .record({
      type: fc.constantFrom("exception.raised", "exception.closed", "__proto__", "constructor"),
      timestamp: fc.constantFrom(
        "2026-03-01T09:00:00Z",
        "2026-03-01T23:59:60Z",
        "0000-01-01T00:00:00+01:00",
        "1",
      ),
      data: fc.oneof(
        fc.record({ reference: text, note: text }),
        fc.dictionary(text, fc.jsonValue()),
      ),
    })
    .map((body) => Buffer.from(JSON.stringify(body))),
);
/** What a header can carry. */
const anyId = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 210 });

test("any signed delivery is answered, and one that is not taken is told why by field", async () => {
  const world = intakeWorld();
  await fc.assert(
    fc.asyncProperty(anyBody, anyId, async (body, id) => {
      const { said, status } = await world.deliver(body, { id });
      expect([202, 400, 409]).toContain(status);
      const fields = ((said["errors"] ?? []) as { field: string }[]).map(({ field }) => field);
      expect(fields.length > 0).toBe(status === 400);
      expect(fields).not.toContain("");
    }),
    { numRuns: 400 },
  );
  for (const { caseId, id } of world.allEvents()) {
    expect(id).toMatch(/^event:erp:[A-Za-z0-9._:~-]{1,200}$/);
    expect(caseId).toMatch(/^[a-z2-7]{26}$/);
  }
});

describe("a source that is named", () => {
  test.each(["__proto__", "constructor", "ERP", "erp/", "../erp", "erp\u0000", "erp ", ""])(
    "%j is unknown: 404, and nothing of it is believed or kept",
    async (source) => {
      const world = intakeWorld();
      const { status, text: said } = await world.deliver(bodyOf(), { source });
      expect(status).toBe(404);
      expect(said).not.toContain(source === "" ? "undefined" : source);
      expect(world.cases.changesSince(0).documents).toEqual([]);
    },
  );
});

describe("an id that differs only in", () => {
  test.each([
    ["its letters' case", "Dlv-1", "dlv-1"],
    ["a character that an address cannot have", "dlv/1", "dlv?1"],
    ["what would lead elsewhere", "..", "."],
    ["what a digest of another would be", "dlv 1", "~dlv 1"],
  ])("%s is another event", async (_what, one, other) => {
    const world = intakeWorld();
    for (const id of [one, other, one]) await world.deliver(bodyOf(), { id });
    expect(world.events().map(({ eventId }) => eventId)).toEqual([one, other]);
  });
});
