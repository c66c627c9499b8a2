// Timers. Rules from Microsoft Learn: "Timer trigger for Azure Functions" (NCRONTAB, runOnStartup, no overlaps), "Azure Functions
// error handling and retries".
import { describe, expect, test } from "vitest";
import { awaited, runningHost } from "./running-host.ts";

const { records } = await runningHost();

type Run = { atMs: number; timer: Record<string, unknown> };
const runs = (count: number) =>
  awaited(`${count} runs`, async () => {
    const all = await records<Run>("each-second");
    return all.length >= count && all;
  });

describe("a timer", () => {
  test("runs at the seconds that its six fields name", async () => {
    const all = await runs(3);
    const gapsMs = all.slice(1).map(({ atMs }, n) => atMs - (all[n]?.atMs ?? 0));
    for (const gapMs of gapsMs) expect(gapMs).toBeGreaterThan(500);
    for (const { atMs } of all) expect(atMs % 1000).toBeLessThan(900);
  });

  test("is told whether it is late", async () => {
    const [first] = await runs(1);
    expect(first?.timer).toHaveProperty("isPastDue", expect.any(Boolean));
    expect(first?.timer).toHaveProperty("schedule");
  });

  test("never runs twice at once: a slow run delays the next", async () => {
    const steps = await awaited("two runs", async () => {
      const all = await records<string>("slow");
      return all.length >= 4 && all.slice(0, 4);
    });
    expect(steps).toEqual(["began", "ended", "began", "ended"]);
  });

  test("goes on by its schedule although its runs fail", async () => {
    await awaited("two failing runs", async () => (await records("failing")).length >= 2);
    expect((await records("failing")).length).toBeGreaterThanOrEqual(2);
  });

  test("with runOnStartup runs when the host starts", async () => {
    expect(await awaited("the run", async () => (await records("at-start")).length)).toBe(1);
  });

  test("without runOnStartup waits for its time", async () => {
    await runs(1);
    expect(await records("hourly")).toEqual([]);
  });

  test("that is disabled never runs", async () => {
    await runs(2);
    expect(await records("disabled-timer")).toEqual([]);
  });
});

describe("a retry policy", () => {
  const attempts = () =>
    awaited("three attempts", async () => {
      const all = await records<{ retryCount: number; maxRetryCount: number } | null>("retried");
      return all.length >= 3 && all;
    });

  test("repeats a failing run as often as it says, and then gives up", async () => {
    await attempts();
    await runs(3);
    expect(await records("retried")).toHaveLength(3);
  });

  test("is told to the function: which attempt, of how many", async () => {
    const all = await attempts();
    const counts = all.map((context) => [context?.retryCount, context?.maxRetryCount]);
    expect(counts).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ]);
  });
});
