// A workflow to copy: a customer asks for a refund. The payment provider refunds it, above a limit only when a person has said
// yes; then the customer is told. shared/workflows/README.md goes through it step by step.
//
//   open -> refunded     the payment provider's receipt names this very refund; the customer was told
//   open -> declined     a person said no; the customer was told
//   open -> withdrawn    the customer took the request back before anything was sent
import { z } from "zod";
import { defineWorkflow } from "../../../shared/domain/define-workflow.ts";
import type { Decision, DecideView } from "../../../shared/domain/definitions.ts";

/** Decimal text: a number would be rounded on its way, and a grant can limit text only. */
const Amount = z.string().regex(/^\d{1,9}\.\d{2}$/, "an amount as text, like 12.50");

const Requested = z.object({
  order: z.string().min(1).max(100),
  charge: z.string().min(1).max(100),
  amount: Amount,
  currency: z.string().regex(/^[A-Z]{3}$/, "an ISO 4217 code, like EUR"),
  customerEmail: z.email().max(254),
});
const Withdrawn = z.object({ order: z.string().min(1).max(100) });

/** All that may be known, at any time: events overtake each other, so only the reference is certain. */
const Facts = Requested.partial().extend({ order: z.string(), withdrawn: z.boolean().optional() });

const actions = ["payments.refund.v1", "email.send_notification.v1"] as const;
type Refund = Decision<"open" | "refunded" | "declined" | "withdrawn", (typeof actions)[number]>;

export const askAboveCents = 100_00;

export const refundRequest = defineWorkflow({
  type: "refund-request",
  revision: 1,
  facts: Facts,
  statuses: {
    open: { final: false },
    refunded: { final: true },
    declined: { final: true },
    withdrawn: { final: true },
  },
  initialStatus: "open",
  actions,
  events: { "refund.requested": Requested, "refund.withdrawn": Withdrawn },
  externalRefOf: ({ order }) => order,
  fold(facts, { type, data }, { older }) {
    const told = { ...data, ...(type === "refund.withdrawn" ? { withdrawn: true } : {}) };
    return older ? { ...told, ...facts } : { ...facts, ...told };
  },
  decide,
});

function decide({ effects, facts, refusedBy }: DecideView<z.infer<typeof Facts>>): Refund {
  const { amount, charge, currency, customerEmail, order, withdrawn } = facts;
  // What may have been done is never asked for again: what it means now is for a person.
  const earlier = effects.find(
    ({ action, status }) => action === "payments.refund.v1" && status !== "cancelled",
  );
  if (earlier !== undefined) return { kind: "hold", why: `a refund is ${earlier.status} already` };
  const nothing = { kind: "plan", actions: [], notifications: [] } as const;
  if (withdrawn === true) return { ...nothing, why: "taken back", nextStatus: "withdrawn" };
  if (!amount || !charge || !currency || !customerEmail) {
    return { kind: "wait", why: "the request itself has not arrived yet" };
  }
  const tell = (text: string) => {
    const payload = { to: customerEmail, subject: `Your order ${order}`, text };
    return { action: "email.send_notification.v1", target: customerEmail, payload } as const;
  };
  if (refusedBy !== undefined) {
    const notifications = [tell("We cannot refund this order.")];
    return { ...nothing, why: `${refusedBy} said no`, nextStatus: "declined", notifications };
  }
  const refund = {
    action: "payments.refund.v1",
    target: charge,
    payload: { charge, amount, currency },
    asksFirst: Number(amount.replace(".", "")) > askAboveCents,
  } as const;
  return {
    kind: "plan",
    why: `${amount} ${currency} are refunded for ${order}`,
    actions: [refund],
    nextStatus: "refunded",
    // Sent once the refund is confirmed and the case is `refunded`, whatever comes after.
    notifications: [tell(`We refunded ${amount} ${currency}.`)],
  };
}
