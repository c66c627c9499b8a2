// The email provider: POST /v1/messages -> 202 {id: "msg_000012", status: "accepted"}.
//
// Its retry contract is none at all: no key, no look-up, every accepted request is one more message
// in somebody's inbox. The operation id travels in a header of the message for whoever investigates;
// the provider itself ignores it.
import { z } from "zod";
import { bodyRefusal, parseJson, textOf, tokenRefusal } from "./call.ts";
import type { Call, ProviderRequest } from "./call.ts";

const Message = z.strictObject({
  from: z.string().min(3).max(320),
  to: z.string().min(3).max(320),
  subject: z.string().min(1).max(998),
  text: z.string().max(60_000),
  headers: z.record(z.string(), z.string()).optional(),
});

function operationOf(body: unknown): string {
  if (typeof body !== "object" || body === null) return "";
  return textOf(Reflect.get(body, "headers"), "X-Operation-Id");
}

export function readEmailCall(request: ProviderRequest): Call | undefined {
  if (request.method !== "POST" || request.path !== "/v1/messages") return undefined;
  const body = parseJson(request.body);
  const refusal = tokenRefusal(request.headers) ?? bodyRefusal(Message.safeParse(body));
  return {
    provider: "email",
    action: "email.send_notification.v1",
    account: "default",
    target: textOf(body, "to"),
    operation: operationOf(body),
    body,
    series: "msg",
    ...(refusal === undefined ? {} : { refusal }),
    result: (id) => ({ status: 202, body: { id, status: "accepted" } }),
  };
}
