// The supplier portal's own webhooks: what became of a credit note.
//
//   {"type": "credit_note.issued", "data": {"id", "idempotencyKey", "invoice", "amount", "currency"}}
//
// They echo neither case nor operation: all that names the effect is the key that it was sent under. What they repeat of
// the payload must be what was sent; a key that leads to another invoice or amount proves nothing of ours.
import { z } from "zod";
import type { ProviderReport } from "../domain/definitions.ts";
import { Said } from "./answer-of.ts";

const CreditNote = z.object({
  id: Said,
  idempotencyKey: z.string().min(1).max(64),
  invoice: Said,
  amount: Said,
  currency: Said,
});

const stages: Readonly<Record<string, ProviderReport["stage"]>> = {
  "credit_note.accepted": "accepted",
  "credit_note.issued": "delivered",
};

export function portalReport(body: { type: string; data: unknown }): ProviderReport | undefined {
  const stage = Object.hasOwn(stages, body.type) ? stages[body.type] : undefined;
  const told = CreditNote.safeParse(body.data).data;
  if (stage === undefined || told === undefined) return undefined;
  const { id, idempotencyKey, ...echoed } = told;
  const about = { kind: "providerKey", providerKey: idempotencyKey } as const;
  return { about, providerId: id, stage, echoed };
}
