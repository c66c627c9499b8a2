// Into a queue: now or at a later time, one message or several at once.
//
// A batch is atomic: everything is checked first, and all of it is stored in one transaction or
// none. A duplicate (same message id within the queue's window, scheduled messages included) is
// reported as accepted and dropped, as Azure does.

import type { Message, NewMessage, Refusal } from "./message.ts";
import { entityNotFound, notAllowed, refusals, tooLarge } from "./message.ts";
import { admit, nextSequenceNumber, removeMessage, type Queue } from "./queue.ts";

/** Azure's Standard tier: a message or a batch with all its properties. */
export const MESSAGE_SIZE_MAX_BYTES = 262_144;
const ID_LENGTH_MAX = 128;

export type Enqueued = { sequenceNumbers: number[] };

export function checkMessages(queue: Queue, messages: NewMessage[]): Refusal | undefined {
  if (queue.deleted) return entityNotFound(queue.name);
  const sizeBytes = messages.reduce((sum, message) => sum + message.sizeBytes, 0);
  if (sizeBytes > MESSAGE_SIZE_MAX_BYTES) return tooLarge(sizeBytes, MESSAGE_SIZE_MAX_BYTES);
  for (const { messageId, sessionId } of messages) {
    if (queue.settings.requiresSession && sessionId === undefined) {
      return notAllowed(
        "The SessionId was not set on a message, and it cannot be sent to the entity.",
      );
    }
    if (messageId.length > ID_LENGTH_MAX || (sessionId?.length ?? 0) > ID_LENGTH_MAX) {
      return {
        condition: "com.microsoft:argument-error",
        description: `A message or session id is longer than ${ID_LENGTH_MAX} characters.`,
      };
    }
  }
  return undefined;
}

export function enqueue(queue: Queue, messages: NewMessage[]): Refusal | Enqueued {
  const refusal = checkMessages(queue, messages);
  if (refusal !== undefined) return refusal;
  forgetOldIds(queue);
  queue.accessedAtMs = queue.clock.nowMs();
  return { sequenceNumbers: messages.map((message) => enqueueOne(queue, message)) };
}

function enqueueOne(queue: Queue, arriving: NewMessage): number {
  const first = queue.recentIds.get(arriving.messageId);
  if (first !== undefined) {
    queue.log.note("duplicateDropped", queue.name, arriving);
    return first.sequenceNumber;
  }
  const nowMs = queue.clock.nowMs();
  const isScheduled = (arriving.scheduledForMs ?? 0) > nowMs;
  const timeToLiveMs = shorter(arriving.timeToLiveMs, queue.settings.defaultMessageTimeToLive);
  const sequenceNumber = nextSequenceNumber(queue);
  const message: Message = {
    sequenceNumber,
    enqueuedSequenceNumber: sequenceNumber,
    state: isScheduled ? "scheduled" : "active",
    messageId: arriving.messageId,
    sessionId: arriving.sessionId,
    enqueuedAtMs: nowMs,
    scheduledForMs: arriving.scheduledForMs,
    timeToLiveMs,
    // The time to live of a scheduled message begins when it becomes active.
    expiresAtMs: isScheduled || timeToLiveMs === undefined ? undefined : nowMs + timeToLiveMs,
    deliveryCount: 0,
    content: arriving.content,
    lock: undefined,
  };
  admit(queue, message);
  remember(queue, message);
  queue.log.note(isScheduled ? "scheduled" : "sent", queue.name, message);
  return sequenceNumber;
}

/** All or none: an unknown number leaves the others scheduled. */
export function cancelScheduled(queue: Queue, sequenceNumbers: number[]): Refusal | undefined {
  const messages: Message[] = [];
  for (const sequenceNumber of sequenceNumbers) {
    const message = queue.messages.get(sequenceNumber);
    if (message?.state !== "scheduled") return refusals.messageNotFound;
    messages.push(message);
  }
  for (const message of messages) {
    removeMessage(queue, message);
    queue.log.note("cancelled", queue.name, message);
  }
  return undefined;
}

function remember(queue: Queue, { messageId, sequenceNumber, enqueuedAtMs }: Message): void {
  if (!queue.settings.requiresDuplicateDetection) return;
  const recent = { messageId, sequenceNumber, seenAtMs: enqueuedAtMs };
  queue.recentIds.set(messageId, recent);
  queue.store.putRecentId(queue.name, recent);
}

function forgetOldIds(queue: Queue): void {
  const oldestMs = queue.clock.nowMs() - queue.settings.duplicateDetectionHistoryTimeWindow;
  for (const { messageId, seenAtMs } of queue.recentIds.values()) {
    // Oldest first, so the first one still inside the window ends the search.
    if (seenAtMs > oldestMs) return;
    queue.recentIds.delete(messageId);
    queue.store.removeRecentId(queue.name, messageId);
  }
}

function shorter(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
