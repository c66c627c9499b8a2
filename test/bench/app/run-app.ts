// The app on the local Azure, every part a process of its own as under `npm start`, measured from outside: by the providers'
// journal, the stand-ins' logs and /proc. Nothing is told by the app itself except through its store.
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Invoked,
  type LocalAzure,
  startLocalAzure,
} from "../../../local/start/azure/local-azure.ts";
import { choosePorts } from "../../../local/start/azure/ports.ts";
import { secretOf } from "../../../local/start/azure/sources.ts";
import { openStateFolder } from "../../../local/start/azure/state-folder.ts";
import { benchCase, postCase, type BenchCase } from "../case.ts";
import { closedLoop, type Timing } from "../closed-loop.ts";
import { cpuMs } from "../cpu.ts";
import { followJournal, notOnce } from "../journal.ts";
import type { Options } from "../options.ts";
import { readMeters, type Meters, perCase } from "./meters.ts";
import { uncommitted, storedBytes } from "./stored.ts";

const root = join(import.meta.dirname, "../../..");

export interface AppResult extends Timing {
  /** One writes to no disk what the other does not: both fsync before they answer. */
  durable: string;
  cpuMsPerCase: {
    app: number;
    host: number;
    cosmos: number;
    serviceBus: number;
    providers: number;
  };
  perCase: Meters;
  bytesPerCase: number;
  /** Of the app's and the host's own log lines, as text. */
  logBytesPerCase: number;
  /** What is wrong with what came out; empty: every case committed, each effect applied once. */
  wrong: string[];
}

export type RunOptions = Omit<Options, "json" | "vsRestate"> & {
  /** How long nothing may move before the books are read; longer than the feed's reader rests when absent. */
  quietMs?: number;
};

export async function runApp(options: RunOptions, say: (line: string) => void): Promise<AppResult> {
  const { concurrency, cases, providerLatencyMs, workers, profile } = options;
  const state = await openStateFolder({ inside: join(root, ".local") });
  const invocations = new Map<string, number>();
  const count = ({ functionName }: Invoked): void =>
    void invocations.set(functionName, (invocations.get(functionName) ?? 0) + 1);
  const azure = await startLocalAzure({
    state,
    ports: await choosePorts({ once: true }),
    // What is measured is the app, not who listens to it.
    otlp: "",
    workers,
    providerLatencyMs,
    settings: profile === undefined ? {} : profileSettings(profile),
    onInvocation: count,
    say,
    step: (what, detail) => say(`${what}: ${detail}`),
  });
  try {
    const warmUp = Array.from({ length: concurrency * 2 }, (_, n) => benchCase("W", n));
    const measured = Array.from({ length: cases }, (_, n) => benchCase("M", n));
    const quietMs = options.quietMs ?? feedQuietMs;
    const result = await measure(azure, { warmUp, measured, concurrency, quietMs, invocations });
    const logBytes = statSync(join(state.path, "logs", "app.log")).size;
    return { ...result, logBytesPerCase: Math.round(logBytes / (warmUp.length + cases)) };
  } finally {
    await azure.stop();
    state.unlock();
    rmSync(state.path, { recursive: true, force: true });
  }
}

function profileSettings(folder: string): Record<string, string> {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  const NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${path}`;
  process.env["NODE_OPTIONS"] = NODE_OPTIONS;
  return { NODE_OPTIONS };
}

interface Run {
  warmUp: readonly BenchCase[];
  measured: readonly BenchCase[];
  concurrency: number;
  quietMs: number;
  invocations: ReadonlyMap<string, number>;
}

async function measure(azure: LocalAzure, run: Run): Promise<Omit<AppResult, "logBytesPerCase">> {
  const { warmUp, measured, concurrency } = run;
  const journal = await followJournal(azure.providersUrl);
  const url = `${azure.hostUrl}/api/webhooks/acme-erp`;
  const secret = secretOf(azure.secrets, "acme-erp");
  const runOne = async (one: BenchCase): Promise<number> => {
    await postCase(url, secret, one);
    return journal.answeredAtMs(one.owner);
  };
  await closedLoop(warmUp, concurrency, runOne);
  const before = await quietMeters(azure, run);
  const cpuBefore = cpuOf(azure);
  const timing = await closedLoop(measured, concurrency, runOne);
  const cpuAfter = cpuOf(azure);
  const after = await quietMeters(azure, run);
  const wrong = await settled(azure, warmUp.length + measured.length);
  await journal.stop();
  const share = (room: keyof typeof cpuAfter): number =>
    Math.round(((cpuAfter[room] - cpuBefore[room]) / measured.length) * 100) / 100;
  return {
    ...timing,
    durable: "fsync, group commit",
    cpuMsPerCase: {
      app: share("app"),
      host: share("host"),
      cosmos: share("cosmos"),
      serviceBus: share("serviceBus"),
      providers: share("providers"),
    },
    perCase: perCase(before, after, measured.length),
    bytesPerCase: await storedBytes(azure, measured.length + warmUp.length),
    wrong: [...wrong, ...notOnce([...warmUp, ...measured], journal.applied())].slice(0, 20),
  };
}

function cpuOf(azure: LocalAzure) {
  const { app, host, cosmos, providers, "service-bus": serviceBus } = azure.pids();
  return {
    app: cpuMs(app),
    host: cpuMs(host),
    cosmos: cpuMs(cosmos),
    serviceBus: cpuMs(serviceBus),
    providers: cpuMs(providers),
  };
}

const settleWithinMs = 20_000;
/** The feed's reader rests two seconds between two looks, and a hint of a deadline comes seconds after it. */
const feedQuietMs = 8000;

/** Once nothing more is read, written or executed on behalf of a case: the feed's reader comes seconds after. */
async function quietMeters(azure: LocalAzure, { invocations, quietMs }: Run): Promise<Meters> {
  let meters = await readMeters(azure, invocations);
  let movedMs = performance.now();
  while (performance.now() - movedMs < quietMs) {
    await delay(200);
    const now = await readMeters(azure, invocations);
    if (now.writes !== meters.writes || now.reads !== meters.reads) movedMs = performance.now();
    meters = now;
  }
  return meters;
}

/** Waits until all have committed and nothing of them is open; what is still missing in words. */
async function settled(azure: LocalAzure, count: number): Promise<string[]> {
  const endMs = performance.now() + settleWithinMs;
  for (;;) {
    const missing = await uncommitted(azure, count);
    if (missing.length === 0 || performance.now() > endMs) return missing;
    await delay(200);
  }
}
