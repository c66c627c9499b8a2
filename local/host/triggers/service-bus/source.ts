// Where a Service Bus function's messages come from: one queue or subscription on one connection of its own.
import {
  ServiceBusClient,
  type ServiceBusReceiver,
  type ServiceBusSessionReceiver,
} from "@azure/service-bus";
import { neededText, optionText } from "../../settings/binding-text.ts";
import type { HostedFunction } from "../../settings/functions.ts";
import type { ServiceBusOptions } from "../../settings/host-json.ts";
import { endLinksInPeace } from "./sdk-closes.ts";
import { cutConnection, onConnectionLost, sendAtOnce, writeTogether } from "./sdk-socket.ts";

/** The end of a connection, and who is told of it. */
export type Loss = { hasCome: boolean; waiting: Set<() => void> };

export type MessageSource = {
  name: string;
  acceptNextSession: (signal: AbortSignal) => Promise<ServiceBusSessionReceiver>;
  createReceiver: () => ServiceBusReceiver;
  close: () => Promise<void>;
  /** The connection is gone: what was asked of it may never be answered, and the next is asked of another source. */
  lost: Loss;
  /** As if the machine had gone: see sdk-socket.ts. */
  cut: () => void;
};

type Entity = { queueOrTopic: string; subscription: string | undefined };

/** Fails with the function's error when the trigger names neither a queue nor a topic with a subscription. */
export function entityOf({ trigger }: HostedFunction): Entity {
  const queueName = optionText(trigger, "queueName");
  if (queueName !== undefined) return { queueOrTopic: queueName, subscription: undefined };
  return {
    queueOrTopic: neededText(trigger, "topicName"),
    subscription: neededText(trigger, "subscriptionName"),
  };
}

export function messageSource(
  connectionString: string,
  hosted: HostedFunction,
  options: ServiceBusOptions,
  userAgent: string,
): MessageSource {
  const { queueOrTopic, subscription } = entityOf(hosted);
  const client = new ServiceBusClient(connectionString, {
    userAgentOptions: { userAgentPrefix: userAgent },
    retryOptions: { maxRetries: 2, retryDelayInMs: 200, timeoutInMs: 60_000 },
  });
  const lost: Loss = { hasCome: false, waiting: new Set() };
  writeTogether(client);
  endLinksInPeace(client);
  onConnectionLost(client, () => {
    lost.hasCome = true;
    for (const tell of lost.waiting) tell();
  });
  const receive = {
    maxAutoLockRenewalDurationInMs: options.maxAutoLockRenewalDuration,
    skipParsingBodyAsJson: true,
  };
  return {
    name: subscription === undefined ? queueOrTopic : `${queueOrTopic}/${subscription}`,
    acceptNextSession: (abortSignal) => {
      sendAtOnce(client);
      return subscription === undefined
        ? client.acceptNextSession(queueOrTopic, { ...receive, abortSignal })
        : client.acceptNextSession(queueOrTopic, subscription, { ...receive, abortSignal });
    },
    createReceiver: () => {
      sendAtOnce(client);
      return subscription === undefined
        ? client.createReceiver(queueOrTopic, receive)
        : client.createReceiver(queueOrTopic, subscription, receive);
    },
    close: () => client.close(),
    lost,
    cut: () => cutConnection(client),
  };
}
