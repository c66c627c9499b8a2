// The supplier portal: credit notes and invoice marks, in the account of the tenant.
//
//   portal.request_credit_note.v1   POST /v1/accounts/{account}/credit-notes
//   portal.mark_invoice.v1          POST /v1/accounts/{account}/invoices/{invoice}/mark
//
// Its promises, as this reference provider publishes them: `Idempotency-Key` is required (1 to 64 of A-Z, a-z, 0-9
// and "-"), the first success is kept under account and key for 24 hours and repeated for the same
// bytes, errors are not kept; there is no look-up; a request that it took is carried out within 60 s or not at
// all; success echoes the operation and what was done. What each other answer proves: answer-of.ts.
//
// A receipt is bound to what the portal ECHOES, never to what was sent: a success for another operation, invoice
// or amount must be seen as a mismatch. A success that names no operation proves nothing.
import { z } from "zod";
import { digestOf } from "../domain/canonical-json.ts";
import type { Contract } from "../domain/contract.ts";
import { defineAction } from "../domain/definitions.ts";
import type { Provider, SendRequest } from "../domain/definitions.ts";
import type { Answer } from "../domain/records/evidence.ts";
import { isSameText } from "../domain/same-text.ts";
import { answerOf, provesNothing, Said, usualAnswers } from "./answer-of.ts";
import { httpPoster } from "./http-call.ts";
import type { Answered } from "./http-answer.ts";
import type { HttpPoster } from "./http-call.ts";
import { versionAt } from "./http-url.ts";
import { portalReport } from "./portal-reports.ts";

const provider = "supplier-portal";

/** "." and ".." are no segment of a path. */
const Invoice = z
  .string()
  .min(1)
  .max(256)
  .regex(/^(?!\.{1,2}$)/, "must not be . or ..");

const CreditNoteRequest = z.strictObject({
  invoice: Invoice,
  /** Decimal text: an amount is never a floating-point number. */
  amount: z.string().regex(/^\d{1,12}(\.\d{1,4})?$/, "must be a decimal amount as text"),
  currency: z.string().regex(/^[A-Z]{3}$/, "must be a currency code of three letters"),
  reason: z.string().min(1).max(256),
});

const InvoiceMark = z.strictObject({ invoice: Invoice, state: z.string().min(1).max(64) });

const requestCreditNote = defineAction({
  name: "portal.request_credit_note.v1",
  payload: CreditNoteRequest,
  provider,
  consequence: "Asked for twice, the supplier credits the same amount twice.",
  autonomy: "auto",
});

const markInvoice = defineAction({
  name: "portal.mark_invoice.v1",
  payload: InvoiceMark,
  provider,
  consequence: "Marked twice, the supplier sees the same state set again and may act on it again.",
  autonomy: "auto",
});

export const portalActions = [requestCreditNote, markInvoice] as const;

const CreditNoteEcho = z.object({
  id: Said,
  status: z.literal("accepted"),
  operation: Said,
  invoice: Said,
  amount: Said,
  currency: Said,
});
const MarkEcho = z.object({ id: Said, operation: Said, invoice: Said, state: Said });

function contractOf(callTimeoutMs: number): Contract {
  return {
    revision: 1,
    idempotency: {
      keyHeader: "Idempotency-Key",
      keyAlphabet: "A-Za-z0-9-",
      keyLengthMax: 64,
      retentionMs: 24 * 60 * 60_000,
      marginMs: 15 * 60_000,
      storesErrors: false,
    },
    answers: {
      ...usualAnswers,
      replayMarker: { header: "Idempotent-Replayed", value: "true" },
    },
    horizonMs: 60_000,
    callTimeoutMs,
    consequence:
      "With the same key the portal repeats its answer; after 24 hours it does it again.",
  };
}

