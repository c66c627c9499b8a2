// The operations of `$management`, by name (without "com.microsoft:"). Each reads its request body,
// calls a verb of the broker and shapes the reply; names and types of the fields are those the SDK
// sends and reads.
//
// Operations on a session count only from the link that holds it (`associated-link-name`): a former
// holder must not renew or change what another now works on.

import type { Typed } from "rhea";

import type { Broker } from "../../broker/broker.ts";
import { readMessage, writeDelivery } from "../../broker/content.ts";
import { cancelScheduled, enqueue, MESSAGE_SIZE_MAX_BYTES } from "../../broker/enqueue.ts";
import type { Message, NewMessage, Refusal, SessionHold } from "../../broker/message.ts";
import { notAllowed, refusals, tooLarge } from "../../broker/message.ts";
import { nextSequenceNumber, type Queue } from "../../broker/queue.ts";
import { holdOf, renewSession, setSessionState } from "../../broker/sessions.ts";
import {
  deleteDeferred,
  lockDeferred,
  peek,
  renewLock,
  settle,
  takeDeferred,
  type Settlement,
} from "../../broker/settle.ts";
import { types } from "../codec.ts";
import { uuidOfToken } from "../lock-token.ts";
import { isRefusal } from "../under-faults.ts";

const AMQP_LONG = 0x81;
const AMQP_TIMESTAMP = 0x83;
/** A page of peeked messages stays near the size of a message, as on a real link. */
const PEEK_SIZE_MAX_BYTES = 1_048_576;

export type ManagementReply = { statusCode?: number; body?: Record<string, unknown> };

export type ManagementRequest = {
  broker: Broker;
  queue: Queue;
  body: Record<string, unknown>;
  linkName: string | undefined;
};

type Handler = (request: ManagementRequest) => ManagementReply | Refusal;

export const operations: Record<string, Handler | undefined> = {
  "peek-message": peekMessages,
  "renew-lock": renewLocks,
  "schedule-message": scheduleMessages,
  "cancel-scheduled-message": cancelMessages,
  "receive-by-sequence-number": receiveDeferred,
  "update-disposition": updateDisposition,
  "renew-session-lock": renewSessionLock,
  "set-session-state": setState,
  "get-session-state": getState,
  "get-message-sessions": listSessions,
};

function peekMessages({ queue, body }: ManagementRequest): ManagementReply {
  const found = peek(
    queue,
    toNumber(body["from-sequence-number"]),
    toNumber(body["message-count"]),
    textOrUndefined(body["session-id"]),
  );
  if (found.length === 0) return { statusCode: 204 };
  const messages: Record<string, Typed>[] = [];
  let sizeBytes = 0;
  for (const message of found) {
    const encoded = writeDelivery(message, undefined);
    sizeBytes += encoded.length;
    if (messages.length > 0 && sizeBytes > PEEK_SIZE_MAX_BYTES) break;
    messages.push({ message: types.wrap_binary(encoded) });
  }
  return { body: { messages: types.wrap_list(messages) } };
}

function renewLocks({ queue, body }: ManagementRequest): ManagementReply | Refusal {
  const untils: number[] = [];
  for (const token of tokensOf(body)) {
    const renewed = renewLock(queue, token);
    if (isRefusal(renewed)) return renewed;
    untils.push(renewed.untilMs);
  }
  return { body: { expirations: types.wrap_array(untils, AMQP_TIMESTAMP, undefined) } };
}

/** What a planned fault does instead: accepted, numbered, and never to come. */
export const discarding: Record<string, Handler | undefined> = {
  "schedule-message": ({ body, queue }) =>
    numbered(
      messagesOf(body).map((lost) => {
        queue.log.note("discarded", queue.name, lost);
        return nextSequenceNumber(queue);
      }),
    ),
};

function scheduleMessages({ queue, body }: ManagementRequest): ManagementReply | Refusal {
  const enqueued = enqueue(queue, messagesOf(body));
  return isRefusal(enqueued) ? enqueued : numbered(enqueued.sequenceNumbers);
}

function messagesOf(body: ManagementRequest["body"]): NewMessage[] {
  const entries = (body["messages"] ?? []) as { message: Buffer }[];
  return entries.map((entry) => readMessage(entry.message));
}

function numbered(sequenceNumbers: number[]): ManagementReply {
  const numbers = types.wrap_array(sequenceNumbers, AMQP_LONG, undefined);
  return { body: { "sequence-numbers": numbers } };
}

function cancelMessages({ queue, body }: ManagementRequest): ManagementReply | Refusal {
  return cancelScheduled(queue, sequenceNumbersOf(body)) ?? {};
}

