// The typed client of the providers' /_local: order faults, read the journal.
import type { Fault, FaultOrder } from "./fault-table.ts";
import type { Entry } from "./journal.ts";

export type { Fault, FaultName, FaultOrder } from "./fault-table.ts";
export type { Action, Entry, ProviderName } from "./journal.ts";

export interface Search {
  after?: number;
  withinMs?: number;
}

export interface ProvidersClient {
  order(orders: FaultOrder[]): Promise<Fault[]>;
  faults(): Promise<Fault[]>;
  clearFaults(): Promise<void>;
  /** Answers the calls that a `hang` keeps waiting; how many there were. */
  release(): Promise<number>;
  journal(after?: number, waitMs?: number): Promise<Entry[]>;
  /** The first entry above `after` that matches; `undefined` when none comes in time. */
  find(matches: (entry: Entry) => boolean, options?: Search): Promise<Entry | undefined>;
  /** The same, for one that must come: rejects when it does not. */
  waitFor(matches: (entry: Entry) => boolean, options?: Search): Promise<Entry>;
}

export function providersClient(url: string): ProvidersClient {
  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${url}/_local${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async function journal(after = 0, waitMs = 0): Promise<Entry[]> {
    const path = `/journal?after=${after}&waitMs=${waitMs}`;
    return (await ask<{ entries: Entry[] }>("GET", path)).entries;
  }

  return {
    order: async (orders) => (await ask<{ faults: Fault[] }>("POST", "/faults", orders)).faults,
    faults: async () => (await ask<{ faults: Fault[] }>("GET", "/faults")).faults,
    clearFaults: async () => void (await ask("DELETE", "/faults")),
    release: async () => (await ask<{ released: number }>("POST", "/release")).released,
    journal,
    find,
    async waitFor(matches, search = {}) {
      const found = await find(matches, search);
      if (found === undefined) throw new Error("no such journal entry came in time");
      return found;
    },
  };

  async function find(
    matches: (entry: Entry) => boolean,
    { after = 0, withinMs = 10_000 }: Search = {},
  ): Promise<Entry | undefined> {
    const untilMs = performance.now() + withinMs;
    let seen = after;
    for (;;) {
      const leftMs = untilMs - performance.now();
      const entries = await journal(seen, Math.max(0, Math.min(1_000, leftMs)));
      const found = entries.find(matches);
      if (found !== undefined || leftMs <= 0) return found;
      seen = entries.at(-1)?.n ?? seen;
    }
  }
}