export function supplierPortal(options: {
  baseUrl: string;
  token: string;
  callTimeoutMs?: number;
}): Provider {
  const contract = contractOf(options.callTimeoutMs ?? 10_000);
  const poster = httpPoster({
    provider,
    baseUrl: options.baseUrl,
    token: options.token,
    replayMarker: contract.answers?.replayMarker,
  });
  const wire: Wire = { poster, contract };
  return {
    name: provider,
    apiVersion: versionAt("v1", options.baseUrl),
    contract,
    accountOf: (tenantId) => tenantId,
    report: portalReport,
    send(request) {
      switch (request.action) {
        case requestCreditNote.name:
          return sendCreditNote(wire, request);
        case markInvoice.name:
          return sendMark(wire, request);
        default:
          return Promise.resolve(notSent(`the portal knows no action ${request.action}`));
      }
    },
  };
}

interface Wire {
  poster: HttpPoster;
  contract: Contract;
}

async function sendCreditNote({ poster, contract }: Wire, request: SendRequest): Promise<Answer> {
  const payload = CreditNoteRequest.safeParse(request.payload).data;
  if (payload === undefined) return notSent(`the payload is not one of ${request.action}`);
  const { invoice, amount, currency, reason } = payload;
  const heard = await post(poster, request, {
    path: ["credit-notes"],
    body: { invoice, amount, currency, reason, operation: request.binding.operationId },
  });
  return answerOf(heard, contract, (answered) => {
    const echo = CreditNoteEcho.safeParse(answered.body).data;
    if (echo === undefined) return noReceipt(answered);
    const { id, operation, status, ...done } = echo;
    return receipt(request, answered, { id, operation, done, stage: "accepted", more: { status } });
  });
}

async function sendMark({ poster, contract }: Wire, request: SendRequest): Promise<Answer> {
  const payload = InvoiceMark.safeParse(request.payload).data;
  if (payload === undefined) return notSent(`the payload is not one of ${request.action}`);
  const { invoice, state } = payload;
  const heard = await post(poster, request, {
    path: ["invoices", invoice, "mark"],
    body: { state, operation: request.binding.operationId },
  });
  return answerOf(heard, contract, (answered) => {
    const echo = MarkEcho.safeParse(answered.body).data;
    if (echo === undefined) return noReceipt(answered);
    const { id, operation, ...done } = echo;
    return receipt(request, answered, { id, operation, done, stage: "delivered" });
  });
}

function post(
  poster: HttpPoster,
  request: SendRequest,
  call: { path: string[]; body: Record<string, unknown> },
): ReturnType<HttpPoster["post"]> {
  if (request.providerKey === undefined) {
    // Without its key a repeat would be a second credit note.
    return Promise.resolve({ kind: "notSent", reason: "the effect has no idempotency key" });
  }
  return poster.post({
    path: ["v1", "accounts", request.account, ...call.path],
    headers: { "idempotency-key": request.providerKey },
    body: call.body,
    timeoutMs: request.timeoutMs,
  });
}

/** What the portal says it did, and for which operation. */
interface Echo {
  id: string;
  operation: string;
  /** The payload's own fields, as echoed. */
  done: { invoice: string } & Record<string, string>;
  stage: "accepted" | "delivered";
  more?: Record<string, string>;
}

function receipt(request: SendRequest, answered: Answered, echo: Echo): Answer {
  const { binding, payload } = request;
  const sameInvoice = isSameText(echo.done.invoice, payload["invoice"]);
  const samePayload = Object.entries(echo.done).every(([field, said]) =>
    isSameText(said, payload[field]),
  );
  return {
    kind: "receipt",
    receipt: {
      stage: echo.stage,
      providerId: echo.id,
      ...(answered.requestId === undefined ? {} : { providerRequestId: answered.requestId }),
      boundTo: {
        operationId: echo.operation,
        target: sameInvoice ? binding.target : echo.done.invoice,
        payloadDigest: samePayload
          ? binding.payloadDigest
          : digestOf({ ...payload, ...echo.done }, "the portal's answer"),
      },
      content: { id: echo.id, operation: echo.operation, ...echo.more, ...echo.done },
    },
  };
}

function noReceipt(answered: Answered): Answer {
  return provesNothing(answered, `${answered.status} without a receipt that names the operation`);
}

function notSent(reason: string): Answer {
  return { kind: "notSent", reason };
}
