// What the tenant's own system tells about an invoice, and what a case knows of it. Amounts are decimal text:
// a number would be rounded somewhere on its way; they are compared in whole cents.
import { z } from "zod";
import type { DecideView, Decision } from "../../domain/definitions.ts";

export const Amount = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,2})?$/, "a decimal amount as text, like 1249.00");
const invoice = z.string().min(1).max(200);

export const Raised = z.object({
  invoice,
  supplier: z.string().min(1).max(200),
  supplierAccount: z.string().min(1).max(100),
  purchaseOrder: z.string().min(1).max(100).optional(),
  currency: z.string().regex(/^[A-Z]{3}$/, "an ISO 4217 code, like EUR"),
  billed: Amount,
  ordered: Amount,
  reason: z.enum(["price_variance", "quantity_variance", "missing_purchase_order"]),
  accountOwnerEmail: z.email().max(254),
});
export const Amended = z.object({ invoice, ordered: Amount });
export const Withdrawn = z.object({ invoice });

export const InvoiceFacts = Raised.partial().extend({
  invoice,
  withdrawn: z.boolean().optional(),
});
export type InvoiceFacts = z.infer<typeof InvoiceFacts>;

export const invoiceActions = [
  "portal.request_credit_note.v1",
  "portal.mark_invoice.v1",
  "email.send_notification.v1",
] as const;
export type InvoiceStatus = "open" | "credit_requested" | "approved" | "withdrawn";
export type InvoiceView = DecideView<InvoiceFacts>;
export type InvoiceDecision = Decision<InvoiceStatus, (typeof invoiceActions)[number]>;

export function centsOf(amount: string): number {
  const [whole = "0", fraction = ""] = amount.split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

export function textOf(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}
