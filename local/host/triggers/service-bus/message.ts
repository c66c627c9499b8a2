// A Service Bus message as an invocation: its body as text, and the metadata that Azure's extension publishes.
//
// Two traps are Azure's own and are kept: `@azure/functions` JSON-parses every text value (a session id "42"
// becomes a number), and the top-level fields of a JSON body are merged into the metadata, where they
// hide metadata of the same name (case ignored). So nothing an app depends on may come from metadata.
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import type { Call } from "../../invocations.ts";
import type { TypedData } from "../../protocol.ts";
import { optionText } from "../../settings/binding-text.ts";
import type { HostedFunction } from "../../settings/functions.ts";

function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString("utf8");
  return JSON.stringify(body);
}

function bodyData(hosted: HostedFunction, body: unknown): TypedData {
  const wantsBytes = optionText(hosted.trigger, "dataType")?.toLowerCase() === "binary";
  if (wantsBytes && body instanceof Uint8Array) return { bytes: body };
  return { string: bodyText(body) };
}

function plainProperties(message: ServiceBusReceivedMessage): Record<string, unknown> {
  const { applicationProperties = {} } = message;
  return Object.fromEntries(
    Object.entries(applicationProperties).map(([key, value]) => [
      key,
      value instanceof Date ? value.toISOString() : value,
    ]),
  );
}

/** The values of one message; text stays text, the rest is JSON; what is absent is left out. */
function messageValues(message: ServiceBusReceivedMessage): Record<string, TypedData> {
  const text: Record<string, unknown> = {
    DeadLetterSource: message.deadLetterSource,
    LockToken: message.lockToken,
    MessageId: message.messageId,
    ContentType: message.contentType,
    ReplyTo: message.replyTo,
    To: message.to,
    Subject: message.subject,
    Label: message.subject,
    CorrelationId: message.correlationId,
    SessionId: message.sessionId,
    ReplyToSessionId: message.replyToSessionId,
    PartitionKey: message.partitionKey,
  };
  const values: Record<string, TypedData> = {};
  for (const [key, value] of Object.entries(text)) {
    if (typeof value === "string") values[key] = { string: value };
    else if (typeof value === "number") values[key] = { json: String(value) };
    else if (value instanceof Uint8Array) values[key] = { bytes: value };
  }
  const time = (date: Date | undefined) =>
    date === undefined ? {} : { json: JSON.stringify(date.toISOString()) };
  const properties = { json: JSON.stringify(plainProperties(message)) };
  return {
    ...values,
    // The wire counts failed deliveries; Azure's .NET client counts this one too, and so does the metadata.
    DeliveryCount: { json: String((message.deliveryCount ?? 0) + 1) },
    SequenceNumber: { json: message.sequenceNumber?.toString() ?? "0" },
    EnqueuedTimeUtc: time(message.enqueuedTimeUtc),
    EnqueuedTime: time(message.enqueuedTimeUtc),
    ExpiresAtUtc: time(message.expiresAtUtc),
    ExpiresAt: time(message.expiresAtUtc),
    ApplicationProperties: properties,
    UserProperties: properties,
  };
}

function dotNetText(value: unknown): TypedData {
  if (value === null) return { string: "" };
  if (typeof value === "string") return { string: value };
  if (typeof value === "boolean") return { string: value ? "True" : "False" };
  return typeof value === "number" ? { string: String(value) } : { json: JSON.stringify(value) };
}

function mergeBody(values: Record<string, TypedData>, text: string): void {
  // Cheap refusal of what cannot be an object, before a parser looks at it.
  if (!/^\s*\{/.test(text)) return;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return;
  }
  if (typeof body !== "object" || body === null) return;
  for (const [field, value] of Object.entries(body)) {
    if (Array.isArray(value)) continue;
    const key = Object.keys(values).find((k) => k.toLowerCase() === field.toLowerCase()) ?? field;
    values[key] = dotNetText(value);
  }
}

export function messageCall(hosted: HostedFunction, message: ServiceBusReceivedMessage): Call {
  const data = bodyData(hosted, message.body);
  const values = messageValues(message);
  if (data.string !== undefined) mergeBody(values, data.string);
  return { inputs: [{ name: hosted.trigger.name, data }], metadata: values };
}

/** What firing a Service Bus function by hand gives it: a body and nothing else. */
export function bodyOnlyCall(hosted: HostedFunction, body: string): Call {
  const metadata: Record<string, TypedData> = {};
  mergeBody(metadata, body);
  return { inputs: [{ name: hosted.trigger.name, data: { string: body } }], metadata };
}

function jsonOf(value: TypedData | undefined): string {
  return value?.json ?? JSON.stringify(value?.string ?? null);
}

/** cardinality "many": the bodies as a collection; each value once more, as `<Key>Array`. */
export function batchCall(hosted: HostedFunction, messages: ServiceBusReceivedMessage[]): Call {
  const all = messages.map(messageValues);
  const keys = new Set(all.flatMap((values) => Object.keys(values)));
  const metadata = Object.fromEntries(
    [...keys].map((key) => [
      `${key}Array`,
      { json: `[${all.map((values) => jsonOf(values[key])).join(",")}]` },
    ]),
  );
  const bodies = messages.map((message) => bodyText(message.body));
  const data = { collectionString: { string: bodies } };
  return { inputs: [{ name: hosted.trigger.name, data }], metadata };
}
