// The AMQP 1.0 encoding of a message (OASIS AMQP 1.0, part 3.2): splitting what a sender sent into
// its sections, and writing a delivery. A section is copied as bytes wherever possible; only where
// a value must be read or set is it taken apart, and then element by element with its AMQP type.

import { randomUUID } from "node:crypto";

import type { Typed } from "rhea";

import { types } from "../amqp/codec.ts";

import type { Message, MessageContent, NewMessage } from "./message.ts";

const HEADER = 0x70;
const MESSAGE_ANNOTATIONS = 0x72;
const PROPERTIES = 0x73;
const APPLICATION_PROPERTIES = 0x74;
const DATA = 0x75;

const MESSAGE_ID_FIELD = 0;
const GROUP_ID_FIELD = 10;

/** Annotations the broker itself writes; whatever a sender put there is replaced. */
const BROKER_ANNOTATIONS = new Set([
  "x-opt-sequence-number",
  "x-opt-enqueued-time",
  "x-opt-locked-until",
  "x-opt-message-state",
  "x-opt-scheduled-enqueue-time",
  "x-opt-enqueue-sequence-number",
]);

const STATE_CODES = { active: 0, deferred: 1, scheduled: 2 } as const;

/** Reads one encoded message. A missing message id is invented: the SDK cannot settle without. */
export function readMessage(encoded: Buffer): NewMessage {
  const reader = new types.Reader(encoded);
  const sections = new Map<number, { typed: Typed; raw: Buffer }>();
  let bodyStart = encoded.length;
  while (reader.remaining() > 0) {
    const start = reader.position;
    const typed = reader.read();
    const code = Number(typed.descriptor?.value);
    if (code > APPLICATION_PROPERTIES) {
      bodyStart = start;
      break;
    }
    sections.set(code, { typed, raw: encoded.subarray(start, reader.position) });
  }
  const fields = listOf(sections.get(PROPERTIES)?.typed);
  let properties = sections.get(PROPERTIES)?.raw;
  let messageId = textOf(fields[MESSAGE_ID_FIELD]);
  if (messageId === undefined || properties === undefined) {
    messageId = randomUUID().replaceAll("-", "");
    properties = section(
      PROPERTIES,
      types.wrap_list([types.wrap_string(messageId), ...fields.slice(1)]),
    );
  }
  const annotations = sections.get(MESSAGE_ANNOTATIONS);
  const scheduledFor = mapEntries(annotations?.typed).get("x-opt-scheduled-enqueue-time")?.value;
  const timeToLive: unknown = listOf(sections.get(HEADER)?.typed)[2]?.value;
  return {
    messageId,
    sessionId: textOf(fields[GROUP_ID_FIELD]),
    timeToLiveMs: typeof timeToLive === "number" ? timeToLive : undefined,
    scheduledForMs: scheduledFor instanceof Date ? scheduledFor.getTime() : undefined,
    sizeBytes: encoded.length,
    content: {
      annotations: annotations?.raw,
      properties,
      applicationProperties: sections.get(APPLICATION_PROPERTIES)?.raw,
      body: encoded.subarray(bodyStart),
    },
  };
}

/** The messages of a batch (message format 0x80013700): one in each data section. */
export function splitBatch(encoded: Buffer): Buffer[] {
  const reader = new types.Reader(encoded);
  const messages: Buffer[] = [];
  while (reader.remaining() > 0) {
    const typed = reader.read();
    if (Number(typed.descriptor?.value) === DATA) messages.push(typed.value as Buffer);
  }
  return messages;
}

/** A stored message as it goes to a receiver. */
export function writeDelivery(message: Message, lockedUntilMs: number | undefined): Buffer {
  const { content } = message;
  const header = types.wrap_list([
    types.wrap_boolean(true),
    null,
    message.timeToLiveMs === undefined ? null : types.wrap_uint(message.timeToLiveMs),
    null,
    types.wrap_uint(message.deliveryCount),
  ]);
  const parts = [
    section(HEADER, header),
    section(MESSAGE_ANNOTATIONS, types.wrap_map({}), annotationsOf(message, lockedUntilMs)),
    content.properties,
  ];
  if (content.applicationProperties !== undefined) parts.push(content.applicationProperties);
  parts.push(content.body);
  return Buffer.concat(parts);
}

