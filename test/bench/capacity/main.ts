// npm run capacity -- --cases-per-second N [--json] [--provider-ms 200] [--store-ms 5] [--cases 40]
//
// What a case costs, measured on the local Azure in this very run, times a rate, priced by Azure's list; beside what one could do
// instead; how many instances the sessions need, simulated; and what gives first. infra/COST.md is written from this.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { timeSpanMs } from "./time-span.ts";
import { runApp } from "../app/run-app.ts";
import { billOf, type Load } from "./bill.ts";
import { firstToGive, limitsAt, shareOfPartition } from "./limits.ts";
import { alternatives, measuredDemand } from "./patterns.ts";
import { prices, pricesAsOf } from "./prices.ts";
import { instancesNeeded, simulateSessions } from "./queue-model.ts";

const { values } = parseArgs({
  options: {
    "cases-per-second": { type: "string", default: "10" },
    "provider-ms": { type: "string", default: "200" },
    "store-ms": { type: "string", default: "5" },
    cases: { type: "string", default: "40" },
    json: { type: "boolean", default: false },
  },
});

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** One after the other in a turn with three effects: reads, looks, gates, batches, the hint, the completion. */
const roundTripsPerTurn = 12;
const effectsPerCase = 3;
const memoryGb = 2;
const p99WaitMsMax = 1000;
const seed = 11;

function sessionSettings() {
  const host = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../host.json"), "utf8"),
  ) as {
    extensions: { serviceBus: { maxConcurrentSessions: number; sessionIdleTimeout: string } };
  };
  const { maxConcurrentSessions, sessionIdleTimeout } = host.extensions.serviceBus;
  return { sessionsPerInstance: maxConcurrentSessions, idleMs: timeSpanMs(sessionIdleTimeout) };
}

async function main(): Promise<number> {
  const numbers = {
    casesPerSecond: Number(values["cases-per-second"]),
    providerMs: Number(values["provider-ms"]),
    storeMs: Number(values["store-ms"]),
    cases: Number(values.cases),
  };
  for (const [name, number] of Object.entries(numbers)) {
    if (Number.isFinite(number) && number > 0) continue;
    say(`capacity: ${name} must be a number above 0.`);
    return 2;
  }
  const { casesPerSecond, cases, providerMs, storeMs } = numbers;
  const measured = await runApp({ cases, concurrency: 8, providerLatencyMs: 5, workers: 1 }, say);
  const demand = measuredDemand(measured.perCase);
  const turnMs = roundTripsPerTurn * storeMs + effectsPerCase * providerMs;
  const sessions = {
    ...sessionSettings(),
    casesPerSecond,
    turnMs,
    seed,
    cases: Math.max(20_000, Math.min(200_000, casesPerSecond * 60)),
  };
  const instances = instancesNeeded(sessions, p99WaitMsMax);
  const load: Load = {
    casesPerSecond,
    turnSeconds: turnMs / 1000,
    turnsPerInstance: Math.max(1, (casesPerSecond * turnMs) / 1000 / instances),
    memoryGb,
    storedBytesPerCase: measured.bytesPerCase,
    logBytesPerCase: measured.logBytesPerCase,
  };
  const limited = { casesPerSecond, demand, storedBytesPerCase: measured.bytesPerCase, instances };
  const limits = limitsAt(limited);
  const report = {
    casesPerSecond,
    demand,
    storedBytesPerCase: measured.bytesPerCase,
    logBytesPerCase: measured.logBytesPerCase,
    turnMs,
    sessions: {
      ...sessionSettings(),
      instances,
      ...simulateSessions({ ...sessions, instances }),
      /** Of one core, with the CPU that a case took here; Node runs the app on one. */
      cpuBusy: Math.round((casesPerSecond * measured.cpuMsPerCase.app) / instances / 10) / 100,
      /** As before this was measured: sixteen sessions that idle for two seconds. */
      instancesAtTwoSecondsIdle: instancesNeeded(
        { ...sessions, sessionsPerInstance: 16, idleMs: 2000 },
        p99WaitMsMax,
      ),
    },
    bill: billOf(demand, load),
    alternatives: Object.fromEntries(
      Object.entries(alternatives).map(([name, other]) => [
        name,
        { ...other, perMillionCasesUsd: billOf(other, load).perMillionCasesUsd },
      ]),
    ),
    limits,
    partitionShare: shareOfPartition(limited),
    givesFirst: firstToGive(limits) ?? "nothing",
    pricesAsOf,
    prices,
    wrong: measured.wrong,
  };
  console.log(values.json ? JSON.stringify(report) : JSON.stringify(report, null, 2));
  return measured.wrong.length === 0 ? 0 : 1;
}

process.exit(await main());
