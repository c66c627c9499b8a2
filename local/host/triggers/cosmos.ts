// The Cosmos DB trigger for one life of an instance: a change feed processor on the real SDK's change feed iterator.
//
// The lease advances when the function has ended, ALSO WHEN IT THREW: Azure logs the failure and checkpoints, so
// the batch is lost. Only a retry policy repeats the batch, in memory; after its last attempt the lease
// advances too. If the instance dies before the end, nothing is written and the batch comes again.
import {
  ChangeFeedStartFrom,
  type Container,
  CosmosClient,
  type FeedRange,
  StatusCodes,
} from "@azure/cosmos";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { HostLog } from "../events.ts";
import type { Life, Listener } from "../instance.ts";
import type { Call, Invocations } from "../invocations.ts";
import { neededText, optionText } from "../settings/binding-text.ts";
import type { HostedFunction } from "../settings/functions.ts";
import { cosmosLeases, isStatus, type Lease, type Leases, leasesToTake } from "./cosmos-leases.ts";

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
  return Number.isFinite(ms) && ms >= 0 ? ms : fallback;
}

function intervalsOf({ trigger }: HostedFunction) {
  return {
    pollMs: milliseconds(trigger["feedPollDelay"], 5000),
    acquireMs: milliseconds(trigger["leaseAcquireInterval"], 13_000),
    expirationMs: milliseconds(trigger["leaseExpirationInterval"], 60_000),
    renewMs: milliseconds(trigger["leaseRenewInterval"], 17_000),
  };
}

export function documentsCall(hosted: HostedFunction, json: string): Call {
  return { inputs: [{ name: hosted.trigger.name, data: { string: json } }] };
}

async function containersOf(given: CosmosListenerOptions) {
  const { trigger } = given.hosted;
  const databaseName = neededText(trigger, "databaseName");
  const containerName = neededText(trigger, "containerName");
  const leaseDatabaseName = optionText(trigger, "leaseDatabaseName") ?? databaseName;
  const leaseContainerName = optionText(trigger, "leaseContainerName") ?? "leases";
  const monitored = new CosmosClient(given.connectionString)
    .database(databaseName)
    .container(containerName);
  const leaseClient = new CosmosClient(given.leaseConnectionString);
  if (trigger["createLeaseContainerIfNotExists"] === true) {
    const { database } = await leaseClient.databases.createIfNotExists({ id: leaseDatabaseName });
    await database.containers.createIfNotExists({ id: leaseContainerName, partitionKey: "/id" });
  }
  const leases = leaseClient.database(leaseDatabaseName).container(leaseContainerName);
  if (leaseDatabaseName === databaseName && leaseContainerName === containerName) {
    throw new Error("The lease container must not be the monitored container.");
  }
  // Fails here, with the container's name, rather than at the first lease.
  await Promise.all([monitored.read(), leases.read()]);
  const prefix = `${optionText(trigger, "leaseContainerPrefix") ?? ""}${databaseName}_${containerName}`;
  return { monitored, leases: cosmosLeases(leases, prefix) };
}

