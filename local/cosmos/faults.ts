// The typed client of the server's own API (`/_local/...`): inject faults, read the request log,
// move the clock, split a partition. It needs no key and answers on the loopback address only.
//
//   const cosmos = localCosmos(endpoint);
//   await cosmos.inject({ match: { kind: "batch" }, fault: "dropAfterCommit", times: 1 });
import type { Count, LogEntry } from "./observe/request-log.ts";
import type { RequestKind } from "./protocol/exchange.ts";

export type Fault =
  /** The connection is closed and nothing is done. */
  | "dropBefore"
  /** The request is carried out, then the connection is closed instead of an answer. */
  | "dropAfterCommit"
  /** The request is carried out and never answered. */
  | "hangAfterCommit"
  /** The request is carried out and the answer breaks off in the middle. */
  | "halfBody"
  /** Never answered; carried out `delayMs` from now. */
  | "landLater"
  /** Answered with `status`, before anything is done, or `afterCommit`. */
  | "status"
  /** Carried out and answered `delayMs` late: it waits first, then is carried out. */
  | "delay"
  /** A read, query or feed sees its scope as it was `versions` transactions ago. */
  | "staleReads";

export interface FaultRule {
  match?: {
    kind?: RequestKind | RequestKind[];
    container?: string;
    partitionKeyContains?: string;
    userAgentContains?: string;
    bodyContains?: string;
  };
  fault: Fault;
  /** How often it fires; without it, until the rules are cleared. */
  times?: number;
  probability?: number;
  seed?: number;
  delayMs?: number;
  status?: number;
  substatus?: number;
  retryAfterMs?: number;
  afterCommit?: boolean;
  versions?: number;
}

export interface FaultRuleState extends FaultRule {
  remaining: number | null;
  fired: number;
}

export interface LocalCosmos {
  inject(...rules: FaultRule[]): Promise<void>;
  clearFaults(): Promise<void>;
  faults(): Promise<FaultRuleState[]>;
  log(after?: number, limit?: number): Promise<{ entries: LogEntry[]; last: number }>;
  counts(): Promise<Count[]>;
  /** Runs the server's clock this much ahead (or, negative, behind). */
  skewClock(skewMs: number): Promise<void>;
  /** Splits a physical partition in two; requests for the old one then answer 410/1002. */
  splitPartition(container: string, rangeId: string): Promise<void>;
}

export function localCosmos(endpoint: string): LocalCosmos {
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(new URL(`/_local/${path}`, endpoint), {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /_local/${path}: ${response.status} ${text}`);
    return JSON.parse(text) as unknown;
  };
  return {
    inject: async (...rules) => void (await call("POST", "faults", rules)),
    clearFaults: async () => void (await call("DELETE", "faults")),
    faults: async () => (await call("GET", "faults")) as FaultRuleState[],
    log: async (after = 0, limit = 1000) =>
      (await call("GET", `log?after=${after}&limit=${limit}`)) as {
        entries: LogEntry[];
        last: number;
      },
    counts: async () => (await call("GET", "counts")) as Count[],
    skewClock: async (skewMs) => void (await call("POST", "clock", { skewMs })),
    splitPartition: async (container, rangeId) =>
      void (await call("POST", "split", { container, rangeId })),
  };
}
