// The leases of one change-feed function: one document per feed range in the lease container, as the change feed
// processor keeps them. A lease has an owner, a time at which the owner was last alive, and the
// continuation up to which changes were handed to the function.
//
// Every write is conditional on the lease's etag, so two instances never both believe in one lease for long. An owner that
// dies releases nothing: its leases are free once `expirationMs` has passed.
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

export function cosmosLeases(container: Container, prefix: string): Leases {
  return {
    all: async (ranges) => {
      const leases: Lease[] = [];
      for (const feedRange of ranges) {
        const id = `${prefix}..${feedRange.minInclusive}-${feedRange.maxExclusive}`;
        const { resource } = await container.item(id, id).read<Lease>();
        if (resource !== undefined) {
          leases.push(resource);
          continue;
        }
        const fresh: Lease = {
          id,
          owner: "",
          timestamp: new Date(0).toISOString(),
          continuation: null,
          feedRange: { minInclusive: feedRange.minInclusive, maxExclusive: feedRange.maxExclusive },
        };
        try {
          const created = await container.items.create(fresh);
          leases.push({ ...fresh, _etag: created.etag });
        } catch (error) {
          // Another instance has made it in the same moment; the next round reads it.
          if (!isStatus(error, 409)) throw error;
        }
      }
      return leases;
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
