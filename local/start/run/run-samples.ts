// Feeds the samples, watches their cases come to their ends, and counts.
//
//   orders faults -> posts everything without a kill -> all settled
//                 -> each sample with a kill, alone: the killed worker had that one call -> settled
//                 -> quiet -> reads every case once more -> counts
//
// A case has settled when it is what expected.json says; the count at the end looks again, so that
// a case that moves on afterwards is still found. When nothing has moved for a while, the run ends
// and says what is missing.
import { setTimeout as delay } from "node:timers/promises";
import { providersClient } from "../../providers/faults.ts";
import type { LocalAzure } from "../azure/local-azure.ts";
import { caseApi, statusOf } from "./case-api.ts";
import type { CaseApi, CaseView } from "./case-api.ts";
import { differences } from "./count-cases.ts";
import { countRun } from "./count-run.ts";
import type { RunResult } from "./count-run.ts";
import { feedSample } from "./feed.ts";
import type { Post } from "./feed.ts";
import { killInMidCall } from "./kill-worker.ts";
import type { Kill } from "./kill-worker.ts";
import type { Sample } from "./samples.ts";
import { startWatch } from "./watch.ts";
import type { Watch } from "./watch.ts";

export interface RunPlan {
  azure: LocalAzure;
  samples: readonly Sample[];
  isOfEarlierRun: (target: string) => boolean;
  /** A case has come to its end. */
  onSettled: (sample: Sample, view: CaseView) => void;
  onKill: (sample: Sample, kill: Kill) => void;
  signal: AbortSignal;
  /** How long nothing may move before the run is given up. */
  stallLimitMs?: number;
}

interface Run {
  plan: RunPlan;
  api: CaseApi;
  watch: Watch;
  posts: Post[];
  kills: Kill[];
  firstEventMs: number;
  lastReads: Map<Sample, { atMs: number; caseId?: string }>;
}

/** The events happened shortly before the run, in the order that the samples say. */
const firstEventAgoMs = 10 * 60_000;
const usualStallLimitMs = 45_000;
const pollMs = 200;
const againAfterMs = 1_000;
const atWorkMs = 250;
const quietEnoughMs = 2_000;

export async function runSamples(plan: RunPlan): Promise<{ result: RunResult; reasons: string[] }> {
  const { azure, samples } = plan;
  const providers = providersClient(azure.providersUrl);
  const journalAfter = (await providers.journal()).at(-1)?.n ?? 0;
  await providers.clearFaults();
  await providers.order(samples.flatMap(({ faults }) => faults));
  const run: Run = {
    plan,
    api: caseApi({ url: azure.hostUrl, key: azure.hostKey }),
    watch: await startWatch({
      providers: azure.providersUrl,
      cosmos: azure.cosmosUrl,
      journalAfter,
    }),
    posts: [],
    kills: [],
    firstEventMs: Date.now() - firstEventAgoMs,
    lastReads: new Map(),
  };

  const calm = samples.filter(({ kill }) => kill === undefined);
  await settle(run, calm);
  for (const sample of samples) {
    if (sample.kill !== undefined) await settleWithKill(run, sample, journalAfter);
  }
  await untilQuiet(run);
  const views = await readAll(run);
  await run.watch.stop();
  return countRun({
    samples,
    posts: run.posts,
    views,
    journal: run.watch.journal,
    requests: run.watch.requests,
    ownReads: run.api.windows(),
    kills: run.kills,
    workerExits: azure.workerExits(),
    isOfEarlierRun: plan.isOfEarlierRun,
  });
}

async function settleWithKill(run: Run, sample: Sample, journalAfter: number): Promise<void> {
  await Promise.all([killWorker(run, sample, journalAfter), settle(run, [sample])]);
}

/** A call that never came leaves no kill, which is one of the things that are counted. */
async function killWorker(run: Run, sample: Sample, journalAfter: number): Promise<void> {
  if (sample.kill === undefined) return;
  const kill = await killInMidCall(run.plan.azure, sample.kill, journalAfter);
  if (kill === undefined) return;
  run.kills.push(kill);
  run.plan.onKill(sample, kill);
}

/** Feeds these samples and waits until each has settled or nothing moves any more. */
async function settle(run: Run, samples: readonly Sample[]): Promise<void> {
  const givenUp = new AbortController();
  const signal = AbortSignal.any([givenUp.signal, run.plan.signal]);
  const fed = new Set<Sample>();
  const feeding = Promise.all(
    samples.map(async (sample) => {
      await feedSample(
        {
          hostUrl: run.plan.azure.hostUrl,
          secrets: run.plan.azure.secrets,
          firstEventMs: run.firstEventMs,
          statusOf: async ({ tenantId, invoice }) => {
            const view = await run.api.read(tenantId, invoice);
            return view && statusOf(view);
          },
          onPost: (post) => run.posts.push(post),
          signal,
        },
        sample,
      );
      fed.add(sample);
    }),
  );
  // Ended by `givenUp` at the latest; a defect in it is heard below.
  feeding.catch(() => undefined);
  const open = new Set(samples);
  const startedAt = performance.now();
  const stallLimitMs = run.plan.stallLimitMs ?? usualStallLimitMs;
  // These samples have their own time: that those before them stood still must not end them.
  const isStalled = (): boolean =>
    Math.min(run.watch.quietMs(), performance.now() - startedAt) > stallLimitMs;
  while (open.size > 0 && !isStalled()) {
    await delay(pollMs, undefined, { signal: run.plan.signal });
    for (const sample of open) {
      if (fed.has(sample) && (await hasSettled(run, sample))) open.delete(sample);
    }
  }
  givenUp.abort();
  await feeding.catch((error: unknown) => {
    if (!givenUp.signal.aborted || open.size === 0) throw error;
  });
}

/**
 * Reads a case only when it has been written since we read it, and not in the middle of its work:
 * our reads are load, too.
 */
async function hasSettled(run: Run, sample: Sample): Promise<boolean> {
  const last = run.lastReads.get(sample);
  const nowMs = Date.now();
  if (last !== undefined) {
    const writtenAtMs = last.caseId === undefined ? nowMs : run.watch.writtenAtMs(last.caseId);
    const isFresh = last.caseId !== undefined && writtenAtMs < last.atMs;
    const isAtWork = last.caseId !== undefined && nowMs - writtenAtMs < atWorkMs;
    if (isFresh || isAtWork || nowMs - last.atMs < againAfterMs) return false;
  }
  const view = await run.api.read(sample.tenantId, sample.invoice);
  run.lastReads.set(sample, {
    atMs: nowMs,
    ...(view === undefined ? {} : { caseId: view.case.caseId }),
  });
  if (view === undefined || differences(sample, view).length > 0) return false;
  run.plan.onSettled(sample, view);
  return true;
}

async function untilQuiet(run: Run): Promise<void> {
  while (run.watch.quietMs() < quietEnoughMs) {
    await delay(pollMs, undefined, { signal: run.plan.signal });
  }
}

async function readAll(run: Run): Promise<Map<string, CaseView>> {
  const views = new Map<string, CaseView>();
  for (const { name, tenantId, invoice } of run.plan.samples) {
    const view = await run.api.read(tenantId, invoice);
    if (view !== undefined) views.set(name, view);
  }
  return views;
}
