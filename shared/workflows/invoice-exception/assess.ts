// What the rules make of an exception, and the plans that may follow. Pure; amounts in whole cents.
//
//   settled   a wait, a hold, or an end without an effect: nothing to weigh
//   approve   nothing to claim back, or too little
//   claim     a credit note, of at most the variance
//
// Every decider of this workflow starts here, so none can plan what the rules do not permit. The rules see what earlier
// effects of the case came to, and never ask for the same again: what a refused or already requested credit
// note means is for a person.
import {
  centsOf,
  textOf,
  type InvoiceDecision,
  type InvoiceFacts,
  type InvoiceView,
} from "./facts.ts";

export type Assessment =
  | { kind: "settled"; decision: InvoiceDecision }
  | { kind: "approve"; facts: InvoiceFacts; state: string; why: string }
  | { kind: "claim"; facts: InvoiceFacts; varianceCents: number; toleranceCents: number };

/** Above this a person decides. */
const varianceCentsMax = 10_000_00;
/** One per cent of what was ordered is not worth a supplier's time. */
const tolerancePerHundred = 1;

export function assess(view: InvoiceView): Assessment {
  const { facts } = view;
  const requested = view.effects.find(
    (effect) => effect.action === "portal.request_credit_note.v1" && effect.status !== "cancelled",
  );
  if (requested !== undefined) {
    return hold(`the facts stand against a credit note that is ${requested.status}`);
  }
  if (view.refusedBy !== undefined) return hold(`${view.refusedBy} refused what the rules ask for`);
  if (facts.withdrawn === true) {
    const why = "the exception was withdrawn";
    const nextStatus = "withdrawn";
    const decision = { kind: "plan", why, actions: [], nextStatus, notifications: [] } as const;
    return { kind: "settled", decision };
  }
  const { billed, ordered } = facts;
  if (billed === undefined || ordered === undefined) {
    const why = "the exception itself has not arrived yet";
    return { kind: "settled", decision: { kind: "wait", why } };
  }
  if (facts.reason === "missing_purchase_order") {
    return hold("there is no purchase order to compare with");
  }
  const varianceCents = centsOf(billed) - centsOf(ordered);
  if (varianceCents > varianceCentsMax) {
    return hold("the variance is above what may be claimed without a person");
  }
  if (varianceCents <= 0) {
    return { kind: "approve", facts, state: "approved", why: "nothing was billed above the order" };
  }
  const toleranceCents = Math.floor((centsOf(ordered) * tolerancePerHundred) / 100);
  if (varianceCents <= toleranceCents) {
    const why = "the variance is within one per cent";
    return { kind: "approve", facts, state: "approved_within_tolerance", why };
  }
  return { kind: "claim", facts, varianceCents, toleranceCents };
}

function hold(why: string): Assessment {
  return { kind: "settled", decision: { kind: "hold", why } };
}

export function approve({ facts, state, why }: Assessment & { kind: "approve" }): InvoiceDecision {
  const { invoice } = facts;
  const action = "portal.mark_invoice.v1";
  const marked = { action, target: invoice, payload: { invoice, state } } as const;
  return { kind: "plan", why, actions: [marked], nextStatus: "approved", notifications: [] };
}

/** `note` is added to what the account's owner is told. */
export function claimBack(
  facts: InvoiceFacts,
  claimed: { amountCents: number; note?: string },
): InvoiceDecision {
  const { invoice, currency = "", reason = "", accountOwnerEmail, supplier = "" } = facts;
  const amount = textOf(claimed.amountCents);
  const creditNote = { invoice, amount, currency, reason };
  const mark = { invoice, state: "credit_requested" };
  const told = `We asked ${supplier} for a credit note of ${amount} ${currency} on invoice ${invoice}.`;
  const text = claimed.note === undefined ? told : `${told}\n\nNote: ${claimed.note}`;
  const subject = `Credit note requested for ${invoice}`;
  return {
    kind: "plan",
    why: `${amount} ${currency} are claimed of what was billed above the order`,
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
              payload: { to: accountOwnerEmail, subject, text },
            },
          ],
  };
}
