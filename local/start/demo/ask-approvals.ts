// Two questions that wait for a person: hooli wants to be asked before a credit note is requested for it (the setting APPROVALS).
//
// On kept state they are asked again only when none of earlier starts is open.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { LocalAzure } from "../azure/local-azure.ts";
import { secretOf } from "../azure/sources.ts";
import { signature } from "../run/feed.ts";
import { inRun } from "../run/samples.ts";

const source = "hooli-erp";
export const askingTenant = "hooli";
const invoices = ["HL-2041", "HL-2077"];
const billed = ["5120.00", "880.50"];
const pollMs = 200;
const waitMaxMs = 20_000;

const Listed = z.object({ approvals: z.array(z.looseObject({ externalRef: z.string() })) });

/** Of every start up to this one: their effects are of no sample. */
export function demoInvoices(run: number): string[] {
  return invoices.map((invoice) => inRun(run, invoice));
}

export function ownerOf(invoice: string): string {
  return `owner-${invoice.toLowerCase()}@hooli.example`;
}

export async function openApprovals(
  { hostUrl }: Pick<LocalAzure, "hostUrl">,
  tenantId: string,
): Promise<string[]> {
  const response = await fetch(`${hostUrl}/api/approvals/${tenantId}?max=100`);
  if (!response.ok) throw new Error(`the list of approvals answered ${response.status}`);
  return Listed.parse(await response.json()).approvals.map(({ externalRef }) => externalRef);
}

export async function askApprovals(
  azure: LocalAzure,
  run: number,
  signal: AbortSignal,
): Promise<void> {
  if ((await openApprovals(azure, askingTenant)).length > 0) return;
  for (const [index, invoice] of demoInvoices(run).entries()) {
    await post(azure, invoice, billed[index] ?? "900.00");
  }
  const endMs = performance.now() + waitMaxMs;
  while ((await openApprovals(azure, askingTenant)).length < invoices.length) {
    if (performance.now() > endMs) return;
    await delay(pollMs, undefined, { signal });
  }
}

async function post(azure: LocalAzure, invoice: string, amount: string): Promise<void> {
  const body = JSON.stringify({
    type: "invoice.exception.raised",
    timestamp: new Date().toISOString(),
    data: {
      invoice,
      supplier: "Pied Piper Storage",
      supplierAccount: "SUP-9",
      purchaseOrder: "PO-771",
      currency: "EUR",
      billed: amount,
      ordered: "800.00",
      reason: "price_variance",
      accountOwnerEmail: ownerOf(invoice),
    },
  });
  const secret = secretOf(azure.secrets, source);
  const response = await fetch(`${azure.hostUrl}/api/webhooks/${source}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...signature(secret, `demo-${invoice}`, body),
    },
    body,
  });
  if (!response.ok) throw new Error(`the demo's webhook was answered ${response.status}`);
}
