// What operators need of a dead-letter queue: look without a lock, take, send a copy to where it came from, and only then
// complete.
//
// Sequence numbers are the broker's own, as decimal text: 64 bits, and only their order means anything.
import type { QueueName } from "./ports.ts";

export type Property = string | number | boolean | Date | null;
export type Properties = Readonly<Record<string, Property>>;

/** What a message carries: bytes as a rule; the rest is AMQP's own, and shown as JSON. */
export type LetterBody =
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "amqp"; type: "value" | "sequence" | "several"; text: string };

export interface DeadLetter {
  queue: QueueName;
  sequenceNumber: string;
  messageId: string;
  sessionId: string | undefined;
  contentType: string | undefined;
  correlationId: string | undefined;
  enqueuedAtMs: number | undefined;
  deliveryCount: number;
  reason: string | undefined;
  description: string | undefined;
  body: LetterBody;
  /** The application's, without the broker's two about the dead letter. */
  properties: Properties;
}

/** Of a copy, what differs; body, session and the rest stay as they were. */
export interface LetterCopy {
  messageId: string;
  properties: Properties;
  /** Instead of body, content type and session. */
  edited?: { sessionId: string; json: string };
}

export type Sent =
  | "sent"
  /** With these properties it is larger than the queue takes. */
  | "tooLarge"
  /** The same copy never will be taken. */
  | "refused"
  /** The queue is full, or disabled: it takes nothing just now. */
  | "closed"
  /** It may be there, or may never have arrived. */
  | "uncertain";

/** Holds a lock on each letter that it has received and not settled, for the queue's lock duration. */
export interface OpenDeadLetters {
  /** Oldest first; none when none is free within `waitMs`. */
  receive(max: number, waitMs: number): Promise<DeadLetter[]>;
  send(letter: DeadLetter, copy: LetterCopy): Promise<Sent>;
  /** `lost`: its lock is gone, and it will be seen again. */
  complete(letter: DeadLetter): Promise<"completed" | "lost">;
  /** Gives back what is held, a few at once and the rest when their locks end. */
  close(): Promise<void>;
}

export interface DeadLetterStore {
  /** In order, from that number on. */
  peek(queue: QueueName, options: { from?: string; max: number }): Promise<DeadLetter[]>;
  open(queue: QueueName): OpenDeadLetters;
}

/** Negative when `a` is before `b`. */
export function compareSequence(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}
