// One queue: where each of its messages is, and the moves between those places.
//
//   scheduled --time--> ready --take--> locked --complete--> gone
//                         ^               |--abandon, lock lost--> ready (or dead-letter queue)
//                         |               '--defer--> deferred --take by number--> locked
//   A dead-letter queue is a queue of its own, without sessions, that shares the sequence numbers.
//
// Promises: memory and store change together, in the same turn; a message is in exactly one place;
// within a session `ready` is in sequence order. A new message becomes visible to receivers only
// after the store has committed it. The other rooms' verbs (enqueue, settle, sessions) are built
// from the moves here.

import type { QueueSettings } from "../entities.ts";
import type { CancelAlarm, Clock } from "./clock.ts";
import { withApplicationProperties } from "./content.ts";
import { inOrder, type InOrder } from "./in-order.ts";
import type { MessageLog } from "./message-log.ts";
import {
  entityNotFound,
  type Lock,
  type Message,
  type Refusal,
  type SessionHold,
} from "./message.ts";
import type { RecentId, Store } from "./store/store.ts";

export type Session = {
  id: string;
  ready: InOrder;
  hold: SessionHold | undefined;
  state: Buffer | undefined;
};

/** A receiver of a queue without sessions. */
export type Consumer = { pump(): void };

/** A receiver that waits for whichever session is free next. */
export type SessionWaiter = { give(session: Session): void; refuse(refusal: Refusal): void };

export type Queue = {
  name: string;
  settings: QueueSettings;
  clock: Clock;
  store: Store;
  log: MessageLog;
  counter: { name: string; last: number };
  /** Every message, in sequence order: numbers only ever grow, and a Map keeps insertion order. */
  messages: Map<number, Message>;
  ready: InOrder;
  sessions: Map<string, Session>;
  /** Sessions with ready messages and no holder, longest ready first. */
  freeSessions: Set<Session>;
  waiters: Set<SessionWaiter>;
  consumers: Set<Consumer>;
  locks: Map<string, Lock>;
  recentIds: Map<string, RecentId>;
  /** By sequence number: when a scheduled message becomes active, or an active one expires. */
  alarms: Map<number, CancelAlarm>;
  deadLetterQueue: Queue | undefined;
  /** When a client last sent to it or received from it; undefined: not since the broker started. */
  accessedAtMs: number | undefined;
  /** Once it is deleted it takes in and gives out nothing, whoever still holds on to it. */
  deleted: boolean;
  /** A topic's inbox hands its active messages on instead of keeping them. */
  forward: ((message: Message) => void) | undefined;
};

export type QueueSurroundings = {
  clock: Clock;
  store: Store;
  log: MessageLog;
  forward?: (message: Message) => void;
};

export function openQueue(settings: QueueSettings, surroundings: QueueSurroundings): Queue {
  const counter = { name: settings.name, last: 0 };
  const ofDead = deadLetterSettings(settings);
  const deadLetterQueue = emptyQueue(ofDead, surroundings, counter, undefined);
  const queue = emptyQueue(settings, surroundings, counter, deadLetterQueue);
  fill(deadLetterQueue);
  fill(queue);
  return queue;
}

function deadLetterSettings(settings: QueueSettings): QueueSettings {
  return {
    ...settings,
    name: `${settings.name}/$DeadLetterQueue`,
    requiresSession: false,
    requiresDuplicateDetection: false,
    maxDeliveryCount: Number.MAX_SAFE_INTEGER,
    defaultMessageTimeToLive: undefined,
    deadLetteringOnMessageExpiration: false,
  };
}

/** For what comes from now on: locks and times to live that run keep their ends. */
export function changeSettings(queue: Queue, settings: QueueSettings): void {
  queue.settings = settings;
  if (queue.deadLetterQueue === undefined) return;
  queue.deadLetterQueue.settings = deadLetterSettings(settings);
}

