// What tries the refund with workers that are killed and frozen: its adapter, one thing to do, and a stand-in for the provider.
//
//   npm run crash -- --action payments.refund.v1 --from test/workflows/refund-request/subjects.ts
import { z } from "zod";
import { keyedStandIn } from "../../crash/real/keyed-stand-in.ts";
import type { StandIn, Subject } from "../../crash/real/subject.ts";
import { cardPayments, refund } from "./card-payments.ts";

export const subjects: readonly Subject[] = [
  {
    action: refund,
    provider: (baseUrl) => cardPayments({ baseUrl, token: "test-token" }),
    example: (tag) => {
      const charge = `ch-${tag}`;
      return { target: charge, payload: { charge, amount: "12.50", currency: "EUR" } };
    },
    startStandIn: startPayments,
  },
];

const Asked = z.object({
  operation: z.string(),
  charge: z.string(),
  amount: z.string(),
  currency: z.string(),
});

/** Keeps the provider's promise about keys, and a journal of what it has refunded. */
export function startPayments(): Promise<StandIn> {
  return keyedStandIn((body, n) => {
    const { operation: operationId, ...payload } = Asked.parse(body);
    const providerId = `re-${n}`;
    return {
      done: { action: refund.name, operationId, target: payload.charge, payload, providerId },
      answer: { id: providerId, operation: operationId, ...payload },
    };
  });
}
