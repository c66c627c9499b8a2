// A message as the broker keeps it: the facts it decides by, and the sender's own AMQP sections as
// raw bytes. The bytes are never decoded and encoded again, for that would lose AMQP types (an int
// would come back as a uint); only the header and the annotations are written anew for a delivery.

export type MessageState = "active" | "deferred" | "scheduled";

/** Encoded AMQP sections, each with its own descriptor; `body` holds all that follows. */
export type MessageContent = {
  annotations: Buffer | undefined;
  properties: Buffer;
  applicationProperties: Buffer | undefined;
  body: Buffer;
};

/** What a sender hands in, before it has a place in a queue. */
export type NewMessage = {
  messageId: string;
  sessionId: string | undefined;
  timeToLiveMs: number | undefined;
  scheduledForMs: number | undefined;
  sizeBytes: number;
  content: MessageContent;
};

export type Message = {
  sequenceNumber: number;
  /** The number it had when it was first accepted: activation and dead-lettering give a new one. */
  enqueuedSequenceNumber: number;
  state: MessageState;
  messageId: string;
  sessionId: string | undefined;
  enqueuedAtMs: number;
  scheduledForMs: number | undefined;
  timeToLiveMs: number | undefined;
  expiresAtMs: number | undefined;
  /** How many deliveries have failed; 0 on the first delivery, as in the AMQP header. */
  deliveryCount: number;
  content: MessageContent;
  lock: Lock | undefined;
};

/** A message held for a receiver. Locks live in memory: a restart of the broker frees them all. */
export type Lock = {
  /** 32 hex digits, in the byte order of the management operations. */
  token: string;
  message: Message;
  untilMs: number;
  /** Set when a session holds the message; the session's lock then is the one that counts. */
  hold: SessionHold | undefined;
  cancelExpiry: () => void;
};

/** One receiver's hold on a session. */
export type SessionHold = {
  sessionId: string;
  linkName: string;
  untilMs: number;
  locks: Set<Lock>;
  ended: boolean;
  cancelExpiry: () => void;
  /** The lock ran out: tell the holder. */
  onLost(): void;
  /** Messages may be there to deliver. */
  pump(): void;
};

/** Why the broker says no, in the AMQP conditions the SDK maps to its error codes. */
export type Refusal = { condition: string; description: string };

export const refusals = {
  messageLockLost: {
    condition: "com.microsoft:message-lock-lost",
    description:
      "The lock supplied is invalid. Either the lock expired, or the message was settled.",
  },
  sessionLockLost: {
    condition: "com.microsoft:session-lock-lost",
    description: "The session lock has expired or is held by another receiver.",
  },
  sessionCannotBeLocked: {
    condition: "com.microsoft:session-cannot-be-locked",
    description: "The requested session cannot be accepted: it is locked by another receiver.",
  },
  messageNotFound: {
    condition: "com.microsoft:message-not-found",
    description: "No message with the given sequence number is there.",
  },
  serverBusy: {
    condition: "com.microsoft:server-busy",
    description: "The broker is busy. Wait and try again.",
  },
  timeout: {
    condition: "com.microsoft:timeout",
    description: "No session with messages became free within the time given.",
  },
} satisfies Record<string, Refusal>;

/** It never was, or it has been deleted. */
export function entityNotFound(address: string): Refusal {
  return {
    condition: "amqp:not-found",
    // The SDK recognises the wording.
    description: `The messaging entity '${address}' could not be found.`,
  };
}

export function notAllowed(description: string): Refusal {
  return { condition: "amqp:not-allowed", description };
}

export function tooLarge(sizeBytes: number, sizeMaxBytes: number): Refusal {
  return {
    condition: "amqp:link:message-size-exceeded",
    description: `The message is ${sizeBytes} bytes; the largest allowed is ${sizeMaxBytes}.`,
  };
}