/** Forgets all that is in it, in memory and in the store: nothing rings, returns or is given out any more. */
export function discardQueue(queue: Queue): void {
  queue.deleted = true;
  for (const waiter of queue.waiters) waiter.refuse(entityNotFound(queue.name));
  for (const cancel of queue.alarms.values()) cancel();
  for (const lock of queue.locks.values()) lock.cancelExpiry();
  for (const { hold } of queue.sessions.values()) {
    if (hold === undefined) continue;
    hold.ended = true;
    hold.cancelExpiry();
  }
  queue.ready = inOrder();
  for (const kept of [
    queue.alarms,
    queue.locks,
    queue.sessions,
    queue.messages,
    queue.recentIds,
    queue.freeSessions,
    queue.waiters,
    queue.consumers,
  ]) {
    kept.clear();
  }
  queue.store.removeQueue(queue.name);
  if (queue.deadLetterQueue !== undefined) discardQueue(queue.deadLetterQueue);
}

function emptyQueue(
  settings: QueueSettings,
  surroundings: QueueSurroundings,
  counter: Queue["counter"],
  deadLetterQueue: Queue | undefined,
): Queue {
  return {
    name: settings.name,
    settings,
    ...surroundings,
    counter,
    messages: new Map(),
    ready: inOrder(),
    sessions: new Map(),
    freeSessions: new Set(),
    waiters: new Set(),
    consumers: new Set(),
    locks: new Map(),
    recentIds: new Map(),
    alarms: new Map(),
    deadLetterQueue,
    accessedAtMs: undefined,
    deleted: false,
    forward: surroundings.forward,
  };
}

function fill(queue: Queue): void {
  const contents = queue.store.load(queue.name);
  queue.counter.last = Math.max(queue.counter.last, contents.lastSequenceNumber);
  for (const recent of contents.recentIds) queue.recentIds.set(recent.messageId, recent);
  for (const [id, state] of contents.sessionStates) sessionOf(queue, id).state = state;
  // Those whose time came while the broker was down become active in the order of their times.
  const byTime = contents.messages.toSorted(
    (a, b) =>
      (a.scheduledForMs ?? 0) - (b.scheduledForMs ?? 0) || a.sequenceNumber - b.sequenceNumber,
  );
  for (const message of contents.messages) {
    if (message.state !== "scheduled") place(queue, message);
  }
  for (const message of byTime) if (message.state === "scheduled") place(queue, message);
}

export function nextSequenceNumber(queue: Queue): number {
  queue.counter.last += 1;
  queue.store.setCounter(queue.counter.name, queue.counter.last);
  return queue.counter.last;
}

/** Takes in a message that is new or has just become active. */
export function admit(queue: Queue, message: Message): void {
  if (queue.forward !== undefined && message.state === "active") queue.forward(message);
  else addMessage(queue, message);
}

/** Stores a message; receivers see it once it is on disk. */
export function addMessage(queue: Queue, message: Message): void {
  queue.store.putMessage(queue.name, message);
  queue.store.afterCommit(() => {
    if (!queue.deleted) place(queue, message);
  });
}

export function removeMessage(queue: Queue, message: Message): void {
  queue.store.removeMessage(queue.name, message.sequenceNumber);
  queue.messages.delete(message.sequenceNumber);
  queue.alarms.get(message.sequenceNumber)?.();
  queue.alarms.delete(message.sequenceNumber);
}

/** Puts a stored message where its state says it belongs. */
function place(queue: Queue, message: Message): void {
  queue.messages.set(message.sequenceNumber, message);
  if (message.state === "scheduled") {
    setAlarm(queue, message, message.scheduledForMs ?? 0, () => activate(queue, message));
    return;
  }
  if (message.state === "deferred") return;
  if (message.expiresAtMs !== undefined) {
    setAlarm(queue, message, message.expiresAtMs, () => {
      if (readyOf(queue, message).remove(message)) expire(queue, message);
    });
  }
  makeReady(queue, message);
}

function setAlarm(queue: Queue, message: Message, atMs: number, ring: () => void): void {
  queue.alarms.set(message.sequenceNumber, queue.clock.alarm(atMs, ring));
}

/** Its time has come: it takes the place of its arrival now, with a new sequence number. */
function activate(queue: Queue, message: Message): void {
  removeMessage(queue, message);
  const nowMs = queue.clock.nowMs();
  const active: Message = {
    ...message,
    state: "active",
    sequenceNumber: nextSequenceNumber(queue),
    enqueuedAtMs: nowMs,
    expiresAtMs: message.timeToLiveMs === undefined ? undefined : nowMs + message.timeToLiveMs,
  };
  admit(queue, active);
  queue.log.note("activated", queue.name, active);
}

