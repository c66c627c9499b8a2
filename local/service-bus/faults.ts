// A typed client of the broker's control API, for tests and simulations.

import type { QueueCounts } from "./control/api.ts";
import type { Fault, PlannedFault } from "./control/fault-plan.ts";
import type { MessageEvent, MessageEventKind } from "./broker/message-log.ts";

export type { Fault, FaultKind, FaultOperation, PlannedFault } from "./control/fault-plan.ts";
export type { MessageEvent, MessageEventKind } from "./broker/message-log.ts";
export type { QueueCounts } from "./control/api.ts";

export type ServiceBusControl = {
  queues(): Promise<QueueCounts[]>;
  /** What happened to messages after event `n`; 0 for all that is kept. */
  log(n?: number): Promise<MessageEvent[]>;
  /** How often each kind of event has happened since the broker started. */
  counts(): Promise<Partial<Record<MessageEventKind, number>>>;
  plan(...faults: Fault[]): Promise<PlannedFault[]>;
  faults(): Promise<PlannedFault[]>;
  clearFaults(): Promise<void>;
  /** Runs the broker's clock this much ahead of the workers' (or, negative, behind). */
  skewClock(skewMs: number): Promise<void>;
};

export function serviceBusControl(controlUrl: string): ServiceBusControl {
  async function call<Result>(method: string, path: string, body?: unknown): Promise<Result> {
    const response = await fetch(new URL(path, controlUrl), {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const result: unknown = await response.json();
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(result)}`);
    return result as Result;
  }
  return {
    queues: () => call("GET", "/queues"),
    log: (n = 0) => call("GET", `/log?after=${n}`),
    counts: () => call("GET", "/counts"),
    plan: (...faults) => call("POST", "/faults", faults),
    faults: () => call("GET", "/faults"),
    async clearFaults() {
      await call("DELETE", "/faults");
    },
    async skewClock(skewMs) {
      await call("POST", "/clock", { skewMs });
    },
  };
}
