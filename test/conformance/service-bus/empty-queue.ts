// Looks into a queue or subscription and empties it, through the SDK alone: for a case that shares it with earlier ones.
import type { ServiceBusClient, ServiceBusReceivedMessage } from "@azure/service-bus";

export type Entity = [queueOrTopic: string, subscription?: string];
type SequenceNumber = NonNullable<ServiceBusReceivedMessage["sequenceNumber"]>;
type Messages = ServiceBusReceivedMessage[];

const EMPTY_WITHIN_MS = 120_000;

export type Peek = (entity: Entity, subQueueType?: "deadLetter") => Promise<Messages>;

/** Everything that lies in an entity. The SDK peeks on from where it was, so each look after the first starts at number zero. */
export function peeker(client: ServiceBusClient): Peek {
  let zero: SequenceNumber | undefined;
  return async (entity, subQueueType) => {
    const receiver = receiverOf(client, entity, subQueueType);
    const all: Messages = [];
    let page = await receiver.peekMessages(
      250,
      zero === undefined ? {} : { fromSequenceNumber: zero },
    );
    while (page.length > 0) {
      all.push(...page);
      const [number] = page.flatMap(numbersOf);
      zero ??= number?.subtract(number);
      page = await receiver.peekMessages(250);
    }
    await receiver.close();
    return all;
  };
}

/** Until a peek shows nothing: what is locked by an earlier case must first come back. */
export async function emptyQueue(client: ServiceBusClient, entity: Entity): Promise<void> {
  const givenUpAtMs = Date.now() + EMPTY_WITHIN_MS;
  const peek = peeker(client);
  for (;;) {
    const dead = await peek(entity, "deadLetter");
    if (dead.length > 0) {
      const receiver = receiverOf(client, entity, "deadLetter");
      await receiver.receiveMessages(dead.length, { maxWaitTimeInMs: 1000 });
      await receiver.close();
    }
    const found = await peek(entity);
    if (found.length + dead.length === 0) return;
    if (Date.now() > givenUpAtMs) throw new Error(`${entity.join("/")} could not be emptied`);
    await remove(client, entity, found);
  }
}

function receiverOf(
  client: ServiceBusClient,
  [name, subscription]: Entity,
  subQueueType: "deadLetter" | undefined,
) {
  const options = {
    receiveMode: "receiveAndDelete",
    ...(subQueueType !== undefined && { subQueueType }),
  } as const;
  return subscription === undefined
    ? client.createReceiver(name, options)
    : client.createReceiver(name, subscription, options);
}

async function remove(client: ServiceBusClient, entity: Entity, found: Messages): Promise<void> {
  const scheduled = found.filter(({ state }) => state === "scheduled");
  if (scheduled.length > 0) {
    const sender = client.createSender(entity[0]);
    // The time of one may have come meanwhile; the next round sees it as active.
    await sender.cancelScheduledMessages(scheduled.flatMap(numbersOf)).catch(() => {});
    await sender.close();
  }
  // Of the entities of this suite, those whose names end so require sessions; elsewhere a session id is just a property.
  const inSessions = entity.at(-1)?.endsWith("sessions") === true;
  const bySession = Map.groupBy(found, ({ sessionId }) => (inSessions ? sessionId : undefined));
  for (const [sessionId, messages] of bySession) await take(client, entity, sessionId, messages);
}

async function take(
  client: ServiceBusClient,
  entity: Entity,
  sessionId: string | undefined,
  messages: Messages,
): Promise<void> {
  const source =
    sessionId === undefined
      ? receiverOf(client, entity, undefined)
      : await acceptSession(client, entity, sessionId);
  const deferred = messages.filter(({ state }) => state === "deferred").flatMap(numbersOf);
  if (deferred.length > 0) await source.receiveDeferredMessages(deferred).catch(() => {});
  if (messages.some(({ state }) => state === "active")) {
    await source.receiveMessages(messages.length, { maxWaitTimeInMs: 1000 });
  }
  await source.close();
}

function acceptSession(client: ServiceBusClient, [name, subscription]: Entity, id: string) {
  const options = { receiveMode: "receiveAndDelete" } as const;
  return subscription === undefined
    ? client.acceptSession(name, id, options)
    : client.acceptSession(name, subscription, id, options);
}

function numbersOf({ sequenceNumber }: ServiceBusReceivedMessage) {
  return sequenceNumber === undefined ? [] : [sequenceNumber];
}