/** The content with application properties added or replaced; the others keep their AMQP types. */
export function withApplicationProperties(
  content: MessageContent,
  added: Record<string, unknown>,
): MessageContent {
  const names = Object.keys(added);
  if (names.length === 0) return content;
  const entries =
    content.applicationProperties === undefined
      ? new Map<string, Typed>()
      : mapEntries(new types.Reader(content.applicationProperties).read());
  for (const name of names) entries.set(name, types.wrap(added[name]));
  const flat = [...entries].flatMap(([name, value]) => [types.wrap_string(name), value]);
  return {
    ...content,
    applicationProperties: section(APPLICATION_PROPERTIES, types.wrap_map({}), flat),
  };
}

/** The application properties and the fields a topic's filters look at. */
export function readForFilters(content: MessageContent): {
  fields: unknown[];
  applicationProperties: Map<string, unknown>;
} {
  const plain = (typed: Typed | undefined): unknown =>
    typed === undefined ? undefined : typed.value;
  const fields = listOf(new types.Reader(content.properties).read()).map(plain);
  const entries =
    content.applicationProperties === undefined
      ? []
      : [...mapEntries(new types.Reader(content.applicationProperties).read())];
  return {
    fields,
    applicationProperties: new Map(entries.map(([name, typed]) => [name, plain(typed)])),
  };
}

function annotationsOf(message: Message, lockedUntilMs: number | undefined): Typed[] {
  const flat: Typed[] = [];
  const add = (name: string, value: Typed): void => {
    flat.push(types.wrap_symbol(name), value);
  };
  if (message.content.annotations !== undefined) {
    const sent = mapEntries(new types.Reader(message.content.annotations).read());
    for (const [name, value] of sent) if (!BROKER_ANNOTATIONS.has(name)) add(name, value);
  }
  // A plain number would go out as a uint; the SDK wants a long.
  add("x-opt-sequence-number", types.wrap_long(message.sequenceNumber));
  add("x-opt-enqueue-sequence-number", types.wrap_long(message.enqueuedSequenceNumber));
  add("x-opt-enqueued-time", types.wrap_timestamp(message.enqueuedAtMs));
  add("x-opt-message-state", types.wrap_int(STATE_CODES[message.state]));
  if (message.scheduledForMs !== undefined) {
    add("x-opt-scheduled-enqueue-time", types.wrap_timestamp(message.scheduledForMs));
  }
  if (lockedUntilMs !== undefined) {
    add("x-opt-locked-until", types.wrap_timestamp(lockedUntilMs));
  }
  return flat;
}

/** One encoded section; `entries`, keys and values in turn, replace the content of a map. */
function section(code: number, typed: Typed, entries?: Typed[]): Buffer {
  if (entries !== undefined) typed.value = entries;
  const writer = new types.Writer();
  writer.write(types.described(types.wrap_ulong(code), typed));
  return writer.toBuffer();
}

function listOf(typed: Typed | undefined): Typed[] {
  return typed === undefined ? [] : (typed.value as Typed[]);
}

function mapEntries(typed: Typed | undefined): Map<string, Typed> {
  const flat = listOf(typed);
  const entries = new Map<string, Typed>();
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const [key, value] = [flat[index], flat[index + 1]];
    if (key !== undefined && value !== undefined) entries.set(String(key.value), value);
  }
  return entries;
}

/** A message or group id as text, whatever AMQP type it came in (string, ulong, uuid, binary). */
function textOf(typed: Typed | undefined): string | undefined {
  const value = typed?.value as string | number | Buffer | null | undefined;
  if (value === undefined || value === null || value === "") return undefined;
  return Buffer.isBuffer(value) ? value.toString("hex") : String(value);
}
