// The text of local/samples/*.json: what one sample says, and what is expected of it.
import { z } from "zod";
import { conducts } from "../../providers/fault-table.ts";
import type { Action, FaultName } from "../../providers/faults.ts";

const ActionName = z.enum([
  "portal.request_credit_note.v1",
  "portal.mark_invoice.v1",
  "email.send_notification.v1",
  "crm.close_case.v1",
  "tasks.create_welcome_task.v1",
]) satisfies z.ZodType<Action>;

const faultNames = Object.keys(conducts) as [FaultName, ...FaultName[]];

/** What a delivery waits for: another one's answer, or its case in a status ("held" included). */
export const Condition = z.union([
  z.strictObject({ answered: z.string() }),
  z.strictObject({ status: z.string() }),
]);
export type Condition = z.infer<typeof Condition>;

export const Delivery = z.strictObject({
  id: z.string(),
  type: z.string(),
  /** When it happened at the source, after the first event of its case. */
  offsetMs: z.int().default(0),
  data: z.looseObject({
    /** One of the two names the case. */
    invoice: z.string().optional(),
    crmCase: z.string().optional(),
    customer: z.string().optional(),
    accountOwnerEmail: z.string().optional(),
  }),
  atOnce: z.int().min(1).default(1),
  laterCopies: z.strictObject({ count: z.int().min(1), after: Condition }).optional(),
  after: Condition.optional(),
});
export type Delivery = z.infer<typeof Delivery>;

export const SampleText = z.strictObject({
  name: z.string(),
  story: z.string(),
  source: z.string(),
  /** Of the webhook secret; absent: the one in use. */
  secret: z.string().optional(),
  deliveries: z.array(Delivery).min(1),
  faults: z
    .array(
      z.strictObject({
        action: ActionName,
        fault: z.enum(faultNames),
        times: z.int().min(1).default(1),
        delayMs: z.int().optional(),
        searchLagMs: z.int().optional(),
        retryAfter: z.union([z.string(), z.number()]).optional(),
        reason: z.string().optional(),
      }),
    )
    .default([]),
  /** The worker gets SIGKILL when the provider's journal shows this; never by time. */
  kill: z.strictObject({ onAction: ActionName, when: z.enum(["received", "applied"]) }).optional(),
});
export type SampleText = z.infer<typeof SampleText>;

export const Intent = z.strictObject({
  action: ActionName,
  target: z.string(),
  /** How often the world changed. */
  applied: z.union([z.literal(0), z.literal(1)]),
  /** How often the provider was asked. */
  sends: z.union([z.int(), z.strictObject({ min: z.int(), max: z.int() })]),
  amount: z.string().optional(),
  state: z.string().optional(),
});
export type Intent = z.infer<typeof Intent>;

export const Expected = z.strictObject({
  /** Nothing went wrong and nothing came out of order: its writes are counted exactly. */
  faultFree: z.boolean(),
  /** Of the case, or "held". */
  status: z.string(),
  inReview: z.boolean(),
  effects: z.strictObject({
    confirmed: z.int(),
    rejected: z.int(),
    unknown: z.int(),
    cancelled: z.int(),
  }),
  intents: z.array(Intent),
});
export type Expected = z.infer<typeof Expected>;
