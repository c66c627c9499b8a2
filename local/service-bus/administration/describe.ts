// An entity as Azure's management API shows it: a description with settings, counts and times. The
// order of the elements is Azure's, whose own reader goes by it.
//
// Active are, as in Azure, also messages that are locked or deferred. Nothing is ever in transfer
// here, for there is no forwarding.

import type { Entity } from "../broker/catalog.ts";
import type { Queue } from "../broker/queue.ts";
import type { Written } from "./xml.ts";

/** Azure's way to say "never": the longest time that .NET can name. */
export const FOR_EVER = "P10675199DT2H48M5.4775807S";
export const MAX_MESSAGE_SIZE_KB = 256;
const DEFAULT_SIZE_MB = 1024;
const NEVER = "0001-01-01T00:00:00Z";

const CONNECT = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
const COUNTS = "http://schemas.microsoft.com/netservices/2011/06/servicebus";

type Description = Record<string, Written>;

const unchanging = {
  AutoDeleteOnIdle: FOR_EVER,
  EnablePartitioning: false,
  EntityAvailabilityStatus: "Available",
  EnableExpress: false,
  MaxMessageSizeInKilobytes: MAX_MESSAGE_SIZE_KB,
};

export function descriptionOf(entity: Entity, subscriptionCount: number): Description {
  const namespaces = { "@xmlns": CONNECT, "@xmlns:i": "http://www.w3.org/2001/XMLSchema-instance" };
  switch (entity.kind) {
    case "queue":
      return {
        QueueDescription: {
          ...namespaces,
          LockDuration: isoDuration(entity.settings.lockDuration),
          ...sizeLimit(entity.settings),
          RequiresDuplicateDetection: entity.settings.requiresDuplicateDetection,
          RequiresSession: entity.settings.requiresSession,
          ...expiry(entity.settings),
          ...duplicateWindow(entity.settings),
          MaxDeliveryCount: entity.settings.maxDeliveryCount,
          EnableBatchedOperations: true,
          ...sizes(entity.queue),
          ...upkeep(entity),
          SupportOrdering: true,
          ...counts(entity.queue),
          ...unchanging,
        },
      };
    case "topic":
      return {
        TopicDescription: {
          ...namespaces,
          DefaultMessageTimeToLive: isoDuration(entity.settings.defaultMessageTimeToLive),
          ...sizeLimit(entity.settings),
          RequiresDuplicateDetection: entity.settings.requiresDuplicateDetection,
          ...duplicateWindow(entity.settings),
          EnableBatchedOperations: true,
          SizeInBytes: sizeOf(entity.queue),
          ...upkeep(entity),
          SupportOrdering: true,
          ...counts(entity.queue),
          SubscriptionCount: subscriptionCount,
          ...unchanging,
        },
      };
    case "subscription":
      return {
        SubscriptionDescription: {
          ...namespaces,
          LockDuration: isoDuration(entity.settings.lockDuration),
          RequiresSession: entity.settings.requiresSession,
          ...expiry(entity.settings),
          DeadLetteringOnFilterEvaluationExceptions: true,
          MessageCount: totalOf(entity.queue),
          MaxDeliveryCount: entity.settings.maxDeliveryCount,
          EnableBatchedOperations: true,
          ...upkeep(entity),
          ...counts(entity.queue),
          AutoDeleteOnIdle: FOR_EVER,
          EntityAvailabilityStatus: "Available",
        },
      };
  }
}

function sizeLimit({
  maxSizeInMegabytes = DEFAULT_SIZE_MB,
}: {
  maxSizeInMegabytes?: number | undefined;
}) {
  return { MaxSizeInMegabytes: maxSizeInMegabytes };
}

function expiry(settings: {
  defaultMessageTimeToLive?: number | undefined;
  deadLetteringOnMessageExpiration: boolean;
}): Description {
  return {
    DefaultMessageTimeToLive: isoDuration(settings.defaultMessageTimeToLive),
    DeadLetteringOnMessageExpiration: settings.deadLetteringOnMessageExpiration,
  };
}

function duplicateWindow(settings: { duplicateDetectionHistoryTimeWindow: number }): Description {
  const windowMs = settings.duplicateDetectionHistoryTimeWindow;
  return { DuplicateDetectionHistoryTimeWindow: isoDuration(windowMs) };
}

/** Whether it works, since when, and when it was last changed and used. */
function upkeep({ settings, queue, createdAtMs, updatedAtMs }: Entity): Description {
  const { accessedAtMs } = queue;
  return {
    Status: "Active",
    ...(settings.userMetadata !== undefined && { UserMetadata: settings.userMetadata }),
    CreatedAt: new Date(createdAtMs).toISOString(),
    UpdatedAt: new Date(updatedAtMs).toISOString(),
    AccessedAt: accessedAtMs === undefined ? NEVER : new Date(accessedAtMs).toISOString(),
  };
}

function sizes(queue: Queue): Description {
  return { SizeInBytes: sizeOf(queue), MessageCount: totalOf(queue) };
}

function sizeOf(queue: Queue): number {
  let bytes = 0;
  for (const { content } of [...queue.messages.values(), ...deadIn(queue)]) {
    const { annotations, properties, applicationProperties, body } = content;
    const sections = [annotations, properties, applicationProperties, body];
    for (const section of sections) bytes += section?.length ?? 0;
  }
  return bytes;
}

function totalOf(queue: Queue): number {
  return queue.messages.size + (queue.deadLetterQueue?.messages.size ?? 0);
}

function deadIn(queue: Queue) {
  return queue.deadLetterQueue?.messages.values() ?? [];
}

function counts(queue: Queue): Description {
  let scheduled = 0;
  for (const { state } of queue.messages.values()) if (state === "scheduled") scheduled += 1;
  return {
    CountDetails: {
      "@xmlns:d2p1": COUNTS,
      "d2p1:ActiveMessageCount": queue.messages.size - scheduled,
      "d2p1:DeadLetterMessageCount": queue.deadLetterQueue?.messages.size ?? 0,
      "d2p1:ScheduledMessageCount": scheduled,
      "d2p1:TransferMessageCount": 0,
      "d2p1:TransferDeadLetterMessageCount": 0,
    },
  };
}

/** undefined: for ever. */
export function isoDuration(durationMs: number | undefined): string {
  if (durationMs === undefined) return FOR_EVER;
  const seconds = Math.floor(durationMs / 1000);
  const days = Math.floor(seconds / 86_400);
  const parts = [
    [Math.floor(seconds / 3600) % 24, "H"],
    [Math.floor(seconds / 60) % 60, "M"],
    [(seconds % 60) + (durationMs % 1000) / 1000, "S"],
  ] as const;
  const time = parts.map(([amount, unit]) => (amount === 0 ? "" : `${amount}${unit}`)).join("");
  const date = days === 0 ? "" : `${days}D`;
  return date + time === "" ? "PT0S" : `P${date}${time === "" ? "" : `T${time}`}`;
}
