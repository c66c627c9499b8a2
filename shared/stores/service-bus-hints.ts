// Hints through Service Bus: session = the case, message id = the hint, body = everything (design.md 7, 10).
//
// The SDK's own sender, because the output binding can set no session. A scheduled hint goes the same way as an
// immediate one and is found by the same duplicate detection.
// A hint that cannot be sent loses nothing: the sweeper finds what is due.
import type { ServiceBusClient, ServiceBusMessage, ServiceBusSender } from "@azure/service-bus";
import { setTimeout as delay } from "node:timers/promises";
import { TransientFault } from "../domain/faults.ts";
import { caseKeyText } from "../domain/identity.ts";
import type { Hint, HintQueue } from "./ports.ts";

/** The SDK repeats what a broker calls transient, but not a refused connection: a broker that is just starting. */
const sendAttemptsMax = 3;
const backOffMs = 250;
const sendBudgetMs = 15_000;

export function serviceBusHints(client: ServiceBusClient): HintQueue {
  const senders = new Map<string, ServiceBusSender>();
  const senderOf = (queue: string) => {
    const sender = senders.get(queue) ?? client.createSender(queue);
    senders.set(queue, sender);
    return sender;
  };
  return {
    send: (queue, hint) => sendHint(senderOf(queue), messageOf(hint)),
    schedule: (queue, hint, atMs) =>
      sendHint(senderOf(queue), {
        ...messageOf(hint),
        scheduledEnqueueTimeUtc: new Date(atMs),
      }),
  };
}

function messageOf(hint: Hint): ServiceBusMessage {
  const { hintId, reason, traceparent, tries } = hint;
  const caseKey = caseKeyText(hint);
  return {
    sessionId: caseKey,
    messageId: hintId,
    contentType: "application/json",
    // For the host alone, which makes its own spans part of this trace; we read the body.
    ...(traceparent === undefined
      ? {}
      : { applicationProperties: { "Diagnostic-Id": traceparent } }),
    body: {
      caseKey,
      hintId,
      reason,
      ...(tries === undefined ? {} : { tries }),
      ...(traceparent === undefined ? {} : { traceparent }),
    },
  };
}

async function sendHint(sender: ServiceBusSender, message: ServiceBusMessage): Promise<void> {
  const abortSignal = AbortSignal.timeout(sendBudgetMs);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await sender.sendMessages(message, { abortSignal });
      return;
    } catch (error) {
      if (attempt === sendAttemptsMax || abortSignal.aborted) {
        throw new TransientFault(
          `Service Bus did not take a hint for queue ${sender.entityPath}.`,
          {
            ids: { hintId: String(message.messageId), caseKey: message.sessionId ?? "" },
            cause: error,
          },
        );
      }
      await delay(backOffMs * 2 ** attempt);
    }
  }
}