export function listenToCosmos(given: CosmosListenerOptions): Listener {
  const { life, hosted, invocations, log } = given;
  const about = { functionName: hosted.name };
  const category = "Host.Triggers.CosmosDB";
  const { pollMs, acquireMs, expirationMs, renewMs } = intervalsOf(hosted);
  const maxItemCount = Number(hosted.trigger["maxItemsPerInvocation"] ?? 100);
  const self = randomUUID();
  const stopping = new AbortController();
  const owned = new Map<string, Promise<void>>();
  let isDropped = false;

  async function pause(ms: number): Promise<void> {
    const options = { signal: stopping.signal, ref: false };
    await delay(ms, undefined, options).catch(() => {});
  }

  function startFrom({ continuation, feedRange }: Lease): ChangeFeedStartFrom {
    if (continuation !== null) return ChangeFeedStartFrom.Continuation(continuation);
    return hosted.trigger["startFromBeginning"] === true
      ? ChangeFeedStartFrom.Beginning(feedRange)
      : ChangeFeedStartFrom.Now(feedRange);
  }

  /** Follows one owned lease until it is lost or the listener stops; then gives it back. */
  async function follow(monitored: Container, leases: Leases, taken: Lease): Promise<void> {
    let lease: Lease | undefined = taken;
    let renewedAtMs = Date.now();
    let writing = Promise.resolve();
    /** One write after the other: a renewal and a checkpoint must not take each other's etag away. */
    const write = (change: Partial<Lease>) => {
      writing = writing.then(async () => {
        if (lease === undefined || isDropped) return;
        lease = await leases.write(lease, { ...change, timestamp: new Date().toISOString() });
        renewedAtMs = Date.now();
      });
      return writing;
    };
    const renewal = setInterval(() => {
      if (Date.now() - renewedAtMs < renewMs / 2) return;
      write({ owner: self }).catch((error: unknown) =>
        log("warning", category, `A lease could not be renewed: ${String(error)}`, about),
      );
    }, renewMs);
    renewal.unref();
    try {
      const iterator = monitored.items.getChangeFeedIterator<unknown>({
        maxItemCount,
        changeFeedStartFrom: startFrom(taken),
      });
      while (!stopping.signal.aborted && lease !== undefined) {
        const page = await iterator.readNext();
        if (page.statusCode === StatusCodes.NotModified || page.count === 0) {
          // Pins where "from now on" began, so that it does not move when the instance changes.
          if (lease.continuation === null) await write({ continuation: page.continuationToken });
          await pause(pollMs);
          continue;
        }
        if (stopping.signal.aborted) break;
        const call = documentsCall(hosted, JSON.stringify(page.result));
        const outcome = await invocations.withRetries(life, hosted, call);
        if (outcome.kind === "workerLost" || outcome.kind === "timedOut") return;
        await write({ continuation: page.continuationToken });
      }
    } finally {
      clearInterval(renewal);
      if (stopping.signal.aborted) await write({ owner: "" }).catch(() => {});
    }
  }

  function take(monitored: Container, leases: Leases, lease: Lease): void {
    const following = follow(monitored, leases, lease)
      .catch((error: unknown) => {
        if (stopping.signal.aborted) return;
        log("warning", category, `Reading the change feed failed: ${String(error)}`, about);
      })
      .finally(() => owned.delete(lease.id));
    owned.set(lease.id, following);
  }

  async function balance(monitored: Container, leases: Leases, ranges: FeedRange[]): Promise<void> {
    const all = await leases.all(ranges);
    for (const lease of leasesToTake(all, self, Date.now(), expirationMs)) {
      if (owned.has(lease.id) || stopping.signal.aborted) continue;
      const change = { owner: self, timestamp: new Date().toISOString() };
      const taken = await leases.write(lease, change);
      if (taken !== undefined) take(monitored, leases, taken);
    }
    // Ours by name but followed by nobody (reading failed): begin again where the lease stands.
    for (const lease of all) {
      if (lease.owner === self && !owned.has(lease.id)) take(monitored, leases, lease);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const { monitored, leases } = await containersOf(given);
        const ranges = [...(await monitored.getFeedRanges())];
        while (!stopping.signal.aborted) {
          await balance(monitored, leases, ranges);
          await pause(acquireMs);
        }
      } catch (error) {
        if (stopping.signal.aborted) return;
        const text = isStatus(error, 404)
          ? `a container of ${neededText(hosted.trigger, "databaseName")} does not exist (monitored or lease container)`
          : String(error);
        log("error", category, `The listener for '${hosted.name}' could not start: ${text}`, about);
        await pause(RESTART_PAUSE_MS);
      }
    }
  }

  const running = run();
  return {
    drain: async () => {
      stopping.abort();
      await running;
      await Promise.all(owned.values());
    },
    drop: () => {
      isDropped = true;
      stopping.abort();
    },
  };
}
