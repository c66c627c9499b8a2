// What `retry-after` may say, and what is made of it (cases.md 57).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { retryAfterMsMax, retryAfterMsOf } from "../../shared/domain/retry-after.ts";

const nowMs = Date.parse("2026-03-04T05:06:07Z");

describe("a retry-after header", () => {
  test.each([
    ["120", 120_000],
    ["0", 0],
    ["0.493", 493],
    [" 7 ", 7000],
    ["Wed, 04 Mar 2026 05:07:37 GMT", 90_000],
    ["999999999", retryAfterMsMax],
    ["Fri, 04 Mar 2050 05:07:37 GMT", retryAfterMsMax],
  ])("%j is honoured within the cap", (header, ms) => {
    expect(retryAfterMsOf(header, nowMs)).toBe(ms);
  });

  test.each([
    null,
    "",
    "-5",
    "soon",
    "NaN",
    "Infinity",
    "1e9",
    "1, 2",
    "0x10",
    "Wed, 04 Mar 2026 05:06:00 GMT",
    "Wed, 44 Mar 2026 99:06:00 GMT",
    "2026-03-04",
    "9".repeat(400),
  ])("%j asks for nothing: the back-off stands", (header) => {
    expect(retryAfterMsOf(header, nowMs)).toBeUndefined();
  });

  test("never gives anything but undefined or whole milliseconds within the cap", () => {
    const header = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(header, (text) => {
        const ms = retryAfterMsOf(text, nowMs) ?? 0;
        expect(Number.isInteger(ms) && ms >= 0 && ms <= retryAfterMsMax).toBe(true);
      }),
    );
  });
});
