// What was asked and what came of it: the last hundred thousand requests, and counts since the start.
// Tests and the developer's page read it through `/_local/log` and `/_local/counts`.
import type { OperationRecord, RequestKind } from "../protocol/exchange.ts";

export interface LogEntry {
  n: number;
  atMs: number;
  method: string;
  kind: RequestKind;
  container: string;
  partitionKey: string;
  operations?: OperationRecord[];
  /** 0: the server closed the connection, or never answered, by a fault rule. */
  status: number;
  charge: number;
  ms: number;
  userAgent: string;
  fault?: string;
}

export interface Count {
  container: string;
  kind: RequestKind;
  status: number;
  count: number;
  charge: number;
}

export interface RequestLog {
  add(entry: Omit<LogEntry, "n">): void;
  read(after: number, limit: number): { entries: LogEntry[]; last: number };
  counts(): Count[];
}

const ENTRIES_MAX = 100_000;

export function openRequestLog(): RequestLog {
  let entries: LogEntry[] = [];
  let last = 0;
  const counts = new Map<string, Count>();
  return {
    add: (entry) => {
      last += 1;
      entries.push({ n: last, ...entry });
      if (entries.length > ENTRIES_MAX * 1.1) entries = entries.slice(-ENTRIES_MAX);
      const { container, kind, status } = entry;
      const key = `${container}|${kind}|${status}`;
      const count = counts.get(key) ?? { container, kind, status, count: 0, charge: 0 };
      count.count += 1;
      count.charge = Math.round((count.charge + entry.charge) * 100) / 100;
      counts.set(key, count);
    },
    read: (after, limit) => {
      const first = entries[0]?.n ?? 1;
      const from = Math.max(0, after + 1 - first);
      return { entries: entries.slice(from, from + limit), last };
    },
    counts: () => [...counts.values()],
  };
}
