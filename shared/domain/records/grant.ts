// A recorded authorization, and whether it covers an effect. Code finds it, never a model (design.md 9).
//
// A grant names a subject (the workflow), an action, a target ("*" or one), limits (the greatest decimal amount by payload
// field) and fixed fields (a currency). It may expire or be revoked. It is read before a claim and again just before the send,
// retries included (seed 2: "recheck current authorization before a new write").
import { z } from "zod";

export const Grant = z.object({
  id: z.string(),
  type: z.literal("grant"),
  schemaVersion: z.literal(1),
  tenantId: z.string(),
  subject: z.string(),
  action: z.string(),
  target: z.string(),
  /** Payload field -> greatest amount, as decimal text. */
  limits: z.record(z.string(), z.string()),
  /** Payload field -> the only text that it may have. Without a currency here a limit holds in any currency. */
  only: z.record(z.string(), z.string()).optional(),
  grantedBy: z.string(),
  grantedAtMs: z.int(),
  expiresAtMs: z.int().optional(),
  revoked: z.object({ by: z.string(), atMs: z.int(), reason: z.string() }).optional(),
});
export type Grant = z.infer<typeof Grant>;

export interface GrantNeed {
  tenantId: string;
  subject: string;
  action: string;
  target: string;
  payload: Readonly<Record<string, unknown>>;
}

const decimal = /^\d{1,15}(\.\d{1,6})?$/;

/** Whether this grant allows this effect to be sent at `nowMs` (the store's time). */
export function covers(grant: Grant, need: GrantNeed, nowMs: number): boolean {
  if (grant.revoked !== undefined) return false;
  if (grant.expiresAtMs !== undefined && grant.expiresAtMs <= nowMs) return false;
  if (grant.tenantId !== need.tenantId || grant.subject !== need.subject) return false;
  if (grant.action !== need.action) return false;
  if (grant.target !== "*" && grant.target !== need.target) return false;
  const isOnly = Object.entries(grant.only ?? {}).every(
    ([field, text]) => need.payload[field] === text,
  );
  if (!isOnly) return false;
  return Object.entries(grant.limits).every(([field, limit]) => {
    const amount = need.payload[field];
    // A limit on a field that is missing, or is no decimal text, covers nothing.
    if (typeof amount !== "string" || !decimal.test(amount) || !decimal.test(limit)) return false;
    return isAtMost(amount, limit);
  });
}

/** Compares digits: as numbers, 999999999999999.000001 and 999999999999999 would be equal. */
function isAtMost(amount: string, limit: string): boolean {
  return digitsOf(amount) <= digitsOf(limit);
}

function digitsOf(decimalText: string): string {
  const [whole = "", fraction = ""] = decimalText.split(".");
  return whole.padStart(15, "0") + fraction.padEnd(6, "0");
}
