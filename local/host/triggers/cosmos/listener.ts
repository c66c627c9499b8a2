// The Cosmos DB trigger for one life of an instance: a change feed processor on the real SDK. It takes its fair share of
// the leases, follows each (feed.ts), and looks again every leaseAcquireInterval.
import type { FeedRange } from "@azure/cosmos";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { HostLog } from "../../events.ts";
import { instanceName, type Life, type Listener } from "../../instance.ts";
import type { Call, Invocations } from "../../invocations.ts";
import type { HostedFunction } from "../../settings/functions.ts";
import { type FeedContainers, feedContainers } from "./containers.ts";
import { type FeedOptions, followLease } from "./feed.ts";
import { type Lease, leasesToTake } from "./leases.ts";

export type CosmosListenerOptions = {
  life: Life;
  hosted: HostedFunction;
  connectionString: string;
  leaseConnectionString: string;
  invocations: Invocations;
  log: HostLog;
};

const RESTART_PAUSE_MS = 5000;

function milliseconds(value: unknown, fallback: number): number {
  const ms = Number(value ?? fallback);
  return Number.isFinite(ms) && ms > 0 ? ms : fallback;
}

export function documentsCall(hosted: HostedFunction, json: string): Call {
  return { inputs: [{ name: hosted.trigger.name, data: { string: json } }] };
}

type Processor = {
  given: CosmosListenerOptions;
  feed: FeedOptions;
  acquireMs: number;
  expirationMs: number;
  /** Leases this life is following, by id. */
  followed: Map<string, Promise<void>>;
};

function createProcessor(
  given: CosmosListenerOptions,
  signal: AbortSignal,
  isDead: () => boolean,
): Processor {
  const { hosted, life, invocations, log } = given;
  const { trigger } = hosted;
  const about = { functionName: hosted.name };
  return {
    given,
    acquireMs: milliseconds(trigger["leaseAcquireInterval"], 13_000),
    expirationMs: milliseconds(trigger["leaseExpirationInterval"], 60_000),
    followed: new Map(),
    feed: {
      self: randomUUID(),
      pollMs: milliseconds(trigger["feedPollDelay"], 5000),
      renewMs: milliseconds(trigger["leaseRenewInterval"], 17_000),
      maxItemCount: milliseconds(trigger["maxItemsPerInvocation"], 100),
      fromBeginning: trigger["startFromBeginning"] === true,
      signal,
      isDead,
      pause: async (ms) => {
        await delay(ms, undefined, { signal, ref: false }).catch(() => {});
      },
      warn: (text, error) => {
        if (signal.aborted) return;
        log("warning", "Host.Triggers.CosmosDB", `${text}: ${String(error)}`, about);
      },
      run: (documents) =>
        invocations.withRetries(life, hosted, documentsCall(hosted, JSON.stringify(documents))),
    },
  };
}

async function follow(
  { feed, followed }: Processor,
  { monitored, leases }: FeedContainers,
  lease: Lease,
): Promise<void> {
  try {
    await followLease(monitored, leases, lease, feed);
  } catch (error) {
    feed.warn("Reading the change feed failed", error);
  } finally {
    followed.delete(lease.id);
  }
}

async function balance(
  processor: Processor,
  containers: FeedContainers,
  ranges: FeedRange[],
): Promise<void> {
  const { feed, followed, expirationMs } = processor;
  const all = await containers.leases.all(ranges);
  // Ours by name but followed by nobody (reading failed): begin again where the lease stands.
  const forgotten = all.filter(({ id, owner }) => owner === feed.self && !followed.has(id));
  for (const lease of forgotten) {
    followed.set(lease.id, follow(processor, containers, lease));
  }
  for (const lease of leasesToTake(all, feed.self, Date.now(), expirationMs)) {
    if (followed.has(lease.id) || feed.signal.aborted) continue;
    const change = { owner: feed.self, timestamp: new Date().toISOString() };
    const taken = await containers.leases.write(lease, change);
    if (taken !== undefined) followed.set(lease.id, follow(processor, containers, taken));
  }
}

async function runProcessor(processor: Processor): Promise<void> {
  const { given, feed } = processor;
  const { hosted, log } = given;
  while (!feed.signal.aborted) {
    try {
      const { connectionString, leaseConnectionString } = given;
      const containers = await feedContainers(
        hosted,
        connectionString,
        leaseConnectionString,
        instanceName(given.life.worker),
      );
      while (!feed.signal.aborted) {
        const ranges = [...(await containers.monitored.getFeedRanges())];
        await balance(processor, containers, ranges);
        await feed.pause(processor.acquireMs);
      }
    } catch (error) {
      if (feed.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      const text = `The listener for '${hosted.name}' is not running: ${reason}`;
      log("error", "Host.Triggers.CosmosDB", text, { functionName: hosted.name });
      await feed.pause(RESTART_PAUSE_MS);
    }
  }
}

export function listenToCosmos(given: CosmosListenerOptions): Listener {
  const stopping = new AbortController();
  let isDead = false;
  const processor = createProcessor(given, stopping.signal, () => isDead);
  const running = runProcessor(processor);
  const dropped = Promise.withResolvers<void>();
  async function drain(): Promise<void> {
    stopping.abort();
    await running;
    await Promise.all(processor.followed.values());
  }
  return {
    drain: () => Promise.race([drain(), dropped.promise]),
    drop: () => {
      isDead = true;
      stopping.abort();
      dropped.resolve();
    },
  };
}
