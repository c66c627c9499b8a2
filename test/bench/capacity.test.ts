// The capacity model: that it counts and prices as it says. What a case costs is measured in bench.test.ts.
import { describe, expect, test } from "vitest";
import { billOf } from "./capacity/bill.ts";
import { firstToGive, limitsAt } from "./capacity/limits.ts";
import { measuredDemand } from "./capacity/patterns.ts";
import { standardOperationsUsd } from "./capacity/prices.ts";
import { instancesNeeded, simulateSessions } from "./capacity/queue-model.ts";
import { timeSpanMs } from "./capacity/time-span.ts";

const demand = measuredDemand({
  writes: 5,
  writeCharge: 100,
  reads: 10,
  readCharge: 20,
  feedRequests: 1,
  feedCharge: 1,
  messages: 2,
  brokerOperations: 6,
  executions: 3,
  webhookExecutions: 1,
  turnExecutions: 2,
  feedExecutions: 0,
});

const sessions = { sessionsPerInstance: 32, turnMs: 600, idleMs: 100, seed: 3, cases: 20_000 };

test("reads and the feed count twice, as Bounded Staleness has it", () => {
  expect(demand.requestUnits).toBe(100 + 2 * 21);
});

test("operations are priced by their steps, the base included", () => {
  expect(standardOperationsUsd(13e6)).toBeCloseTo(9.81);
  expect(standardOperationsUsd(14e6)).toBeCloseTo(9.81 + 0.8);
});

describe("sessions on instances", () => {
  test("wait hardly at all where there are plenty, and long where they are all busy", () => {
    const plenty = simulateSessions({ ...sessions, casesPerSecond: 10, instances: 2 });
    const scarce = simulateSessions({ ...sessions, casesPerSecond: 60, instances: 1 });
    expect(plenty.p99WaitMs).toBe(0);
    expect(scarce.p99WaitMs).toBeGreaterThan(10_000);
  });

  test("that idle longer need more instances for the same rate", () => {
    const rate = { ...sessions, casesPerSecond: 200 };
    expect(instancesNeeded({ ...rate, idleMs: 2000 }, 1000)).toBeGreaterThan(
      2 * instancesNeeded(rate, 1000),
    );
  });
});

test("what gives first is what is used most beyond its limit, and at a low rate nothing", () => {
  const at = (casesPerSecond: number, instances: number) =>
    firstToGive(limitsAt({ casesPerSecond, demand, storedBytesPerCase: 9000, instances }))?.name;
  expect(at(10, 1)).toBeUndefined();
  expect(at(1000, 22)).toContain("serverless");
});

test("a bill grows with the rate, and a million cases never cost less for more of them than Standard's base", () => {
  const load = {
    turnSeconds: 0.6,
    turnsPerInstance: 20,
    memoryGb: 2,
    storedBytesPerCase: 9000,
    logBytesPerCase: 1000,
  };
  const low = billOf(demand, { ...load, casesPerSecond: 1 });
  const high = billOf(demand, { ...load, casesPerSecond: 100 });
  expect(high.totalUsd).toBeGreaterThan(low.totalUsd * 10);
  expect(low.cosmosServerlessUsd).toBeCloseTo(142 * 2_628_000 * 0.25e-6, 1);
});

test("a time span is read with its fraction", () => {
  expect(timeSpanMs("00:00:00.1")).toBe(100);
  expect(() => timeSpanMs("soon")).toThrow("is no time span");
});
