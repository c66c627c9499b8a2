// The email provider: one message to one recipient per effect, so that each has its own outcome (cases.md 55).
//
//   email.send_notification.v1   POST /v1/messages
//
// Its promises are none, as this reference provider publishes them: no key, no look-up; every request that it takes is
// one more message in somebody's inbox. So an unclear outcome goes to a person and is never sent again.
// 202 means accepted, never delivered (cases.md 54). The answer echoes no operation: it is bound because it is
// the attempt's own answer on its own connection. The operation id and the case key travel as headers of the
// message, and its webhooks (`message.delivered`, `message.bounced`) echo them.
import { z } from "zod";
import type { Contract } from "../domain/contract.ts";
import { defineAction } from "../domain/definitions.ts";
import type { Provider, ProviderReport, SendRequest } from "../domain/definitions.ts";
import type { Answer } from "../domain/records/evidence.ts";
import { answerOf, provesNothing, usualAnswers } from "./answer-of.ts";
import { httpPoster } from "./http-call.ts";
import type { Answered } from "./http-answer.ts";
import { readWebhook } from "./read-webhook.ts";
import { versionAt } from "./http-url.ts";

const provider = "email";

const Notification = z.strictObject({
  to: z.email().max(320),
  /** One line: a line break would begin another header. */
  subject: z
    .string()
    .max(998)
    .regex(/^\P{Cc}+$/u, "must be one line"),
  text: z.string().min(1).max(60_000),
});

const sendNotification = defineAction({
  name: "email.send_notification.v1",
  payload: Notification,
  provider,
  consequence: "Sent twice, the recipient gets the same message twice.",
  autonomy: "auto",
  // An address, and words about a person's business.
  sensitive: true,
});

export const emailActions = [sendNotification] as const;

const MessageId = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => text.isWellFormed());
const Accepted = z.object({ id: MessageId, status: z.literal("accepted") });

function contractOf(callTimeoutMs: number): Contract {
  return {
    revision: 1,
    answers: usualAnswers,
    horizonMs: 60_000,
    callTimeoutMs,
    consequence: "A repeated call is a second message to the same person.",
  };
}

export function email(options: {
  baseUrl: string;
  token: string;
  from: string;
  callTimeoutMs?: number;
}): Provider {
  const { baseUrl, from, token } = options;
  if (!z.email().safeParse(from).success) throw new Error(`${provider}: from must be an address.`);
  const poster = httpPoster({ provider, baseUrl, token });
  const contract = contractOf(options.callTimeoutMs ?? 10_000);
  return {
    name: provider,
    apiVersion: versionAt("v1", baseUrl),
    contract,
    /** One sending address serves every tenant. */
    accountOf: () => from,
    report: reportOf,
    async send(request) {
      const notification = Notification.safeParse(request.payload).data;
      if (request.action !== sendNotification.name || notification === undefined) {
        return { kind: "notSent", reason: `this is no payload of ${sendNotification.name}` };
      }
      const { to, subject, text } = notification;
      const headers = {
        "X-Operation-Id": request.binding.operationId,
        ...(request.caseKey === undefined ? {} : { "X-Case-Key": request.caseKey }),
      };
      const heard = await poster.post({
        path: ["v1", "messages"],
        body: { from: request.account, to, subject, text, headers },
        timeoutMs: request.timeoutMs,
      });
      return answerOf(heard, contract, (answered) => receipt(request, answered));
    },
  };
}

/** The names of a message's headers come back in whatever case a mail system gave them. */
const Headers = z
  .record(z.string(), z.unknown())
  .transform((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  );
const Ours = z.object({ headers: Headers.pipe(z.object({ "x-operation-id": z.string() })) });
const Webhook = z.object({
  id: MessageId,
  to: z.string().max(320).optional(),
  headers: Headers.pipe(
    z.object({ "x-operation-id": z.string().max(64), "x-case-key": z.string().max(128) }),
  ),
});
const stages: Readonly<Record<string, ProviderReport["stage"]>> = {
  "message.delivered": "delivered",
  "message.bounced": "failed",
};

function reportOf(body: { type: string; data: unknown }): ProviderReport | undefined {
  const stage = Object.hasOwn(stages, body.type) ? stages[body.type] : undefined;
  // Without our header it is about somebody else's message.
  if (stage === undefined || !Ours.safeParse(body.data).success) return undefined;
  const { headers, id, to } = readWebhook(provider, Webhook, body.data);
  return {
    about: {
      kind: "operation",
      caseKey: headers["x-case-key"],
      operationId: headers["x-operation-id"],
    },
    providerId: id,
    stage,
    ...(to === undefined ? {} : { target: to }),
  };
}

function receipt(request: SendRequest, answered: Answered): Answer {
  const accepted = Accepted.safeParse(answered.body).data;
  if (answered.status !== 202 || accepted === undefined) {
    return provesNothing(answered, `${answered.status} that does not accept the message`);
  }
  const { id, status } = accepted;
  return {
    kind: "receipt",
    receipt: {
      stage: "accepted",
      providerId: id,
      ...(answered.requestId === undefined ? {} : { providerRequestId: answered.requestId }),
      boundTo: request.binding,
      content: { id, status },
    },
  };
}
