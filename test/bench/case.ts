// The one case that is measured: an invoice exception by a signed webhook, two effects at the portal in their order, the
// commit, and the account owner told by email. The email provider's own answer is the end: the notification is recorded.
import { signature } from "../../local/start/run/feed.ts";

export interface BenchCase {
  invoice: string;
  owner: string;
  deliveryId: string;
  body: string;
}

export const actionsOfCase = [
  "portal.request_credit_note.v1",
  "portal.mark_invoice.v1",
  "email.send_notification.v1",
] as const;

/** `run` keeps the cases of one run apart from those of any other on the same providers. */
export function benchCase(run: string, number: number): BenchCase {
  const invoice = `INV-${run}-${number}`;
  const owner = `owner-${run}-${number}@acme.example`;
  const data = {
    invoice,
    supplier: "Contoso Paper",
    supplierAccount: "SUP-77",
    purchaseOrder: "PO-9001",
    currency: "EUR",
    billed: "1249.00",
    ordered: "1199.00",
    reason: "price_variance",
    accountOwnerEmail: owner,
  };
  const event = { type: "invoice.exception.raised", timestamp: "2026-11-29T10:00:00Z", data };
  return { invoice, owner, deliveryId: `dlv-${run}-${number}`, body: JSON.stringify(event) };
}

/** Posts it as its sender would; throws unless it was taken. */
export async function postCase(
  url: string,
  secret: string,
  { body, deliveryId }: BenchCase,
  headers: Record<string, string> = {},
): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      ...signature(secret, deliveryId, body),
      ...headers,
    },
  });
  const answer = await response.text();
  if (response.status !== 202) throw new Error(`${deliveryId}: ${response.status} ${answer}`);
}
