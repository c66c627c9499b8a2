// Follows the change feed behind one owned lease: read a page, run the function, advance the lease.
//
// The lease advances when the function has ended, ALSO WHEN IT THREW: Azure logs the failure and checkpoints, so
// the batch is lost. Only a retry policy repeats the batch, in memory; after its last attempt the lease
// advances too. If the instance dies before the end, nothing is written and the batch comes again.
import { ChangeFeedStartFrom, type Container, StatusCodes } from "@azure/cosmos";
import type { Outcome } from "../../invocations.ts";
import type { Lease, Leases } from "./leases.ts";

export type FeedOptions = {
  self: string;
  pollMs: number;
  renewMs: number;
  maxItemCount: number;
  fromBeginning: boolean;
  /** Aborted by a drain and by the instance's death; `isDead` tells them apart. */
  signal: AbortSignal;
  isDead: () => boolean;
  pause: (ms: number) => Promise<void>;
  warn: (text: string, error: unknown) => void;
  run: (documents: unknown[]) => Promise<Outcome>;
};

type HeldLease = {
  /** The lease as last written, or undefined once somebody else has it. */
  current: () => Lease | undefined;
  write: (change: Partial<Lease>) => Promise<void>;
  stopRenewing: () => void;
};

/** One write after the other: a renewal and a checkpoint must not take each other's etag away. */
function holdLease(leases: Leases, taken: Lease, options: FeedOptions): HeldLease {
  let lease: Lease | undefined = taken;
  let last: Promise<void> = Promise.resolve();
  async function writeAfter(earlier: Promise<void>, change: Partial<Lease>): Promise<void> {
    await earlier.catch(() => {});
    if (lease === undefined || options.isDead()) return;
    lease = await leases.write(lease, { ...change, timestamp: new Date().toISOString() });
  }
  const write = (change: Partial<Lease>) => {
    last = writeAfter(last, change);
    return last;
  };
  const renewal = setInterval(() => {
    write({ owner: options.self }).catch((error: unknown) =>
      options.warn("A lease could not be renewed", error),
    );
  }, options.renewMs);
  renewal.unref();
  return { current: () => lease, write, stopRenewing: () => clearInterval(renewal) };
}

/** The SDK takes only a feed range that it made itself, so the lease's is found among those. */
async function startOf(
  monitored: Container,
  { continuation, feedRange }: Lease,
  fromBeginning: boolean,
): Promise<ChangeFeedStartFrom> {
  if (continuation !== null) return ChangeFeedStartFrom.Continuation(continuation);
  const ranges = await monitored.getFeedRanges();
  const range = ranges.find(
    ({ minInclusive, maxExclusive }) =>
      minInclusive === feedRange.minInclusive && maxExclusive === feedRange.maxExclusive,
  );
  if (range === undefined) throw new Error("the lease's feed range has been split");
  return fromBeginning ? ChangeFeedStartFrom.Beginning(range) : ChangeFeedStartFrom.Now(range);
}

/** Until the lease is lost, the worker is gone or the listener stops; a drained lease is given back. */
export async function followLease(
  monitored: Container,
  leases: Leases,
  taken: Lease,
  options: FeedOptions,
): Promise<void> {
  const held = holdLease(leases, taken, options);
  const iterator = monitored.items.getChangeFeedIterator<unknown>({
    maxItemCount: options.maxItemCount,
    changeFeedStartFrom: await startOf(monitored, taken, options.fromBeginning),
  });
  try {
    while (!options.signal.aborted && held.current() !== undefined) {
      const page = await iterator.readNext();
      if (options.signal.aborted) return;
      const { continuationToken: continuation } = page;
      if (page.statusCode === StatusCodes.NotModified || page.count === 0) {
        // Pins where "from now on" began, so that it does not move when the instance changes.
        if (held.current()?.continuation === null) await held.write({ continuation });
        await options.pause(options.pollMs);
        continue;
      }
      const outcome = await options.run([...page.result]);
      if (outcome.kind === "workerLost" || outcome.kind === "timedOut") return;
      await held.write({ continuation });
    }
  } finally {
    held.stopRenewing();
    if (options.signal.aborted) await held.write({ owner: "" }).catch(() => {});
  }
}
