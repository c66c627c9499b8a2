// The rules decider: what a careful clerk would propose. Pure; amounts in whole cents.
//
// It sees what earlier effects of the case came to, and never asks for the same again: what a refused or already
// requested credit note means is for a person.
import type { DecideView, Decision } from "../../domain/definitions.ts";
import { InvoiceFacts } from "./facts.ts";

/** Above this a person decides. */
const varianceCentsMax = 10_000_00;
/** One per cent of what was ordered is not worth a supplier's time. */
const tolerancePerHundred = 1;

export function decideByRules(view: DecideView): Decision {
  const facts = InvoiceFacts.parse(view.facts);
  const requested = view.effects.find(
    (effect) => effect.action === "portal.request_credit_note.v1" && effect.status !== "cancelled",
  );
  if (requested !== undefined) {
    return {
      kind: "hold",
      why: `the facts stand against a credit note that is ${requested.status}`,
    };
  }
  if (facts.withdrawn === true) {
    const why = "the exception was withdrawn";
    return { kind: "plan", why, actions: [], nextStatus: "withdrawn", notifications: [] };
  }
  const { billed, ordered } = facts;
  if (billed === undefined || ordered === undefined) {
    return { kind: "wait", why: "the exception itself has not arrived yet" };
  }
  if (facts.reason === "missing_purchase_order") {
    return { kind: "hold", why: "there is no purchase order to compare with" };
  }
  const varianceCents = centsOf(billed) - centsOf(ordered);
  if (varianceCents > varianceCentsMax) {
    return { kind: "hold", why: "the variance is above what may be claimed without a person" };
  }
  if (varianceCents <= 0) return approve(facts, "approved", "nothing was billed above the order");
  if (varianceCents * 100 <= centsOf(ordered) * tolerancePerHundred) {
    return approve(facts, "approved_within_tolerance", "the variance is within one per cent");
  }
  return claimBack(facts, varianceCents);
}

function approve(facts: InvoiceFacts, state: string, why: string): Decision {
  const { invoice } = facts;
  const marked = { action: "portal.mark_invoice.v1", target: invoice, payload: { invoice, state } };
  return { kind: "plan", why, actions: [marked], nextStatus: "approved", notifications: [] };
}

function claimBack(facts: InvoiceFacts, varianceCents: number): Decision {
  const { invoice, currency = "", reason = "", accountOwnerEmail, supplier = "" } = facts;
  const amount = textOf(varianceCents);
  const creditNote = { invoice, amount, currency, reason };
  const mark = { invoice, state: "credit_requested" };
  return {
    kind: "plan",
    why: `${amount} ${currency} were billed above the order`,
    actions: [
      { action: "portal.request_credit_note.v1", target: invoice, payload: creditNote },
      { action: "portal.mark_invoice.v1", target: invoice, payload: mark },
    ],
    nextStatus: "credit_requested",
    notifications:
      accountOwnerEmail === undefined
        ? []
        : [
            {
              action: "email.send_notification.v1",
              target: accountOwnerEmail,
              payload: {
                to: accountOwnerEmail,
                subject: `Credit note requested for ${invoice}`,
                text: `We asked ${supplier} for a credit note of ${amount} ${currency} on invoice ${invoice}.`,
              },
            },
          ],
  };
}

function centsOf(amount: string): number {
  const [whole = "0", fraction = ""] = amount.split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

function textOf(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}
