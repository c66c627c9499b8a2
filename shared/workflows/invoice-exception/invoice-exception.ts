// The first article's own case: an invoice that does not match its purchase order.
//
// Facts come from three events of the tenant's own system; the rules decider proposes, the protocol commits.
// How to write your own: ../README.md.
//
//   open -> credit_requested     a credit note was requested, the invoice marked, the owner told
//   open -> approved             nothing to claim back, or too little
//   open -> withdrawn            the tenant's system took the exception back
import { defineWorkflow } from "../../domain/define-workflow.ts";
import type { DecideContext } from "../../domain/definitions.ts";
import { decideByRules } from "./decide-by-rules.ts";
import {
  Amended,
  invoiceActions,
  InvoiceFacts,
  Raised,
  Withdrawn,
  type InvoiceDecision,
  type InvoiceView,
} from "./facts.ts";

type Decider = (
  view: InvoiceView,
  context: DecideContext,
) => InvoiceDecision | Promise<InvoiceDecision>;

export const invoiceExceptionBy = (decide: Decider) =>
  defineWorkflow({
    type: "invoice-exception",
    revision: 1,
    facts: InvoiceFacts,
    actions: invoiceActions,
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
    externalRefOf: ({ invoice }) => invoice,
    /**
     * Newer tells over what is known. Older fills in only what is still missing: an amendment that overtook its
     * own exception keeps its amount, and the exception brings the rest.
     */
    fold(facts, { data, type }, { older }) {
      const withdrawn = type === "invoice.exception.withdrawn" ? { withdrawn: true } : {};
      const told = { ...data, ...withdrawn };
      return older ? { ...told, ...facts } : { ...facts, ...told };
    },
    decide,
  });

export const invoiceException = invoiceExceptionBy(decideByRules);
