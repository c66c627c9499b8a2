// The CRM: closes onboarding cases, in the account of the tenant.
//
//   crm.close_case.v1   POST /v1/accounts/{account}/cases/{case}/close
//   look-up             GET  /v1/accounts/{account}/operations/{operation}
//
// Its promises, as this reference provider publishes them: there is no key; the operation id in the body is kept with
// the change that it made, in one commit, and the look-up by it reads that commit (strong); a request that it took is
// carried out within 10 s or not at all; success and look-up tell case, outcome, operation and the case's new version.
//
// 404 `no_such_operation` is an authoritative absence; any other answer to a look-up shows nothing. A case that is closed
// without our operation id proves nothing: somebody else may have closed it. So 409 `already_closed` proves nothing either: what
// closed the case may be our own, also the first copy of a request that a proxy sent on twice, whoever `by` names. The look-up
// tells; what it does not show was another's, and goes to a person, however well the final state fits (cases.md 45, 52).
import { z } from "zod";
import { digestOf } from "../domain/canonical-json.ts";
import type { Contract } from "../domain/contract.ts";
import { defineAction } from "../domain/definitions.ts";
import type { LookupRequest, Provider } from "../domain/definitions.ts";
import type { LookupVerdict, Receipt } from "../domain/records/evidence.ts";
import { isSameText } from "../domain/same-text.ts";
import { Said, usualAnswers } from "./answer-of.ts";
import type { Answered } from "./http-answer.ts";
import type { HttpReader } from "./http-call.ts";
import { lookedUpProvider } from "./looked-up-provider.ts";

const provider = "crm";

const CloseCase = z.strictObject({
  /** "." and ".." are no segment of a path. */
  case: z
    .string()
    .min(1)
    .max(128)
    .regex(/^(?!\.{1,2}$)/, "must not be . or .."),
  outcome: z.string().min(1).max(64),
});

const closeCase = defineAction({
  name: "crm.close_case.v1",
  payload: CloseCase,
  provider,
  consequence:
    "Closed twice, a case that somebody reopened in between is closed against their will.",
  autonomy: "auto",
});

export const crmActions = [closeCase] as const;

const Closed = z.object({
  id: Said,
  case: Said,
  outcome: Said,
  operation: Said,
  version: z.int().nonnegative(),
});
const NoSuchOperation = z.object({ code: z.literal("no_such_operation") });

function contractOf(callTimeoutMs: number): Contract {
  return {
    revision: 1,
    lookup: { by: "operationId", consistency: "strong", settleMs: 0 },
    answers: {
      ...usualAnswers,
      alreadyThere: [{ status: 409, code: "already_closed" }],
    },
    horizonMs: 10_000,
    callTimeoutMs,
    consequence: "A repeated call closes the case again, whoever reopened it in between.",
  };
}

export function crm(options: { baseUrl: string; token: string; callTimeoutMs?: number }): Provider {
  const { baseUrl, token, callTimeoutMs = 10_000 } = options;
  return lookedUpProvider({
    name: provider,
    contract: contractOf(callTimeoutMs),
    connection: { baseUrl, token },
    action: closeCase.name,
    payload: CloseCase,
    call: (payload, operation) => ({
      path: ["cases", payload.case, "close"],
      body: { outcome: payload.outcome, operation },
    }),
    done: Closed,
    proof: "a receipt that names the operation",
    receiptOf,
    lookUp,
  });
}

async function lookUp(reader: HttpReader, request: LookupRequest): Promise<LookupVerdict> {
  const heard = await reader.get({
    path: ["v1", "accounts", request.account, "operations", request.binding.operationId],
    timeoutMs: request.timeoutMs,
  });
  if (heard.kind !== "answered") return { kind: "inconclusive", reason: heard.reason };
  if (heard.status === 404 && NoSuchOperation.safeParse(heard.body).success) {
    return { kind: "absent" };
  }
  const closed = heard.status === 200 ? Closed.safeParse(heard.body).data : undefined;
  if (closed === undefined) {
    return { kind: "inconclusive", reason: `${heard.status} that tells of no operation` };
  }
  return { kind: "found", receipt: receiptOf(request, closed, heard) };
}

/** Bound to what the CRM says it did, never to what was asked for. */
function receiptOf(
  { binding, payload }: LookupRequest,
  closed: z.infer<typeof Closed>,
  answered: Answered,
): Receipt {
  const { id, operation, outcome } = closed;
  const sameCase = isSameText(closed.case, payload["case"]);
  const samePayload = sameCase && isSameText(outcome, payload["outcome"]);
  return {
    stage: "delivered",
    providerId: id,
    ...(answered.requestId === undefined ? {} : { providerRequestId: answered.requestId }),
    boundTo: {
      operationId: operation,
      target: sameCase ? binding.target : closed.case,
      payloadDigest: samePayload
        ? binding.payloadDigest
        : digestOf({ case: closed.case, outcome }, "the CRM's answer"),
    },
    content: closed,
  };
}
