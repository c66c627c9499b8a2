// A provider's own webhook for which no effect is known here, or not yet (design.md 7).
//
//   waiting (retryAtMs) ──▶ matched      it has become a finding in its case; only ids are kept here
//                       ──▶ unmatched    after the last look nothing was found: shown to operators
//
// It belongs to no case: it is stored in a partition of its own, in the tenant of the source that signed it.
import { z } from "zod";
import { Receipt, schemaVersion } from "./evidence.ts";

export const ReportSubject = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("operation"), caseKey: z.string(), operationId: z.string() }),
  z.object({ kind: z.literal("providerKey"), providerKey: z.string() }),
]);
export type ReportSubject = z.infer<typeof ReportSubject>;

export const Report = z.object({
  id: z.string(),
  type: z.literal("report"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  provider: z.string(),
  source: z.string(),
  /** The delivery's own id. Two deliveries are the same if this and the digest of their bodies are. */
  eventId: z.string(),
  bodyDigest: z.string(),
  about: ReportSubject,
  providerId: z.string(),
  stage: Receipt.shape.stage,
  target: z.string().optional(),
  echoed: z.record(z.string(), z.string()).optional(),
  receivedAtMs: z.int(),
  /** How many times its effect was looked for. */
  looks: z.int(),
  retryAtMs: z.int().optional(),
  outcome: z
    .discriminatedUnion("kind", [
      z.object({
        kind: z.literal("matched"),
        atMs: z.int(),
        caseId: z.string(),
        operationId: z.string(),
      }),
      /** `found`: how many effects it could have meant. */
      z.object({ kind: z.literal("unmatched"), atMs: z.int(), found: z.int() }),
    ])
    .optional(),
  ttl: z.int().optional(),
});
export type Report = z.infer<typeof Report>;
