// A dead letter as the SDK shows it, and the copy of it that is sent again: the same bytes, session, content type and
// correlation, under another message id.
//
// The time at which it expired is left out, or the copy would be dead at once; its time to live counts anew.
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import type {
  DeadLetter,
  LetterBody,
  LetterCopy,
  Properties,
  Property,
} from "../dead-letter-port.ts";
import type { QueueName } from "../ports.ts";

type AmqpMessage = ServiceBusReceivedMessage["_rawAmqpMessage"];

const brokersOwn = ["DeadLetterReason", "DeadLetterErrorDescription"];
const partitionKey = "x-opt-partition-key";

export function letterOf(queue: QueueName, message: ServiceBusReceivedMessage): DeadLetter {
  const { contentType, deliveryCount, enqueuedTimeUtc, sequenceNumber, sessionId } = message;
  return {
    queue,
    sequenceNumber: sequenceNumber?.toString() ?? "0",
    messageId: textOf(message.messageId) ?? "",
    sessionId,
    contentType,
    correlationId: textOf(message.correlationId),
    enqueuedAtMs: enqueuedTimeUtc?.getTime(),
    deliveryCount: deliveryCount ?? 0,
    reason: message.deadLetterReason,
    description: message.deadLetterErrorDescription,
    body: bodyOf(message),
    properties: propertiesOf(message),
  };
}

/** To send; throws for what `bodyOf` calls "several", which nobody may ask for. */
export function copyOf(
  { _rawAmqpMessage: raw, body }: ServiceBusReceivedMessage,
  { edited, messageId, properties }: LetterCopy,
): AmqpMessage {
  const { absoluteExpiryTime: _ended, creationTime: _begun, ...kept } = raw.properties ?? {};
  const { timeToLive } = raw.header ?? {};
  const key: unknown = raw.messageAnnotations?.[partitionKey];
  return {
    body: edited === undefined ? (body as unknown) : Buffer.from(edited.json),
    bodyType: edited === undefined ? (raw.bodyType ?? "data") : "data",
    ...(timeToLive === undefined ? {} : { header: { timeToLive } }),
    ...(key === undefined || edited !== undefined
      ? {}
      : { messageAnnotations: { [partitionKey]: key } }),
    properties: {
      ...kept,
      messageId,
      ...(edited === undefined
        ? {}
        : { groupId: edited.sessionId, contentType: "application/json" }),
    },
    applicationProperties: { ...properties },
  };
}

function bodyOf({ _rawAmqpMessage: raw, body }: ServiceBusReceivedMessage): LetterBody {
  const { bodyType: type = "data" } = raw;
  if (type !== "data") return { kind: "amqp", type, text: jsonText(body) };
  if (body instanceof Uint8Array) return { kind: "bytes", bytes: body };
  return { kind: "amqp", type: "several", text: jsonText(body) };
}

function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function propertiesOf(message: ServiceBusReceivedMessage): Properties {
  const entries = Object.entries(message.applicationProperties ?? {}).filter(
    ([name]) => !brokersOwn.includes(name),
  );
  return Object.fromEntries(entries) as Record<string, Property>;
}

function textOf(id: string | number | Buffer | undefined): string | undefined {
  return Buffer.isBuffer(id) ? id.toString("hex") : id?.toString();
}