function receiveDeferred(request: ManagementRequest): ManagementReply | Refusal {
  const { queue, body } = request;
  const hold = requiredHold(request);
  if (isRefusal(hold)) return hold;
  const taken = takeDeferred(queue, sequenceNumbersOf(body), hold);
  if (isRefusal(taken)) return taken;
  const deletes = toNumber(body["receiver-settle-mode"]) === 0;
  const messages = taken.map((message) => {
    if (deletes) {
      deleteDeferred(queue, message);
      return { message: encoded(message, undefined) };
    }
    const lock = lockDeferred(queue, message, hold);
    return { message: encoded(message, lock.untilMs), "lock-token": uuidOfToken(lock.token) };
  });
  return { body: { messages: types.wrap_list(messages) } };
}

function encoded(message: Message, lockedUntilMs: number | undefined): Typed {
  return types.wrap_binary(writeDelivery(message, lockedUntilMs));
}

function updateDisposition(request: ManagementRequest): ManagementReply | Refusal {
  const { queue, body } = request;
  const hold = requiredHold(request);
  if (isRefusal(hold)) return hold;
  const settlement = settlementOf(body);
  if (isRefusal(settlement)) return settlement;
  const tokens = tokensOf(body);
  if (tokens.some((token) => !queue.locks.has(token))) return refusals.messageLockLost;
  for (const token of tokens) {
    const refusal = settle(queue, token, settlement);
    if (refusal !== undefined) return refusal;
  }
  return {};
}

function settlementOf(body: Record<string, unknown>): Settlement | Refusal {
  const properties = (body["properties-to-modify"] ?? {}) as Record<string, unknown>;
  switch (body["disposition-status"]) {
    case "completed":
      return { kind: "complete" };
    case "abandoned":
      return { kind: "abandon", properties };
    case "defered":
      return { kind: "defer", properties };
    case "suspended": {
      const reason = textOrUndefined(body["deadletter-reason"]);
      const description = textOrUndefined(body["deadletter-description"]);
      return {
        kind: "deadLetter",
        properties: {
          ...properties,
          ...(reason !== undefined && { DeadLetterReason: reason }),
          ...(description !== undefined && { DeadLetterErrorDescription: description }),
        },
      };
    }
    default:
      return notAllowed(`No disposition "${String(body["disposition-status"])}".`);
  }
}

function renewSessionLock(request: ManagementRequest): ManagementReply | Refusal {
  const hold = requiredHold(request);
  if (isRefusal(hold)) return hold;
  if (hold === undefined) return notAllowed("The entity has no sessions.");
  const { untilMs } = renewSession(request.queue, hold);
  return { body: { expiration: types.wrap_timestamp(untilMs) } };
}

function setState(request: ManagementRequest): ManagementReply | Refusal {
  const hold = requiredHold(request);
  if (isRefusal(hold)) return hold;
  if (hold === undefined) return notAllowed("The entity has no sessions.");
  const state = request.body["session-state"];
  const bytes = Buffer.isBuffer(state) ? Buffer.from(state) : undefined;
  if ((bytes?.length ?? 0) > MESSAGE_SIZE_MAX_BYTES) {
    return tooLarge(bytes?.length ?? 0, MESSAGE_SIZE_MAX_BYTES);
  }
  setSessionState(request.queue, hold.sessionId, bytes);
  return {};
}

function getState(request: ManagementRequest): ManagementReply | Refusal {
  const hold = requiredHold(request);
  if (isRefusal(hold)) return hold;
  const state = request.queue.sessions.get(hold?.sessionId ?? "")?.state;
  return { body: { "session-state": state === undefined ? null : types.wrap_binary(state) } };
}

/** Sessions with messages or with state, by id. `last-updated-time` is not kept, so not heeded. */
function listSessions({ queue, body }: ManagementRequest): ManagementReply {
  const skip = toNumber(body["skip"]);
  const ids = new Set(
    [...queue.sessions.values()].filter((s) => s.state !== undefined).map((s) => s.id),
  );
  for (const { sessionId } of queue.messages.values()) {
    if (sessionId !== undefined) ids.add(sessionId);
  }
  const page = [...ids].sort().slice(skip, skip + toNumber(body["top"]));
  if (page.length === 0) return { statusCode: 204 };
  return { body: { skip: skip + page.length, "sessions-ids": types.wrap_list(page) } };
}

/** On a queue with sessions, the hold the request must come under; undefined on a plain queue. */
function requiredHold({
  queue,
  body,
  linkName,
}: ManagementRequest): SessionHold | undefined | Refusal {
  if (!queue.settings.requiresSession) return undefined;
  const sessionId = textOrUndefined(body["session-id"]);
  const hold = sessionId === undefined ? undefined : holdOf(queue, sessionId, linkName);
  return hold ?? refusals.sessionLockLost;
}

function tokensOf(body: Record<string, unknown>): string[] {
  return ((body["lock-tokens"] ?? []) as Buffer[]).map((token) => token.toString("hex"));
}

function sequenceNumbersOf(body: Record<string, unknown>): number[] {
  return ((body["sequence-numbers"] ?? []) as unknown[]).map(toNumber);
}

/** rhea hands over a long as a number, or as 8 bytes when it is large. */
function toNumber(value: unknown): number {
  return Buffer.isBuffer(value) ? Number(value.readBigInt64BE()) : Number(value ?? 0);
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
