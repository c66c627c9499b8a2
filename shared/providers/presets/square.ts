// Square: payments and other calls that take an `idempotency_key` in their body.
//
// https://developer.squareup.com/docs/build-basics/common-api-patterns/idempotency promises: the same key with the same
// request gets the first successful answer again; the same key with another request is an error; both may differ from one API
// to the next. https://developer.squareup.com/reference/square/payments-api/create-payment limits the key to 45 characters.
//
// Not relied on, because not promised: how LONG a key is kept. Asked for it, Square said in 2026 that this is not published
// (https://developer.squareup.com/forums/t/28303). Without a retention no retry is covered at any age, so this
// contract has no key as far as recovery is concerned. An adapter still sends the operation id (26 characters) as
// `idempotency_key`, which the endpoint requires anyway. Nor is a look-up by that key documented, nor that an error did nothing.
import type { Contract } from "../../domain/contract.ts";

export const square: Contract = {
  revision: 1,
  horizonMs: 600_000,
  callTimeoutMs: 60_000,
  consequence:
    "Once Square has forgotten the key, and nobody says when, a repeat takes the payment again.",
};
