// A topic: what is sent to it is copied to each of its subscriptions that wants it. Subscriptions
// may come and go.
//
// Its inbox is a queue of its own, which remembers message ids and holds scheduled messages until
// their time; it hands every active message on (`forward`) and keeps none. A subscription is a
// queue in every way, with a filter in front and its own sequence numbers. All copies of a message
// are stored in one transaction, so a crash leaves all or none.

import type { QueueSettings, SubscriptionSettings, TopicSettings } from "../../entities.ts";
import { withApplicationProperties } from "../content.ts";
import { filterOf, viewOf, type Filter } from "./rule.ts";
import type { Message } from "../message.ts";
import {
  addMessage,
  nextSequenceNumber,
  openQueue,
  type Queue,
  type QueueSurroundings,
} from "../queue.ts";

export type Subscription = { queue: Queue; wants: Filter };

export type Topic = { inbox: Queue; subscriptions: Subscription[] };

export function openTopic(settings: TopicSettings, surroundings: QueueSurroundings): Topic {
  const subscriptions: Subscription[] = [];
  const forward = (message: Message): void => fanOut(subscriptions, message);
  return {
    inbox: openQueue(inboxSettings(settings), { ...surroundings, forward }),
    subscriptions,
  };
}

export function addSubscription(
  topic: Topic,
  settings: SubscriptionSettings,
  surroundings: QueueSurroundings,
): Subscription {
  const subscription = {
    queue: openQueue(subscriptionSettings(topic.inbox.name, settings), surroundings),
    wants: filterOf(settings.rules),
  };
  topic.subscriptions.push(subscription);
  return subscription;
}

export function inboxSettings(settings: TopicSettings): QueueSettings {
  return {
    name: settings.name,
    requiresSession: false,
    lockDuration: 0,
    maxDeliveryCount: 1,
    deadLetteringOnMessageExpiration: false,
    defaultMessageTimeToLive: settings.defaultMessageTimeToLive,
    requiresDuplicateDetection: settings.requiresDuplicateDetection,
    duplicateDetectionHistoryTimeWindow: settings.duplicateDetectionHistoryTimeWindow,
  };
}

export function subscriptionSettings(
  topicName: string,
  settings: SubscriptionSettings,
): QueueSettings {
  return {
    ...settings,
    name: `${topicName}/Subscriptions/${settings.name}`,
    requiresDuplicateDetection: false,
    duplicateDetectionHistoryTimeWindow: 0,
  };
}

function fanOut(subscriptions: Subscription[], message: Message): void {
  const view = viewOf(message.content);
  for (const { queue, wants } of subscriptions) {
    if (wants(view)) copyTo(queue, message);
  }
}

function copyTo(queue: Queue, message: Message): void {
  const ttls = [message.timeToLiveMs, queue.settings.defaultMessageTimeToLive];
  const timeToLiveMs = Math.min(...ttls.map((ttl) => ttl ?? Infinity));
  const copy: Message = {
    ...message,
    sequenceNumber: nextSequenceNumber(queue),
    timeToLiveMs: Number.isFinite(timeToLiveMs) ? timeToLiveMs : undefined,
    expiresAtMs: Number.isFinite(timeToLiveMs) ? message.enqueuedAtMs + timeToLiveMs : undefined,
  };
  if (queue.settings.requiresSession && message.sessionId === undefined) {
    copyToDeadLetters(queue, copy);
    return;
  }
  addMessage(queue, copy);
  queue.log.note("sent", queue.name, copy);
}

/** A subscription with sessions cannot refuse the sender, who does not know of it. */
function copyToDeadLetters(queue: Queue, copy: Message): void {
  if (queue.deadLetterQueue === undefined) return;
  const content = withApplicationProperties(copy.content, {
    DeadLetterReason: "Session ID is null",
    DeadLetterErrorDescription: "The subscription requires sessions; the message names none.",
  });
  addMessage(queue.deadLetterQueue, { ...copy, content, expiresAtMs: undefined });
  queue.log.note("deadLettered", queue.name, copy);
}
