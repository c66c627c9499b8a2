// A dead letter as operators see it: whose it is, why it died, and what its bytes say to those who may read them.
//
// A message of these queues is only a hint, and its session is its case. Whatever else lies there has no case: it is listed and
// archived like the others, by those whose role is not bound to one tenant.
import { createHash } from "node:crypto";
import { z } from "zod";
import { caseKeyText, parseCaseKey, type CaseKey } from "../../../domain/identity.ts";
import type { ArchivedLetter } from "../../../domain/records/archived-letter.ts";
import { deploymentRecords } from "../../../domain/records/operator-record.ts";
import type { DeadLetter, LetterBody, Properties } from "../../../stores/dead-letter-port.ts";
import { marksOf } from "./marks.ts";

export const Queue = z
  .enum(["cases", "reviews"])
  .describe("The queue whose dead letters they are.");
export const SequenceNumber = z
  .string()
  .regex(/^\d{1,19}$/, "use the sequence number of a dead letter, as the list shows it");

/** Which of a queue's dead letters; without any part: all of the tenant. */
export const LetterFilter = z.strictObject({
  cause: z.string().max(40).optional().describe("As the causes show it."),
  caseId: z.string().max(40).optional(),
  sequenceNumbers: z.array(SequenceNumber).min(1).max(100).optional(),
});
export type LetterFilter = z.infer<typeof LetterFilter>;

export const ShownLetter = z.object({
  sequenceNumber: z.string().describe("Names it in this queue; decimal text, 64 bits."),
  messageId: z.string(),
  cause: z.string().describe("The same for all that died of the same."),
  reason: z.string(),
  description: z.string(),
  tenantId: z.string().optional(),
  caseId: z.string().optional().describe("Absent: its session names no case."),
  deliveryCount: z.int(),
  resubmitCount: z.int(),
  firstSeenMs: z.int().optional().describe("When the first message of this row of copies came in."),
  lastSeenMs: z.int().optional().describe("When this one came in."),
  bytes: z.int(),
  body: z.string().optional().describe("As text, cut; for operators, approvers and admins."),
});
export type ShownLetter = z.infer<typeof ShownLetter>;

const Hint = z.object({ caseKey: z.string(), hintId: z.string(), reason: z.string() });
const bodyTextMax = 4000;
const causeCharacters = 12;

/** By its session, which routes it. */
export function caseOfLetter({ sessionId }: Pick<DeadLetter, "sessionId">): CaseKey | undefined {
  return sessionId === undefined ? undefined : parseCaseKey(sessionId);
}

/** The case that a worker would look at: it believes the body alone, so the body must say what the session says. */
export function hintedCase(letter: DeadLetter): CaseKey | undefined {
  const { body, sessionId } = letter;
  if (body.kind !== "bytes") return undefined;
  const hint = Hint.safeParse(jsonOf(Buffer.from(body.bytes).toString("utf8")));
  return hint.success && hint.data.caseKey === sessionId ? caseOfLetter(letter) : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Ids and numbers differ from one message to the next, and are no cause. */
export function causeOf({ description = "", reason = "" }: DeadLetter): string {
  const text = `${reason}\n${description}`
    .replaceAll(/[a-z2-7]{26}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "#")
    .replaceAll(/\d+/g, "#");
  return createHash("sha256").update(text).digest("hex").slice(0, causeCharacters);
}

/** `tenant` is the path's: one tenant, or all with what belongs to none. */
export function isWanted(
  letter: DeadLetter,
  wanted: { tenant: string; filter: LetterFilter },
): boolean {
  const { filter, tenant } = wanted;
  const key = caseOfLetter(letter);
  if (tenant !== deploymentRecords && key?.tenantId !== tenant) return false;
  if (filter.caseId !== undefined && key?.caseId !== filter.caseId) return false;
  if (filter.sequenceNumbers?.includes(letter.sequenceNumber) === false) return false;
  return filter.cause === undefined || causeOf(letter) === filter.cause;
}

export function showLetter(letter: DeadLetter, mayReadContent: boolean): ShownLetter {
  const { body, deliveryCount, enqueuedAtMs, messageId, sequenceNumber } = letter;
  const { firstSeenMs = enqueuedAtMs, resubmitCount } = marksOf(letter);
  const key = caseOfLetter(letter);
  return {
    sequenceNumber,
    messageId,
    cause: causeOf(letter),
    reason: letter.reason ?? "none was given",
    // Whoever dead-letters may quote the message there.
    description: mayReadContent ? (letter.description ?? "") : "",
    ...key,
    deliveryCount,
    resubmitCount,
    ...(firstSeenMs === undefined ? {} : { firstSeenMs }),
    ...(enqueuedAtMs === undefined ? {} : { lastSeenMs: enqueuedAtMs }),
    bytes: bytesOf(body),
    ...(mayReadContent ? { body: textOf(body).slice(0, bodyTextMax) } : {}),
  };
}

function bytesOf(body: LetterBody): number {
  return body.kind === "bytes" ? body.bytes.byteLength : Buffer.byteLength(body.text);
}

function textOf(body: LetterBody): string {
  return body.kind === "bytes" ? Buffer.from(body.bytes).toString("utf8") : body.text;
}

/** The whole of it, to be kept. The same letter archived twice is one document. */
export function archived(
  letter: DeadLetter,
  how: Pick<ArchivedLetter, "how" | "by" | "why" | "atMs"> & { noCase: string },
): ArchivedLetter {
  const { noCase, ...told } = how;
  const { contentType, correlationId, description, enqueuedAtMs, reason, sessionId } = letter;
  const key = caseOfLetter(letter) ?? { tenantId: deploymentRecords, caseId: noCase };
  const { deliveryCount, messageId, queue, sequenceNumber } = letter;
  const name = [caseKeyText(key), queue, sequenceNumber, messageId, enqueuedAtMs].join("\n");
  return {
    id: `deadLetter:${createHash("sha256").update(name).digest("hex").slice(0, 40)}`,
    type: "deadLetter",
    schemaVersion: 1,
    ...key,
    queue,
    sequenceNumber,
    messageId,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(enqueuedAtMs === undefined ? {} : { enqueuedAtMs }),
    deliveryCount,
    resubmitCount: marksOf(letter).resubmitCount,
    ...told,
    content: {
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(reason === undefined ? {} : { reason }),
      ...(description === undefined ? {} : { description }),
      body: keptBody(letter.body),
      properties: keptProperties(letter.properties),
    },
  };
}

type KeptContent = NonNullable<ArchivedLetter["content"]>;

/** As text where the bytes are text, so that a person can read it: either way the very bytes. */
function keptBody(body: LetterBody): KeptContent["body"] {
  if (body.kind === "amqp") return { kind: "amqp", text: body.text, amqpType: body.type };
  const bytes = Buffer.from(body.bytes);
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes)
    ? { kind: "text", text }
    : { kind: "base64", text: bytes.toString("base64") };
}

function keptProperties(properties: Properties): KeptContent["properties"] {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, keptValue(value)]),
  );
}

/** A property may be of an AMQP type that JSON does not know. */
function keptValue(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  return value instanceof Date ? value.toISOString() : (JSON.stringify(value) ?? "");
}
