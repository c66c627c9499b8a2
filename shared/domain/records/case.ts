// The business record, and what was decided on it (design.md 3).
//
// Every batch replaces this document under its ETag: of two workers one gets 412 (seed 1, Break 2). `version` rises when facts or
// status change or a plan ends, and each version is decided on at most once. `lastWriteId` names the batch that wrote it,
// which settles an uncertain write.
import { z } from "zod";
import { schemaVersion } from "./evidence.ts";

/** An effect as a workflow asks for it; the protocol adds identity, key and ledger fields. */
export const ActionRequest = z.object({
  action: z.string(),
  target: z.string(),
  payload: z.record(z.string(), z.json()),
  repeats: z.string().optional(),
  compensates: z.string().optional(),
  /** Ask for an approval although the action is `auto`. False changes nothing: an action that asks still does. */
  asksFirst: z.boolean().optional(),
});
export type ActionRequest = z.infer<typeof ActionRequest>;

/** A request as a plan keeps it: with its payload frozen; a sensitive one is kept apart, under `payloadRef`. */
export const PlannedAction = ActionRequest.partial({ payload: true }).extend({
  payloadRef: z.string().optional(),
  payloadDigest: z.string().optional(),
});
export type PlannedAction = z.infer<typeof PlannedAction>;

export const Plan = z.object({
  decidedOn: z.int(),
  /** In the order in which they are sent; each waits until all before it are confirmed. */
  operationIds: z.array(z.string()),
  nextStatus: z.string(),
  /** Those of them that a person must approve before anything of the plan is sent. */
  needsApproval: z.array(z.string()).optional(),
  /** Outbox effects to be: the commit prepares them in its own batch. */
  notifications: z.array(PlannedAction),
});
export type Plan = z.infer<typeof Plan>;

export const heldReasons = [
  "DecisionHeld",
  "RepeatedIntent",
  "PayloadMismatch",
  "NoProgress",
  "UnknownWorkflow",
  "FactsInvalid",
  "EventRefused",
  "ActionRemoved",
  "Poison",
  "DeciderFailing",
] as const;
export type HeldReason = (typeof heldReasons)[number];

export const Case = z.object({
  id: z.literal("case"),
  type: z.literal("case"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  externalRef: z.string(),
  /** The source or person whose event opened or last changed the case. Who may not approve: requesters.ts. */
  requestedBy: z.string().optional(),
  workflow: z.object({ type: z.string(), revision: z.int() }),
  facts: z.record(z.string(), z.json()),
  factsDigest: z.string(),
  status: z.string(),
  version: z.int().nonnegative(),
  /** Rises with every claim and every claim given up; for logs, and for providers that enforce a fencing token. */
  fence: z.int().nonnegative(),
  plan: Plan.optional(),
  /** The one call in flight. */
  claim: z.object({ operationId: z.string(), attempt: z.int(), fence: z.int() }).optional(),
  dueAtMs: z.int().optional(),
  held: z
    .object({ reason: z.enum(heldReasons), detail: z.string(), reviewRef: z.string() })
    .optional(),
  /** The version that was last decided on; a second decision on it is refused. */
  decidedVersion: z.int().optional(),
  /** Plans decided since the last confirmed plan effect or new facts. */
  decisionsWithoutProgress: z.int().nonnegative(),
  /** Deliveries in a row that ended with their worker. Counted before the work; any batch after it starts anew. */
  crashes: z.int().positive().optional(),
  /** Failures of the decider on this version, and when it is asked again. */
  decideRetry: z
    .object({
      version: z.int(),
      transient: z.int().nonnegative(),
      defects: z.int().nonnegative(),
      notBeforeMs: z.int(),
    })
    .optional(),
  /** Open contradictions: while any is open, no plan claim and no decision. */
  contradictionsOpen: z.int().nonnegative(),
  /** How many reviews were ever opened: the last part of their ids. */
  reviewCount: z.int().nonnegative(),
  /** The newest order key folded from each source. */
  orderKeys: z.record(z.string(), z.string()),
  openedAtMs: z.int(),
  /** When intake received the event that was folded last; the time to commit is measured from here. */
  eventReceivedAtMs: z.int().optional(),
  erased: z.object({ by: z.string(), atMs: z.int() }).optional(),
  lastWriteId: z.string(),
});
export type Case = z.infer<typeof Case>;

/** While it is held nothing is decided, and nothing of its plan is claimed. Its outbox goes on. */
export function isPlanHeld({ contradictionsOpen, held }: Case): boolean {
  return held !== undefined || contradictionsOpen > 0;
}
