// The ways in which the providers can be told to misbehave, and what each one means.
//
// A fault waits for the first call that it matches, fires `times` times, and is then spent. What it
// does is two words of the table below: whether the request is applied, and what the caller hears.
// The pairs that matter are those where the two disagree: applied but unheard, heard but not applied.
// Faults live in memory: a restarted provider is a well-behaved one.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Action, ProviderName } from "./journal.ts";

/** `late`: after `delayMs`. `hold`: not until released, or the caller hangs up. */
export interface Conduct {
  apply: "now" | "late" | "no";
  answer: "own" | "late" | "drop" | "hold" | "substitute";
}

export const conducts = {
  commitThenDrop: { apply: "now", answer: "drop" },
  answerLate: { apply: "now", answer: "late" },
  applyLate: { apply: "late", answer: "drop" },
  errorAfterCommit: { apply: "now", answer: "substitute" },
  tooManyRequests: { apply: "no", answer: "substitute" },
  refuse: { apply: "no", answer: "substitute" },
  unavailable: { apply: "no", answer: "substitute" },
  down: { apply: "no", answer: "drop" },
  hang: { apply: "now", answer: "hold" },
  hangBefore: { apply: "no", answer: "hold" },
  /** Somebody else closed the case: 409, whoever that was. */
  foreignCloser: { apply: "no", answer: "substitute" },
  /** Somebody else's task whose marker contains ours, while our own call is lost. */
  foreignMarker: { apply: "no", answer: "drop" },
  redirect: { apply: "no", answer: "substitute" },
  garbage: { apply: "now", answer: "substitute" },
  hugeBody: { apply: "now", answer: "substitute" },
} as const satisfies Record<string, Conduct>;

export type FaultName = keyof typeof conducts;
const faultNames = Object.keys(conducts) as [FaultName, ...FaultName[]];

export const FaultOrder = z.strictObject({
  provider: z.enum(["supplier-portal", "email", "crm", "task-board"]).optional(),
  action: z
    .enum([
      "portal.request_credit_note.v1",
      "portal.mark_invoice.v1",
      "email.send_notification.v1",
      "crm.close_case.v1",
      "tasks.create_welcome_task.v1",
    ])
    .optional(),
  target: z.string().optional(),
  account: z.string().optional(),
  fault: z.enum(faultNames),
  times: z.int().min(1).default(1),
  delayMs: z.int().min(0).max(600_000).optional(),
  /** The `retry-after` header as it is sent: seconds, a date, or nonsense. */
  retryAfter: z.union([z.string(), z.number()]).optional(),
  /** What this call makes is not shown by the provider's search for so long. */
  searchLagMs: z.int().min(0).optional(),
  status: z.int().min(200).max(599).optional(),
  reason: z.string().optional(),
});
export type FaultOrder = z.input<typeof FaultOrder>;

export type Fault = z.output<typeof FaultOrder> & { id: string; remaining: number; fired: number };

export interface CallFacts {
  provider: ProviderName;
  action: Action;
  target: string;
  account: string;
}

export interface FaultTable {
  add(orders: z.output<typeof FaultOrder>[]): Fault[];
  list(): Fault[];
  clear(): void;
  /** The first unspent fault that matches, counted as fired. */
  take(call: CallFacts): Fault | undefined;
}

export function faultTable(): FaultTable {
  let faults: Fault[] = [];

  function matches(fault: Fault, call: CallFacts): boolean {
    return (
      fault.remaining > 0 &&
      (fault.provider ?? call.provider) === call.provider &&
      (fault.action ?? call.action) === call.action &&
      (fault.target ?? call.target) === call.target &&
      (fault.account ?? call.account) === call.account
    );
  }

  return {
    add(orders) {
      const added = orders.map((order) => ({
        ...order,
        id: randomUUID(),
        remaining: order.times,
        fired: 0,
      }));
      faults.push(...added);
      return added;
    },
    list: () => faults,
    clear() {
      faults = [];
    },
    take(call) {
      const fault = faults.find((candidate) => matches(candidate, call));
      if (fault === undefined) return undefined;
      fault.remaining -= 1;
      fault.fired += 1;
      return fault;
    },
  };
}
