// Stripe, API v1: POST requests, in one account.
//
// https://docs.stripe.com/api/idempotent_requests promises: the header `Idempotency-Key`, up to 255 characters; the first
// result is stored under the key once execution has begun, whether it succeeded or failed, 500 included; a key may be removed once
// it is at least 24 hours old, and is then a new request; what failed validation, or met another request running under its key,
// is not stored and may be sent again. https://docs.stripe.com/error-low-level: so are 429, 401 and most 400s, which come first.
// A repeated result carries `Idempotent-Replayed: true` (not found in what was read again); believing it can only stop a retry.
// The type `idempotency_error` says that the key came before for another endpoint or with other parameters
// (https://docs.stripe.com/api/errors); under 409 another request runs under the key just now, which is no defect.
//
// Not relied on: that an error refused or did nothing, whatever its status, until somebody quotes the sentence that says
// so here; a time after which a request can no longer be applied (the horizon is our own guess, and is only part of the
// margin), and any look-up by key. A stored 500 may hide a success: a person looks.
import type { Contract } from "../../domain/contract.ts";

export const stripeV1: Contract = {
  revision: 1,
  idempotency: {
    keyHeader: "Idempotency-Key",
    keyAlphabet: "A-Za-z0-9_-",
    keyLengthMax: 255,
    retentionMs: 24 * 3_600_000,
    marginMs: 3_600_000,
    storesErrors: true,
  },
  answers: {
    codePath: ["error", "type"],
    refusals: [],
    notApplied: [],
    keyReused: [{ status: 400, code: "idempotency_error" }],
    replayMarker: { header: "Idempotent-Replayed", value: "true" },
  },
  horizonMs: 600_000,
  callTimeoutMs: 80_000,
  consequence: "Under its key Stripe repeats its answer; once the key is pruned, it does it again.",
};
