// The first article's own case: an invoice that does not match its purchase order.
//
// Facts come from three events of the tenant's own system; the rules decider proposes, the protocol commits.
// Copy this file to begin a workflow of your own.
//
//   open -> credit_requested     a credit note was requested, the invoice marked, the owner told
//   open -> approved             nothing to claim back, or too little
//   open -> withdrawn            the tenant's system took the exception back
import type { z } from "zod";
import type { Facts, Workflow } from "../../domain/definitions.ts";
import type { Event } from "../../domain/records/inbox.ts";
import { decideByRules } from "./decide-by-rules.ts";
import { Amended, InvoiceFacts, Raised, Withdrawn } from "./facts.ts";

export const invoiceException: Workflow = {
  type: "invoice-exception",
  revision: 1,
  facts: InvoiceFacts as unknown as z.ZodType<Facts>,
  initialStatus: "open",
  statuses: {
    open: { final: false },
    credit_requested: { final: true },
    approved: { final: true },
    withdrawn: { final: true },
  },
  events: {
    "invoice.exception.raised": Raised,
    "invoice.purchase_order.amended": Amended,
    "invoice.exception.withdrawn": Withdrawn,
  },
  externalRefOf: (data) => Withdrawn.parse(data).invoice,
  fold,
  decide: decideByRules,
};

/**
 * Newer tells over what is known. Older fills in only what is still missing: an amendment that overtook its
 * own exception keeps its amount, and the exception brings the rest.
 */
function fold(facts: Facts, event: Event, { older }: { older: boolean }): Facts | "ignored" {
  const told = factsOf(event);
  if (told === undefined) return "ignored";
  return older ? { ...told, ...facts } : { ...facts, ...told };
}

function factsOf(event: Event): Facts | undefined {
  const data = event.body["data"] as Facts;
  switch (event.eventType) {
    case "invoice.exception.raised":
      return Raised.parse(data) as Facts;
    case "invoice.purchase_order.amended":
      return Amended.parse(data);
    case "invoice.exception.withdrawn":
      return { invoice: Withdrawn.parse(data).invoice, withdrawn: true };
    default:
      return undefined;
  }
}
