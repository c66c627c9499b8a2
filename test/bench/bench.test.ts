// The measurements at a tiny size: that they run, count and check; how fast anything is, is nowhere asserted.
import { describe, expect, test } from "vitest";
import { runApp } from "./app/run-app.ts";
import { benchCase } from "./case.ts";
import { closedLoop, percentile } from "./closed-loop.ts";
import { appliedKey, notOnce } from "./journal.ts";
import { parseOptions } from "./options.ts";

describe("a few cases on the local Azure", () => {
  test("all commit, each effect applied once, for five writes and one message of their own", async () => {
    const options = { concurrency: 2, cases: 4, providerLatencyMs: 5, workers: 1, quietMs: 500 };
    const { perCase, wrong, ...measured } = await runApp(options, () => {});
    expect(wrong).toEqual([]);
    // One event, and a batch more than the three effects.
    expect(perCase).toMatchObject({ writes: 5, webhookExecutions: 1 });
    expect(perCase.messages).toBeGreaterThanOrEqual(1);
    expect(measured.casesPerSecond).toBeGreaterThan(0);
    expect(measured.p99Ms).toBeGreaterThanOrEqual(measured.p50Ms);
    expect(measured.bytesPerCase).toBeGreaterThan(1000);
  }, 90_000);
});

describe("a closed loop", () => {
  test("never has more in flight than it was told, and runs each once", async () => {
    let inFlight = 0;
    let most = 0;
    const seen: number[] = [];
    await closedLoop([1, 2, 3, 4, 5, 6, 7], 3, async (one) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(one);
      inFlight -= 1;
      return Date.now();
    });
    expect(most).toBe(3);
    expect(new Set(seen)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
  });

  test("ranks a percentile by what was measured", () => {
    expect(percentile([1, 2, 3, 4], 0.5)).toBe(2);
    expect(percentile([1, 2, 3, 4], 0.99)).toBe(4);
  });
});

test("an effect that was applied twice, or never, is told", () => {
  const one = benchCase("T", 1);
  const applied = new Map([
    [appliedKey("portal.request_credit_note.v1", one.invoice), 2],
    [appliedKey("email.send_notification.v1", one.owner), 1],
  ]);
  expect(notOnce([one], applied)).toEqual([
    "INV-T-1: portal.request_credit_note.v1 was applied 2 times",
    "INV-T-1: portal.mark_invoice.v1 was applied 0 times",
  ]);
});

test("a wrong argument is named", () => {
  expect(parseOptions(["--cases", "many"])).toEqual({
    kind: "wrong",
    why: "--cases must be a whole number from 1",
  });
  expect(parseOptions(["--vs", "temporal"])).toMatchObject({ kind: "wrong" });
});
