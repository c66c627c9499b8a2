// The CRM: onboarding cases, closed under an operation id.
//
//   POST /v1/accounts/{account}/cases/{case}/close       -> 200 {id: "CC-000012", case, outcome, operation, version}
//   GET  /v1/accounts/{account}/operations/{operation}   -> 200 the same | 404 {code: "no_such_operation"}
//
// Its retry contract: no key. The operation id is kept with the change, in the journal's one line, and the look-up
// reads exactly that: strong. A case that is closed already is refused with 409 and told by whom; the same
// operation once more is refused alike, so a caller that repeats itself learns it from the look-up only.
import { z } from "zod";
import { bodyRefusal, parseJson, textOf, tokenRefusal } from "./call.ts";
import type { Call, ReadQuestion, ProviderRequest } from "./call.ts";

const Close = z.strictObject({
  outcome: z.string().min(1).max(64),
  operation: z.string().min(1).max(128),
});

export function readCrmCall(request: ProviderRequest): Call | undefined {
  if (request.method !== "POST") return undefined;
  const close = /^\/v1\/accounts\/([^/]+)\/cases\/([^/]+)\/close$/.exec(request.path);
  if (close?.[1] === undefined || close[2] === undefined) return undefined;
  const account = decodeURIComponent(close[1]);
  const target = decodeURIComponent(close[2]);
  const body = parseJson(request.body);
  const refusal = tokenRefusal(request.headers) ?? bodyRefusal(Close.safeParse(body));
  return {
    provider: "crm",
    action: "crm.close_case.v1",
    account,
    target,
    operation: textOf(body, "operation"),
    body,
    series: "CC",
    once: true,
    ...(refusal === undefined ? {} : { refusal }),
    result(id) {
      const { operation, outcome } = Close.parse(body);
      return { status: 200, body: { id, case: target, outcome, operation, version: 2 } };
    },
  };
}

/** Strong: whatever line is on disk is found, at once. */
export const readCrmQuestion: ReadQuestion = (request) => {
  const asked = /^\/v1\/accounts\/([^/]+)\/operations\/([^/]+)$/.exec(request.path);
  if (request.method !== "GET" || asked?.[1] === undefined || asked[2] === undefined) {
    return undefined;
  }
  const account = decodeURIComponent(asked[1]);
  const operation = decodeURIComponent(asked[2]);
  return async (journal) => {
    if (tokenRefusal(request.headers) !== undefined) {
      return { status: 401, body: { code: "unauthorized" } };
    }
    const entry = (await journal.after(0)).find(
      (one) =>
        one.event === "applied" &&
        one.provider === "crm" &&
        one.account === account &&
        one.operation === operation,
    );
    return entry?.answer === undefined
      ? { status: 404, body: { code: "no_such_operation" } }
      : { status: 200, body: entry.answer.body };
  };
};
