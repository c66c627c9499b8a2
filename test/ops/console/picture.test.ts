// What the console computes for its pictures: order is kept, nothing falls together, and the words for a span are a person's.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lanesOf, toneOfEntry } from "../../../ops/console/picture/lanes.ts";
import { scaleOf } from "../../../ops/console/picture/scale.ts";
import { sentence, spanText, toneOf } from "../../../ops/console/words.ts";

const entry = (lane: string, what: string, outcome?: string) => ({
  lane,
  atMs: 1,
  subject: "case",
  what,
  id: what,
  ...(outcome === undefined ? {} : { outcome }),
});

describe("the line of time", () => {
  test("keeps the order, tells any two moments apart, and fits its width, whatever lies between", () => {
    const times = fc.array(fc.integer({ min: 0, max: 1_000_000_000_000 }), { minLength: 1 });
    fc.assert(
      fc.property(times, (some) => {
        const scale = scaleOf(some, { margin: 16, widthMin: 500 });
        const sorted = [...new Set(some)].toSorted((a, b) => a - b);
        const places = sorted.map(scale.xOf);
        for (const [index, x] of places.entries()) {
          expect(x - (places[index - 1] ?? 0)).toBeGreaterThanOrEqual(16);
          expect(x).toBeLessThanOrEqual(scale.width - 15.99);
        }
      }),
    );
  });

  test("gives a longer wait more room than a shorter one", () => {
    const day = 24 * 3_600_000;
    const { xOf } = scaleOf([0, 1, 1001, 1001 + day], { margin: 0, widthMin: 0 });
    expect(xOf(1001) - xOf(1)).toBeGreaterThan(xOf(1) - xOf(0));
    expect(xOf(1001 + day) - xOf(1001)).toBeGreaterThan(xOf(1001) - xOf(1));
  });
});

test("lanes come in one order, and one that is new to the console is shown last", () => {
  const lanes = lanesOf([entry("new", "a"), entry("review", "b"), entry("event", "c")]);
  expect(lanes).toEqual(["event", "review", "new"]);
});

test("what is unknown is never shown as proven", () => {
  expect(toneOfEntry(entry("effect", "email.send is unknown", "silence"))).toBe("doubt");
  expect(toneOfEntry(entry("attempt", "attempt 1", "noAnswer: reset"))).toBe("doubt");
  expect(toneOfEntry(entry("effect", "email.send is confirmed"))).toBe("good");
  expect(toneOf("a word that nobody knows")).toBe("plain");
});

test("spans and sentences read as a person says them", () => {
  const spans = [0, 999, 59_000, 61_000, 3_600_000, 3_660_000, 90_000_000, -5].map(spanText);
  expect(spans).toEqual(["0 ms", "999 ms", "59 s", "1 min", "1 h", "1 h 1 min", "1 d 1 h", "0 ms"]);
  expect(sentence("nothing counts")).toBe("Nothing counts.");
  expect(sentence("invoice.raised came.")).toBe("invoice.raised came.");
});
