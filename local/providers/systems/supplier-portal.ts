// The supplier portal: credit notes and invoice marks, under an account.
//
//   POST /v1/accounts/{account}/credit-notes              -> 201 {id: "CN-000123", ...}
//   POST /v1/accounts/{account}/invoices/{invoice}/mark   -> 200 {id: "MK-000045", ...}
//
// Its retry contract: an `idempotency-key` is required, is kept with the first success for the
// retention, and is all that it dedupes by (idempotency-keys.ts). It has no look-up. 422 is its last
// word on a request; 429 says that nothing was applied; 503 says nothing at all.
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { bodyRefusal, parseJson, textOf, tokenRefusal } from "./call.ts";
import type { Call, ProviderRequest, Refusal } from "./call.ts";

const CreditNote = z.strictObject({
  invoice: z.string().min(1).max(256),
  amount: z.string().regex(/^\d{1,12}(\.\d{1,4})?$/, "must be a positive decimal string"),
  currency: z.string().regex(/^[A-Z]{3}$/, "must be a currency code"),
  reason: z.string().min(1).max(256),
  operation: z.string().min(1).max(128),
});

const Mark = z.strictObject({
  state: z.string().min(1).max(64),
  operation: z.string().min(1).max(128),
});

const keyPattern = /^[A-Za-z0-9-]{1,64}$/;

function keyRefusal(headers: IncomingHttpHeaders): Refusal | undefined {
  const key = headers["idempotency-key"];
  if (typeof key === "string" && keyPattern.test(key)) return undefined;
  return {
    status: 400,
    code: "idempotency_key_required",
    detail: "idempotency-key must be 1 to 64 characters of A-Z, a-z, 0-9 and -.",
  };
}

export function readPortalCall(request: ProviderRequest): Call | undefined {
  if (request.method !== "POST") return undefined;
  const note = /^\/v1\/accounts\/([^/]+)\/credit-notes$/.exec(request.path);
  if (note?.[1] !== undefined) return readCreditNote(request, decodeURIComponent(note[1]));
  const mark = /^\/v1\/accounts\/([^/]+)\/invoices\/([^/]+)\/mark$/.exec(request.path);
  if (mark?.[1] !== undefined && mark[2] !== undefined) {
    return readMark(request, decodeURIComponent(mark[1]), decodeURIComponent(mark[2]));
  }
  return undefined;
}

function readCreditNote(request: ProviderRequest, account: string): Call {
  const body = parseJson(request.body);
  const parsed = CreditNote.safeParse(body);
  return {
    provider: "supplier-portal",
    action: "portal.request_credit_note.v1",
    account,
    target: textOf(body, "invoice"),
    operation: textOf(body, "operation"),
    body,
    series: "CN",
    ...promises(request.headers, bodyRefusal(parsed)),
    result(id) {
      const { invoice, amount, currency, operation } = CreditNote.parse(body);
      return {
        status: 201,
        body: { id, status: "accepted", invoice, amount, currency, operation },
      };
    },
  };
}

function readMark(request: ProviderRequest, account: string, invoice: string): Call {
  const body = parseJson(request.body);
  const parsed = Mark.safeParse(body);
  return {
    provider: "supplier-portal",
    action: "portal.mark_invoice.v1",
    account,
    target: invoice,
    operation: textOf(body, "operation"),
    body,
    series: "MK",
    ...promises(request.headers, bodyRefusal(parsed)),
    result(id) {
      const { state, operation } = Mark.parse(body);
      return { status: 200, body: { id, invoice, state, operation } };
    },
  };
}

/** What the headers add: the key, or why the request will not do. */
function promises(
  headers: IncomingHttpHeaders,
  wrongBody: Refusal | undefined,
): { key?: string; refusal?: Refusal } {
  const refusal = tokenRefusal(headers) ?? keyRefusal(headers) ?? wrongBody;
  const key = headers["idempotency-key"];
  return {
    ...(typeof key === "string" ? { key } : {}),
    ...(refusal === undefined ? {} : { refusal }),
  };
}
