// What happened outside: the events of a case, in its own partition (design.md 3, 5).
//
// An event is durable before its sender is told so. It is folded into the facts once; until then `dueAtMs`
// lets the sweeper find it, so that a lost hint loses nothing.
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
  /** The person who set it off, where a person did. */
  requestedBy: z.string().optional(),
  body: z.record(z.string(), z.json()),
  /** Of the raw bytes without a byte-order mark: the same event under the same id, or another. */
  digest: z.string(),
  /** Compares as text within one source; the time at the source in ISO 8601, UTC. */
  orderKey: z.string(),
  receivedAtMs: z.int(),
  dueAtMs: z.int().optional(),
  /** This code could not fold it: it waits, unfolded, for code that can; its case's due time looks after it. */
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

/** A signed delivery that was not taken: kept, so that nothing vanishes without a trace. */
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
