// Hints through Service Bus: session = the case, message id = the hint, body = everything (design.md 7, 10).
//
// The SDK's own sender, because the output binding can set no session. A scheduled hint is found by the same duplicate
// detection as an immediate one; its sequence number takes it back.
// A hint that cannot be sent loses nothing: the sweeper finds what is due.
import type {
  OperationOptionsBase,
  ServiceBusClient,
  ServiceBusMessage,
  ServiceBusSender,
} from "@azure/service-bus";
import { setTimeout as delay } from "node:timers/promises";
import { TransientFault } from "../domain/faults.ts";
import { caseKeyText } from "../domain/identity.ts";
import type { Hint, HintQueue, ScheduledHint } from "./ports.ts";

/** The SDK repeats what a broker calls transient, but not a refused connection: a broker that is just starting. */
const sendAttemptsMax = 3;
const backOffMs = 250;
const sendBudgetMs = 15_000;
const cancelBudgetMs = 2000;

export function serviceBusHints(client: ServiceBusClient): HintQueue {
  const senders = new Map<string, ServiceBusSender>();
  const senderOf = (queue: string) => {
    const sender = senders.get(queue) ?? client.createSender(queue);
    senders.set(queue, sender);
    return sender;
  };
  return {
    async send(queue, hint) {
      const sender = senderOf(queue);
      await untilTaken(sender, hint, (options) => sender.sendMessages(messageOf(hint), options));
    },
    async schedule(queue, hint, atMs) {
      const sender = senderOf(queue);
      const numbers = await untilTaken(sender, hint, (options) =>
        sender.scheduleMessages(messageOf(hint), new Date(atMs), options),
      );
      return scheduled(sender, numbers);
    },
  };
}

function scheduled(
  sender: ServiceBusSender,
  numbers: Awaited<ReturnType<ServiceBusSender["scheduleMessages"]>>,
): ScheduledHint {
  return {
    async cancel() {
      try {
        const abortSignal = AbortSignal.timeout(cancelBudgetMs);
        await sender.cancelScheduledMessages(numbers, { abortSignal });
      } catch {
        // Whatever it is, nothing is lost: the hint comes, and a turn finds nothing to do.
      }
    },
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

async function untilTaken<Taken>(
  { entityPath }: ServiceBusSender,
  hint: Hint,
  give: (options: OperationOptionsBase) => Promise<Taken>,
): Promise<Taken> {
  const abortSignal = AbortSignal.timeout(sendBudgetMs);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await give({ abortSignal });
    } catch (error) {
      if (attempt === sendAttemptsMax || abortSignal.aborted) {
        throw new TransientFault(`Service Bus did not take a hint for queue ${entityPath}.`, {
          ids: { hintId: hint.hintId, caseKey: caseKeyText(hint) },
          cause: error,
        });
      }
      await delay(backOffMs * 2 ** attempt);
    }
  }
}
