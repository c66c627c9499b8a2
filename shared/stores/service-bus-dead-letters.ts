// The dead letters of a queue through Service Bus. The queue has sessions, its dead-letter queue has none: a plain receiver,
// and nothing there is ever deferred, since a deferred message of it can be received by nobody.
//
// A dead letter can be received only from the front, so what stands before the one that is wanted is held, too. A link's
// window is bounded in the SDK: behind so many held ones the next link goes on.
// The SDK's transport joins settlements of one tick, so each is awaited before the next.
import {
  isServiceBusError,
  type ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
  type ServiceBusSender,
} from "@azure/service-bus";
import Long from "long";
import { TransientFault } from "../domain/faults.ts";
import type {
  DeadLetter,
  DeadLetterStore,
  LetterCopy,
  OpenDeadLetters,
  Sent,
} from "./dead-letter-port.ts";
import type { QueueName } from "./ports.ts";
import { copyOf, letterOf } from "./service-bus/dead-letter.ts";

const heldByLinkMax = 1000;
const givenBackMax = 200;
const closeBudgetMs = 3000;
const callBudgetMs = 10_000;

export function serviceBusDeadLetters(client: ServiceBusClient): DeadLetterStore {
  const peekers = new Map<QueueName, ServiceBusReceiver>();
  const senders = new Map<QueueName, ServiceBusSender>();
  const peekerOf = (queue: QueueName) => {
    const peeker = peekers.get(queue) ?? receiverOf(client, queue);
    peekers.set(queue, peeker);
    return peeker;
  };
  const senderOf = (queue: QueueName) => {
    const sender = senders.get(queue) ?? client.createSender(queue);
    senders.set(queue, sender);
    return sender;
  };
  return {
    async peek(queue, { from = "0", max }) {
      try {
        const messages = await peekerOf(queue).peekMessages(max, {
          fromSequenceNumber: Long.fromString(from),
          abortSignal: AbortSignal.timeout(callBudgetMs),
        });
        return messages.map((message) => letterOf(queue, message));
      } catch (error) {
        throw noAnswer(queue, "a look at", error);
      }
    },
    open: (queue) => openLetters(() => receiverOf(client, queue), senderOf(queue), queue),
  };
}

function receiverOf(client: ServiceBusClient, queue: QueueName): ServiceBusReceiver {
  return client.createReceiver(queue, {
    subQueueType: "deadLetter",
    skipParsingBodyAsJson: true,
    skipConvertingDate: true,
    // A call is over long before a lock is.
    maxAutoLockRenewalDurationInMs: 0,
  });
}

interface Held {
  message: ServiceBusReceivedMessage;
  receiver: ServiceBusReceiver;
}

function openLetters(
  newReceiver: () => ServiceBusReceiver,
  sender: ServiceBusSender,
  queue: QueueName,
): OpenDeadLetters {
  const held = new Map<string, Held>();
  const receivers = [newReceiver()];
  const heldOf = ({ sequenceNumber }: DeadLetter): Held => {
    const found = held.get(sequenceNumber);
    if (found === undefined) throw new Error("a dead letter is settled that is not held");
    return found;
  };

  return {
    async receive(max, waitMs) {
      if (held.size >= heldByLinkMax * receivers.length) receivers.push(newReceiver());
      const receiver = receivers.at(-1);
      if (receiver === undefined) throw new Error("unreachable: there is one from the start");
      try {
        const messages = await receiver.receiveMessages(max, { maxWaitTimeInMs: waitMs });
        return messages.map((message) => {
          const letter = letterOf(queue, message);
          held.set(letter.sequenceNumber, { message, receiver });
          return letter;
        });
      } catch (error) {
        throw noAnswer(queue, "a receive from", error);
      }
    },
    send: (letter, copy) => send(sender, heldOf(letter).message, copy),
    async complete(letter) {
      const { message, receiver } = heldOf(letter);
      held.delete(letter.sequenceNumber);
      try {
        await receiver.completeMessage(message);
        return "completed";
      } catch {
        // Lost lock or lost answer: either way the broker decides, and a copy more is only one more look at the case.
        return "lost";
      }
    },
    async close() {
      await giveBack([...held.values()].slice(0, givenBackMax));
      held.clear();
      // The SDK can only tell that a link was gone before.
      for (const receiver of receivers) await receiver.close().catch(() => {});
    },
  };
}

async function giveBack(held: readonly Held[]): Promise<void> {
  const endMs = performance.now() + closeBudgetMs;
  for (const { message, receiver } of held) {
    if (performance.now() > endMs) return;
    try {
      await receiver.abandonMessage(message);
    } catch {
      // Its lock ends by itself.
      return;
    }
  }
}

async function send(
  sender: ServiceBusSender,
  message: ServiceBusReceivedMessage,
  copy: LetterCopy,
): Promise<Sent> {
  try {
    await sender.sendMessages(copyOf(message, copy), {
      abortSignal: AbortSignal.timeout(callBudgetMs),
    });
    return "sent";
  } catch (error) {
    return sentDespite(error);
  }
}

/** What the SDK threw, as what became of the copy. */
export function sentDespite(error: unknown): Exclude<Sent, "sent"> {
  if (!isServiceBusError(error)) return "uncertain";
  switch (error.code) {
    case "MessageSizeExceeded":
      return "tooLarge";
    case "QuotaExceeded":
    case "MessagingEntityDisabled":
      return "closed";
    default:
      return error.retryable || error.code === "GeneralError" ? "uncertain" : "refused";
  }
}

function noAnswer(queue: QueueName, what: string, error: unknown): TransientFault {
  const code = isServiceBusError(error) ? error.code : "no code";
  return new TransientFault(`Service Bus gave no answer to ${what} the dead letters of ${queue}.`, {
    cause: new Error(`Service Bus: ${code}`),
  });
}