/** Offers an unlocked message to receivers, in its old place in the order. */
export function makeReady(queue: Queue, message: Message): void {
  if (isExpired(queue, message)) {
    expire(queue, message);
    return;
  }
  readyOf(queue, message).add(message);
  if (queue.settings.requiresSession) wakeSession(queue, sessionOf(queue, message.sessionId ?? ""));
  else wakeConsumers(queue);
}

/** The next message for a receiver, out of `ready` and into the caller's hands. */
export function takeReady(queue: Queue, hold: SessionHold | undefined): Message | undefined {
  const ready = hold === undefined ? queue.ready : sessionOf(queue, hold.sessionId).ready;
  queue.accessedAtMs = queue.clock.nowMs();
  let message = ready.takeFirst();
  while (message !== undefined && isExpired(queue, message)) {
    expire(queue, message);
    message = ready.takeFirst();
  }
  return message;
}

function readyOf(queue: Queue, message: Message): InOrder {
  if (!queue.settings.requiresSession) return queue.ready;
  return sessionOf(queue, message.sessionId ?? "").ready;
}

export function sessionOf(queue: Queue, id: string): Session {
  const known = queue.sessions.get(id);
  if (known !== undefined) return known;
  const session: Session = { id, ready: inOrder(), hold: undefined, state: undefined };
  queue.sessions.set(id, session);
  return session;
}

/** Tells whoever holds or waits for this session that it may have work. */
export function wakeSession(queue: Queue, session: Session): void {
  if (session.hold !== undefined) {
    session.hold.pump();
    return;
  }
  if (session.ready.size === 0) {
    queue.freeSessions.delete(session);
    if (session.state === undefined) queue.sessions.delete(session.id);
    return;
  }
  const [waiter] = queue.waiters;
  if (waiter === undefined) {
    queue.freeSessions.add(session);
    return;
  }
  queue.waiters.delete(waiter);
  waiter.give(session);
}

export function wakeConsumers(queue: Queue): void {
  const inTurn = Array.from(queue.consumers);
  for (const consumer of inTurn) {
    if (queue.ready.size === 0) return;
    consumer.pump();
    // The one just served goes to the back, so that receivers share the load.
    if (queue.consumers.delete(consumer)) queue.consumers.add(consumer);
  }
}

function isExpired(queue: Queue, message: Message): boolean {
  return message.expiresAtMs !== undefined && message.expiresAtMs <= queue.clock.nowMs();
}

function expire(queue: Queue, message: Message): void {
  queue.log.note("expired", queue.name, message);
  if (queue.settings.deadLetteringOnMessageExpiration && queue.deadLetterQueue !== undefined) {
    moveToDeadLetters(queue, message, {
      DeadLetterReason: "TTLExpiredException",
      DeadLetterErrorDescription: "The message expired and was dead lettered.",
    });
  } else {
    removeMessage(queue, message);
  }
}

export function moveToDeadLetters(
  queue: Queue,
  message: Message,
  properties: Record<string, unknown>,
): void {
  const { deadLetterQueue } = queue;
  if (deadLetterQueue === undefined) throw new Error(`${queue.name} has no dead-letter queue.`);
  removeMessage(queue, message);
  const dead: Message = {
    ...message,
    state: "active",
    sequenceNumber: nextSequenceNumber(queue),
    content: withApplicationProperties(message.content, properties),
    // A dead-letter queue observes no time to live and counts its own deliveries.
    expiresAtMs: undefined,
    lock: undefined,
  };
  addMessage(deadLetterQueue, dead);
  queue.log.note("deadLettered", queue.name, message);
}

/** The number of failed deliveries has gone up by one: back to its place, or to the dead letters. */
export function returnAfterFailure(queue: Queue, message: Message): void {
  message.deliveryCount += 1;
  if (message.deliveryCount >= queue.settings.maxDeliveryCount) {
    moveToDeadLetters(queue, message, {
      DeadLetterReason: "MaxDeliveryCountExceeded",
      DeadLetterErrorDescription: `Message could not be consumed after ${message.deliveryCount} delivery attempts.`,
    });
    return;
  }
  queue.store.updateMessage(queue.name, message);
  if (message.state === "active") makeReady(queue, message);
}
