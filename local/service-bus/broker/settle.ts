// Out of a queue: a receiver takes a message under a lock and says what became of it.
//
// The lock is either the message's own (a queue without sessions) or its session's. Settling needs
// a lock that still stands; otherwise the answer is a refusal and nothing changes, because by then
// another receiver may be working on the message.

import { randomBytes } from "node:crypto";

import { withApplicationProperties } from "./content.ts";
import type { Lock, Message, Refusal, SessionHold } from "./message.ts";
import { notAllowed, refusals } from "./message.ts";
import {
  makeReady,
  moveToDeadLetters,
  removeMessage,
  returnAfterFailure,
  takeReady,
  type Queue,
} from "./queue.ts";

export type Settlement =
  | { kind: "complete" }
  | { kind: "abandon"; properties: Record<string, unknown> }
  | { kind: "defer"; properties: Record<string, unknown> }
  | { kind: "deadLetter"; properties: Record<string, unknown> }
  /** Back to its place, uncounted: the broker's own, for a receiver that never got it. */
  | { kind: "release" };

/** Takes the next message and locks it. */
export function receive(queue: Queue, hold: SessionHold | undefined): Lock | undefined {
  const message = takeReady(queue, hold);
  return message === undefined ? undefined : lockMessage(queue, message, hold);
}

/** Takes the next message and forgets it (receive-and-delete). */
export function receiveAndDelete(queue: Queue, hold: SessionHold | undefined): Message | undefined {
  const message = takeReady(queue, hold);
  if (message === undefined) return undefined;
  removeMessage(queue, message);
  queue.log.note("delivered", queue.name, message);
  queue.log.note("completed", queue.name, message);
  return message;
}

function lockMessage(queue: Queue, message: Message, hold: SessionHold | undefined): Lock {
  const lock: Lock = {
    token: randomBytes(16).toString("hex"),
    message,
    untilMs: hold?.untilMs ?? queue.clock.nowMs() + queue.settings.lockDuration,
    hold,
    cancelExpiry: () => {},
  };
  message.lock = lock;
  queue.locks.set(lock.token, lock);
  if (hold === undefined) watchExpiry(queue, lock);
  else hold.locks.add(lock);
  queue.log.note("delivered", queue.name, message);
  return lock;
}

function watchExpiry(queue: Queue, lock: Lock): void {
  lock.cancelExpiry = queue.clock.alarm(lock.untilMs, () => {
    queue.log.note("lockLost", queue.name, lock.message);
    unlock(queue, lock);
    returnAfterFailure(queue, lock.message);
  });
}

export function unlock(queue: Queue, lock: Lock): void {
  lock.cancelExpiry();
  queue.locks.delete(lock.token);
  lock.hold?.locks.delete(lock);
  lock.message.lock = undefined;
}

export function renewLock(queue: Queue, token: string): Refusal | { untilMs: number } {
  const lock = queue.locks.get(token);
  if (lock === undefined) return refusals.messageLockLost;
  if (lock.hold !== undefined) return { untilMs: lock.hold.untilMs };
  lock.cancelExpiry();
  lock.untilMs = queue.clock.nowMs() + queue.settings.lockDuration;
  watchExpiry(queue, lock);
  return { untilMs: lock.untilMs };
}

export function settle(queue: Queue, token: string, settlement: Settlement): Refusal | undefined {
  const lock = queue.locks.get(token);
  if (lock === undefined) return refusals.messageLockLost;
  const { message } = lock;
  if (settlement.kind === "deadLetter" && queue.deadLetterQueue === undefined) {
    return notAllowed("A message in a dead-letter queue cannot be dead-lettered.");
  }
  unlock(queue, lock);
  switch (settlement.kind) {
    case "complete":
      removeMessage(queue, message);
      queue.log.note("completed", queue.name, message);
      return undefined;
    case "abandon":
      queue.log.note("abandoned", queue.name, message);
      returnAfterFailure(queue, modified(queue, message, settlement.properties));
      return undefined;
    case "defer": {
      const deferred = modified(queue, message, settlement.properties);
      deferred.state = "deferred";
      queue.store.updateMessage(queue.name, deferred);
      queue.log.note("deferred", queue.name, deferred);
      return undefined;
    }
    case "deadLetter":
      moveToDeadLetters(queue, message, settlement.properties);
      return undefined;
    case "release":
      if (message.state === "active") makeReady(queue, message);
      return undefined;
  }
}

/** The same message with application properties changed, in memory and in the store. */
function modified(queue: Queue, message: Message, properties: Record<string, unknown>): Message {
  if (Object.keys(properties).length === 0) return message;
  message.content = withApplicationProperties(message.content, properties);
  queue.store.removeMessage(queue.name, message.sequenceNumber);
  queue.store.putMessage(queue.name, message);
  return message;
}

/** All or none, like Azure's: a number that is not deferred, or is locked, fails the request. */
export function takeDeferred(
  queue: Queue,
  sequenceNumbers: number[],
  hold: SessionHold | undefined,
): Refusal | Message[] {
  const messages: Message[] = [];
  for (const sequenceNumber of sequenceNumbers) {
    const message = queue.messages.get(sequenceNumber);
    const isThere =
      message?.state === "deferred" &&
      message.lock === undefined &&
      (hold === undefined || message.sessionId === hold.sessionId);
    if (!isThere) return refusals.messageNotFound;
    messages.push(message);
  }
  return messages;
}

export function lockDeferred(queue: Queue, message: Message, hold: SessionHold | undefined): Lock {
  return lockMessage(queue, message, hold);
}

export function deleteDeferred(queue: Queue, message: Message): void {
  removeMessage(queue, message);
  queue.log.note("completed", queue.name, message);
}

/** Messages from a sequence number on, whatever their state; nothing is locked. */
export function peek(
  queue: Queue,
  from: number,
  countMax: number,
  sessionId: string | undefined,
): Message[] {
  const found: Message[] = [];
  for (const message of queue.messages.values()) {
    if (found.length >= countMax) break;
    if (message.sequenceNumber < from) continue;
    if (sessionId !== undefined && message.sessionId !== sessionId) continue;
    found.push(message);
  }
  return found;
}
