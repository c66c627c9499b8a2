// What happened outside: the events of a case, in its own partition (design.md 3, 5).
//
// An event is durable before its sender gets its 202. It is folded into the facts once. Until then the sweep finds it by
// `dueAtMs`, so that a lost hint loses nothing.
import { z } from "zod";
import { schemaVersion } from "./evidence.ts";

export const Event = z.object({
  id: z.string(),
  type: z.literal("event"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  source: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  workflow: z.string(),
  externalRef: z.string(),
  /** The person who caused it, if a person did. */
  requestedBy: z.string().optional(),
  body: z.record(z.string(), z.json()),
  /** SHA-256 of the raw bytes without a byte-order mark; tells whether two events under one id are the same. */
  digest: z.string(),
  /** The time at the source, ISO 8601 in UTC; compared as text within one source. */
  orderKey: z.string(),
  receivedAtMs: z.int(),
  dueAtMs: z.int().optional(),
  /** This code could not fold it. It waits, unfolded, for code that can; the case's due time makes somebody look. */
  putOff: z.object({ atMs: z.int(), why: z.string() }).optional(),
  folded: z
    .object({
      atMs: z.int(),
      how: z.enum(["merged", "same", "older", "refused"]),
      version: z.int(),
    })
    .optional(),
});
export type Event = z.infer<typeof Event>;

/** A signed delivery that was refused, kept so that nothing vanishes without a trace. */
export const Refusal = z.object({
  id: z.string(),
  type: z.literal("refusal"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  source: z.string(),
  eventId: z.string(),
  status: z.int(),
  why: z.string(),
  bodyDigest: z.string(),
  bodyBytes: z.int(),
  receivedAtMs: z.int(),
  ttl: z.int(),
});
export type Refusal = z.infer<typeof Refusal>;
