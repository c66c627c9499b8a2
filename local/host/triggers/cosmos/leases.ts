// The leases of one change-feed function: one document per feed range in the lease container, as the change feed
// processor keeps them. A lease has an owner, a time at which the owner was last alive, and the
// continuation up to which changes were handed to the function.
//
// Every write is conditional on the lease's etag, so two instances never both believe in one lease for long. An owner that
// dies releases nothing: its leases are free once `expirationMs` has passed. When a range splits, each part gets a lease that goes
// on where the old one stood, and then the old one is deleted; changes just before that may be seen twice, none is missed.
import { type Container, ErrorResponse, type FeedRange } from "@azure/cosmos";

export type Lease = {
  id: string;
  owner: string;
  /** ISO time of the owner's last sign of life, by the owner's clock. */
  timestamp: string;
  continuation: string | null;
  feedRange: FeedRange;
  _etag?: string;
};

export type Leases = {
  /** Makes the leases that are missing, then lists all of this function's leases. */
  all(ranges: FeedRange[]): Promise<Lease[]>;
  /** Writes the change if the lease is as we know it; undefined when somebody else was faster. */
  write(lease: Lease, change: Partial<Lease>): Promise<Lease | undefined>;
};

export function isStatus(error: unknown, ...codes: number[]): boolean {
  return error instanceof ErrorResponse && codes.includes(Number(error.code));
}

function withoutSystemFields(lease: Lease): Lease {
  const { id, owner, timestamp, continuation, feedRange } = lease;
  return { id, owner, timestamp, continuation, feedRange };
}

type Range = { minInclusive: string; maxExclusive: string };

const holds = (outer: Range, inner: Range) =>
  outer.minInclusive <= inner.minInclusive && inner.maxExclusive <= outer.maxExclusive;

/** True once leases of smaller ranges cover this one's, without a gap. */
function isReplaced(lease: Lease, leases: Lease[]): boolean {
  const whole = lease.feedRange;
  const parts = leases
    .filter((other) => other !== lease && holds(whole, other.feedRange))
    .map(({ feedRange }) => feedRange)
    .toSorted((a, b) => (a.minInclusive < b.minInclusive ? -1 : 1));
  let coveredUntil = whole.minInclusive;
  for (const part of parts) {
    if (part.minInclusive > coveredUntil) return false;
    if (part.maxExclusive > coveredUntil) coveredUntil = part.maxExclusive;
  }
  return parts.length > 0 && coveredUntil >= whole.maxExclusive;
}

/** What a continuation of the SDK's says about a part of its range. */
function continuationWithin(continuation: string | null, range: Range): string | null {
  if (continuation === null) return null;
  const token = JSON.parse(continuation) as { Continuation: (Range & object)[] };
  const parts = token.Continuation.filter(
    (part) => part.minInclusive < range.maxExclusive && range.minInclusive < part.maxExclusive,
  ).map((part) => ({
    ...part,
    minInclusive: part.minInclusive > range.minInclusive ? part.minInclusive : range.minInclusive,
    maxExclusive: part.maxExclusive < range.maxExclusive ? part.maxExclusive : range.maxExclusive,
  }));
  return JSON.stringify({ ...token, Continuation: parts });
}

/** The lease that a range begins with: free, and where the lease of the range that was split had come to. */
function freshLease(id: string, { minInclusive, maxExclusive }: Range, parent?: Lease): Lease {
  const feedRange = { minInclusive, maxExclusive };
  return {
    id,
    owner: "",
    timestamp: new Date(0).toISOString(),
    continuation: continuationWithin(parent?.continuation ?? null, feedRange),
    feedRange,
  };
}

export function cosmosLeases(container: Container, prefix: string): Leases {
  async function kept(): Promise<Lease[]> {
    const query = "SELECT * FROM c WHERE STARTSWITH(c.id, @prefix)";
    const parameters = [{ name: "@prefix", value: `${prefix}..` }];
    return (await container.items.query<Lease>({ query, parameters }).fetchAll()).resources;
  }
  async function make(fresh: Lease): Promise<Lease[]> {
    try {
      const created = await container.items.create(fresh);
      return [{ ...fresh, _etag: created.etag }];
    } catch (error) {
      // Another instance has made it in the same moment; the next round reads it.
      if (isStatus(error, 409)) return [];
      throw error;
    }
  }
  return {
    all: async (ranges) => {
      const leases = await kept();
      for (const range of ranges) {
        // Ours may be the older knowledge: what others have split is not made whole again.
        if (leases.some(({ feedRange }) => holds(range, feedRange))) continue;
        const parent = leases.find(({ feedRange }) => holds(feedRange, range));
        const id = `${prefix}..${range.minInclusive}-${range.maxExclusive}`;
        leases.push(...(await make(freshLease(id, range, parent))));
      }
      const wholes = leases.filter((lease) => isReplaced(lease, leases));
      // Its owner learns it at its next write.
      for (const { id } of wholes) await deleteIfThere(container, id);
      return leases.filter((lease) => !wholes.includes(lease));
    },
    write: async (lease, change) => {
      const next = { ...withoutSystemFields(lease), ...change };
      try {
        const condition = lease._etag ?? "";
        const { etag } = await container
          .item(lease.id, lease.id)
          .replace(next, { accessCondition: { type: "IfMatch", condition } });
        return { ...next, _etag: etag };
      } catch (error) {
        if (isStatus(error, 404, 412)) return undefined;
        throw error;
      }
    },
  };
}

async function deleteIfThere(container: Container, id: string): Promise<void> {
  try {
    await container.item(id, id).delete();
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  }
}

/** The leases this instance should try to take now: its fair share, expired ones first, else one of the richest's. */
export function leasesToTake(
  leases: Lease[],
  self: string,
  nowMs: number,
  expirationMs: number,
): Lease[] {
  const isFree = (lease: Lease) =>
    lease.owner === "" || Date.parse(lease.timestamp) + expirationMs < nowMs;
  const byOwner = new Map<string, Lease[]>([[self, []]]);
  const free: Lease[] = [];
  for (const lease of leases) {
    if (isFree(lease)) free.push(lease);
    else byOwner.set(lease.owner, [...(byOwner.get(lease.owner) ?? []), lease]);
  }
  const mine = byOwner.get(self)?.length ?? 0;
  const missing = Math.ceil(leases.length / byOwner.size) - mine;
  if (missing <= 0) return [];
  if (free.length > 0) return free.slice(0, missing);
  const richest = [...byOwner.values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
  return richest.length > mine + 1 ? richest.slice(0, 1) : [];
}
