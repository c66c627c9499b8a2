// From a signed body to what an event says, or what is wrong with it, field by field.
//
//   {"type": "invoice.exception.raised", "timestamp": "2026-03-01T09:00:00+01:00", "data": {...}}
//
// The workflow knows its event types, the schema of each one's data, and which reference names the case. What is
// kept is what the schema let through; the digest is of the whole body.
import { z } from "zod";
import type { Workflow } from "../../domain/definitions.ts";
import { externalRefLengthMax } from "../../domain/identity.ts";
import type { FieldError } from "../problem.ts";
import { fieldPath, readJson } from "./read-json.ts";

export type ReadEvent =
  | {
      kind: "event";
      eventType: string;
      orderKey: string;
      externalRef: string;
      body: Record<string, z.core.util.JSONType>;
    }
  | { kind: "broken"; errors: readonly FieldError[] };

const Envelope = z.object({
  type: z.string().min(1).max(200),
  timestamp: z.iso.datetime({
    offset: true,
    error: "must be an ISO 8601 time with its zone, like 2026-03-01T09:00:00Z",
  }),
  data: z.record(z.string(), z.unknown()),
});

const errorCountMax = 20;
const fieldLengthMax = 200;

/** `bytes` without a byte-order mark. */
export function readEvent(workflow: Workflow, bytes: Buffer): ReadEvent {
  const json = readJson(bytes);
  if (json.kind === "broken") return { kind: "broken", errors: [json] };
  const envelope = Envelope.safeParse(json.value);
  if (!envelope.success) return brokenBy(envelope.error, "");
  const { data: sent, timestamp, type } = envelope.data;
  const schema = Object.hasOwn(workflow.events, type) ? workflow.events[type] : undefined;
  if (schema === undefined) {
    const known = Object.keys(workflow.events).join(", ");
    return broken("type", `is no event of ${workflow.type}; send one of: ${known}`);
  }
  const orderKey = orderKeyOf(timestamp);
  if (orderKey === undefined) return broken("timestamp", "is no time between the years 0 and 9999");
  const data = schema.safeParse(sent);
  if (!data.success) return brokenBy(data.error, "data");
  const externalRef: unknown = workflow.externalRefOf(data.data);
  if (typeof externalRef !== "string") return broken("data", "names no case: it has no reference");
  if (externalRef.length === 0 || externalRef.length > externalRefLengthMax) {
    return broken(
      "data",
      `names its case by a reference of ${externalRef.length} characters; use 1 to ${externalRefLengthMax}`,
    );
  }
  const body = { type, timestamp, data: data.data as z.core.util.JSONType };
  return { kind: "event", eventType: type, orderKey, externalRef, body };
}

/**
 * In UTC, always with nine digits of a second, so that text compares as time does. Undefined when the zone carries it
 * out of the years of four digits.
 */
function orderKeyOf(timestamp: string): string | undefined {
  const [, fraction = ""] = /\.(\d+)/.exec(timestamp) ?? [];
  const wholeSeconds = new Date(timestamp.replace(/\.\d+/, "")).toISOString();
  if (!/^\d{4}-/.test(wholeSeconds)) return undefined;
  return `${wholeSeconds.slice(0, 19)}.${fraction.slice(0, 9).padEnd(9, "0")}Z`;
}

function broken(field: string, detail: string): ReadEvent {
  return { kind: "broken", errors: [{ field, detail }] };
}

function brokenBy(error: z.ZodError, parent: string): ReadEvent {
  const errors = error.issues.slice(0, errorCountMax).map(({ message, path }) => {
    const field = path.reduce(fieldPath, parent);
    return { field: field.slice(0, fieldLengthMax) || "body", detail: message };
  });
  return { kind: "broken", errors };
}
