// What waits for a person, and the log entry that each batch writes.
import { z } from "zod";
import { schemaVersion } from "./evidence.ts";

export const reviewKinds = [
  "UnknownEffect",
  "EvidenceMismatch",
  "Contradiction",
  "AttemptsExhausted",
  "NoGrant",
  "PayloadUnavailable",
  "PayloadMismatch",
  "ActionRemoved",
  "ProviderRemoved",
  "NotificationFailed",
  "DeliverySilent",
  "FactsChangedAfterEnd",
  "CaseHeld",
] as const;
export type ReviewKind = (typeof reviewKinds)[number];

export const Review = z.object({
  id: z.string(),
  type: z.literal("review"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  /** An operation id, or "case". */
  subject: z.string(),
  kind: z.enum(reviewKinds),
  why: z.string(),
  /** What a wrong choice would do to the world, in one sentence. */
  consequence: z.string(),
  caseVersion: z.int(),
  openedAtMs: z.int(),
  /** For an `EvidenceMismatch`: the provider ids of what else was found. */
  providerIds: z.array(z.string()).optional(),
  resolution: z
    .object({ how: z.string(), by: z.string(), atMs: z.int(), reason: z.string().optional() })
    .optional(),
});
export type Review = z.infer<typeof Review>;

export const LogEntry = z.object({
  id: z.string(),
  type: z.literal("log"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  atMs: z.int(),
  by: z.string(),
  fence: z.int(),
  version: z.int(),
  status: z.string(),
  did: z.array(z.string()),
});
export type LogEntry = z.infer<typeof LogEntry>;
