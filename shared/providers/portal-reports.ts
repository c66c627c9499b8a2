// The supplier portal's own webhooks: what became of a credit note.
//
//   {"type": "credit_note.issued", "data": {"id", "idempotencyKey", "invoice", "amount", "currency"}}
//
// They echo neither case nor operation: all that names the effect is the key that it was sent under. What they repeat of
// the payload must be what was sent; a key that leads to another invoice or amount proves nothing of ours.
import { z } from "zod";
import type { ProviderReport } from "../domain/definitions.ts";
import { Said } from "./answer-of.ts";
import { readWebhook } from "./read-webhook.ts";

const Keyed = z.object({ idempotencyKey: z.string().min(1).max(64) });
const CreditNote = Keyed.extend({
  id: Said,
  invoice: Said,
  amount: Said,
  currency: Said,
});

const stages: Readonly<Record<string, ProviderReport["stage"]>> = {
  "credit_note.accepted": "accepted",
  "credit_note.issued": "delivered",
  // By the supplier, who has looked at what the portal took.
  "credit_note.declined": "failed",
};

export function portalReport(body: { type: string; data: unknown }): ProviderReport | undefined {
  const stage = Object.hasOwn(stages, body.type) ? stages[body.type] : undefined;
  // Without a key it is about what somebody made by hand.
  if (stage === undefined || !Keyed.safeParse(body.data).success) return undefined;
  const { id, idempotencyKey, ...echoed } = readWebhook("supplier-portal", CreditNote, body.data);
  const about = { kind: "providerKey", providerKey: idempotencyKey } as const;
  return { about, providerId: id, stage, echoed };
}
