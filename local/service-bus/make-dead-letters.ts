// Makes dead letters the way they come about: through the real SDK, by deliveries that fail until the broker gives up, or by a
// receiver that says why. For tests and for demonstrations; the broker itself knows nothing of it.
//
// Ends when all of them are dead. A message whose id the queue remembers would be dropped, and never die: give new ids.
import type { ServiceBusClient, ServiceBusMessage } from "@azure/service-bus";

export type Unwanted = ServiceBusMessage & { sessionId: string };

/** Without it a message fails until the queue's `maxDeliveryCount`. */
export interface DeathBy {
  deadLetterReason: string;
  deadLetterErrorDescription: string;
}

const sendMax = 200;
/** Given back for the last time, a message is at once in its session again or a dead letter. */
const emptyAfterMs = 300;

export async function makeDeadLetters(
  client: ServiceBusClient,
  queue: string,
  options: { messages: readonly Unwanted[]; by?: DeathBy },
): Promise<void> {
  const { by, messages } = options;
  const sender = client.createSender(queue);
  for (let from = 0; from < messages.length; from += sendMax) {
    // Each by itself: together they might be larger than one batch.
    const some = messages.slice(from, from + sendMax);
    await Promise.all(some.map((message) => sender.sendMessages(message)));
  }
  await sender.close();
  const counts = new Map<string, number>();
  for (const { sessionId } of messages) counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
  for (const [sessionId, count] of counts) await letDie(client, { queue, sessionId, count, by });
}

/** So many of a session, the oldest first; by failing deliveries, all that it holds. */
export async function letDie(
  client: ServiceBusClient,
  what: { queue: string; sessionId: string; count: number; by?: DeathBy | undefined },
): Promise<void> {
  const { by, count, queue, sessionId } = what;
  const receiver = await client.acceptSession(queue, sessionId);
  for (let dead = 0; dead < count;) {
    const most = by === undefined ? sendMax : Math.min(sendMax, count - dead);
    const messages = await receiver.receiveMessages(most, { maxWaitTimeInMs: emptyAfterMs });
    if (messages.length === 0) break;
    if (by !== undefined) dead += messages.length;
    for (const message of messages) {
      if (by === undefined) await receiver.abandonMessage(message);
      else await receiver.deadLetterMessage(message, { ...by });
    }
  }
  await receiver.close();
}
