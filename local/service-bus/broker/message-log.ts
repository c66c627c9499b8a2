// What happened to messages, for tests and for people who wonder: the last 20 000 events, in
// memory. `n` only ever grows, so a reader asks for what came after the last one it saw.

import type { Clock } from "./clock.ts";

const EVENTS_KEPT_MAX = 20_000;

export type MessageEventKind =
  | "sent"
  | "scheduled"
  | "duplicateDropped"
  | "discarded"
  | "activated"
  | "cancelled"
  | "delivered"
  | "completed"
  | "abandoned"
  | "deferred"
  | "deadLettered"
  | "expired"
  | "lockLost"
  | "sessionLocked"
  | "sessionReleased"
  | "sessionLockLost";

export type MessageEvent = {
  n: number;
  /** ISO 8601, broker clock. */
  at: string;
  kind: MessageEventKind;
  queue: string;
  messageId?: string;
  sessionId?: string;
  sequenceNumber?: number;
  deliveryCount?: number;
};

type Noted = {
  messageId?: string;
  sessionId?: string | undefined;
  sequenceNumber?: number;
  deliveryCount?: number;
};

export type MessageLog = {
  note(kind: MessageEventKind, queue: string, facts: Noted): void;
  after(n: number): MessageEvent[];
  /** Since the broker started, those that are no longer kept included. */
  counts(): Partial<Record<MessageEventKind, number>>;
};

export function messageLog(clock: Clock): MessageLog {
  let events: MessageEvent[] = [];
  let last = 0;
  const counts: Partial<Record<MessageEventKind, number>> = {};
  return {
    counts: () => counts,
    note(kind, queue, { messageId, sessionId, sequenceNumber, deliveryCount }) {
      last += 1;
      counts[kind] = (counts[kind] ?? 0) + 1;
      events.push({
        n: last,
        at: new Date(clock.nowMs()).toISOString(),
        kind,
        queue,
        ...(messageId !== undefined && { messageId }),
        ...(sessionId !== undefined && { sessionId }),
        ...(sequenceNumber !== undefined && { sequenceNumber }),
        ...(deliveryCount !== undefined && { deliveryCount }),
      });
      if (events.length > 2 * EVENTS_KEPT_MAX) events = events.slice(-EVENTS_KEPT_MAX);
    },
    after: (n) => events.slice(events.findLastIndex((event) => event.n <= n) + 1),
  };
}
