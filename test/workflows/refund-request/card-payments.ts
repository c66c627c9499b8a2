// A provider to copy: card payments under an idempotency key, with promises like Stripe's.
//
//   payments.refund.v1   POST /v1/refunds
//
// Its documentation promises: the first answer under a key is stored for a day, errors included, and repeated with
// `Idempotent-Replayed: true`; under a key that is still kept nothing is done twice; a refund shows the `operation` that its
// request named. It promises nothing of the meaning of its errors beside 402 (the charge cannot be refunded) and 429 (too many
// requests, nothing was begun), so no other answer proves anything: a person looks.
import { z } from "zod";
import { digestOf } from "../../../shared/domain/canonical-json.ts";
import type { Contract } from "../../../shared/domain/contract.ts";
import { defineAction, type Provider } from "../../../shared/domain/definitions.ts";
import { answerOf, provesNothing, Said } from "../../../shared/providers/answer-of.ts";
import { httpPoster } from "../../../shared/providers/http-call.ts";

const Refund = z.strictObject({ charge: z.string(), amount: z.string(), currency: z.string() });

export const refund = defineAction({
  name: "payments.refund.v1",
  payload: Refund,
  provider: "card-payments",
  consequence: "Refunded twice, the customer has the money twice.",
  // This team lets it go out by itself below its workflow's limit; without this line each one asks a person.
  autonomy: "auto",
});

export const contract: Contract = {
  revision: 1,
  idempotency: {
    keyHeader: "Idempotency-Key",
    keyAlphabet: "A-Za-z0-9_-",
    keyLengthMax: 255,
    retentionMs: 24 * 3_600_000,
    marginMs: 15 * 60_000,
    storesErrors: true,
  },
  answers: {
    codePath: ["error", "type"],
    refusals: [{ status: 402, code: "charge_not_refundable" }],
    notApplied: [{ status: 429 }],
    replayMarker: { header: "Idempotent-Replayed", value: "true" },
  },
  horizonMs: 60_000,
  callTimeoutMs: 10_000,
  consequence: "Under its key the provider repeats its answer; after a day it refunds again.",
};

/** What the provider says that it did: a receipt is bound to this, and never to what was asked for. */
const Done = z.object({ id: Said, operation: Said, charge: Said, amount: Said, currency: Said });

export function cardPayments(options: { baseUrl: string; token: string }): Provider {
  const replayMarker = contract.answers?.replayMarker;
  const poster = httpPoster({ provider: "card-payments", ...options, replayMarker });
  return {
    name: "card-payments",
    apiVersion: "v1",
    contract,
    accountOf: (tenantId) => tenantId,
    async send({ account, action, binding, payload, providerKey, timeoutMs }) {
      const asked = Refund.safeParse(payload).data;
      if (action !== refund.name || asked === undefined || providerKey === undefined) {
        return {
          kind: "notSent",
          reason: `this is no payload of ${refund.name}, or it has no key`,
        };
      }
      const heard = await poster.post({
        path: ["v1", "refunds"],
        headers: { "idempotency-key": providerKey, account },
        body: { ...asked, operation: binding.operationId },
        timeoutMs,
      });
      return answerOf(heard, contract, (answered) => {
        const done = Done.safeParse(answered.body).data;
        if (done === undefined) return provesNothing(answered, "a refund without its operation");
        const { id, operation: operationId, ...echoed } = done;
        const boundTo = { operationId, target: done.charge, payloadDigest: digestOf(echoed) };
        return {
          kind: "receipt",
          receipt: { stage: "delivered", providerId: id, boundTo, content: { id } },
        };
      });
    },
  };
}
