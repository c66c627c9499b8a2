// Checkout.com: payments and their actions (/payments, captures, refunds, voids, /transfers).
//
// https://www.checkout.com/docs/payments/manage-payments/retry-a-payment (of January 2026) promises: the header
// `Cko-Idempotency-Key`; keys expire after 24 hours by default, in the sandbox too, and the request is then processed as normal; the
// key is kept if the answer was a 2xx, and the same key then gets the same status and body. After a 4xx or 5xx nothing is kept, and
// the payment is attempted anew: so an error that was heard ends what the key protects, and goes to a person.
// Of several at once one is processed and the others are turned away: with 409, says
// https://support.checkout.com/hc/en-us/articles/24570669653010; with 429 earlier, which is a rate limit now.
//
// Relied on in its own words: a retry after a network error or a time-out is safe.
// Not relied on, because not promised: a limit to the key (a UUID, 36 characters, is recommended, so no more is sent), any marker
// of a repeated answer, and that a 409 or 429 was not applied: a copy of this very request may be what is running. An account's
// window can be changed on request: whoever has a shorter one gives a contract of its own. The horizon is our own guess.
import type { Contract } from "../../domain/contract.ts";

export const checkoutCom: Contract = {
  revision: 2,
  idempotency: {
    keyHeader: "Cko-Idempotency-Key",
    keyAlphabet: "A-Za-z0-9-",
    keyLengthMax: 36,
    retentionMs: 24 * 3_600_000,
    marginMs: 3_600_000,
    storesErrors: false,
  },
  answers: { refusals: [], notApplied: [], nothingKept: { except: [409, 429] } },
  horizonMs: 600_000,
  callTimeoutMs: 60_000,
  consequence:
    "Under its key the payment is taken once; after an error, or after 24 hours, the same key takes it again.",
};
