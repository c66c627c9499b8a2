// Checkout.com: payments and their actions (/payments, captures, refunds, voids, /transfers), in production.
//
// https://www.checkout.com/docs/developer-resources/api/idempotency promises: the header `Cko-Idempotency-Key`; keys expire
// after 24 hours by default in production, and the request is then processed as normal; the same key gets the same
// status and body if the original was processed; one that could not be processed is not stored; of several at the same
// time one is processed and the others get 429.
//
// Not relied on, because not promised or not everywhere: the sandbox (its keys were once kept for 120 s; give it a contract
// of its own), a limit to the key (a UUID, 36 characters, is recommended, so no more is sent), any marker of a repeated
// answer, and that a 429 was not applied: a copy of this very request may be what is running. The horizon is our own guess.
import type { Contract } from "../../domain/contract.ts";

export const checkoutCom: Contract = {
  revision: 1,
  idempotency: {
    keyHeader: "Cko-Idempotency-Key",
    keyAlphabet: "A-Za-z0-9-",
    keyLengthMax: 36,
    retentionMs: 24 * 3_600_000,
    marginMs: 3_600_000,
    storesErrors: false,
  },
  horizonMs: 600_000,
  callTimeoutMs: 60_000,
  consequence:
    "Under its key the payment is taken once; after 24 hours the same key takes it again.",
};
