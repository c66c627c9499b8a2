// A sensitive action's payload, apart from the ledger and encrypted (design.md 3, 8).
//
// Created in the batch that decides, and never changed. Only its `ttl` is set later: in the batch that gives its effect an
// outcome, or that ends a plan whose notification it would have become. An unknown effect keeps its payload, given up or
// not, because a retry that a person forces needs the very bytes.
import { z } from "zod";
import { schemaVersion } from "./evidence.ts";

/** Long enough to look into what was sent, short enough to be no archive. */
export const payloadTtlSeconds = 30 * 24 * 3600;

export const Payload = z.object({
  /** `payload:<operationId>` */
  id: z.string(),
  type: z.literal("payload"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  operationId: z.string(),
  keyId: z.string(),
  nonce: z.base64(),
  /** Empty once it was erased. */
  ciphertext: z.base64(),
  ttl: z.int().positive().optional(),
});
export type Payload = z.infer<typeof Payload>;

export function payloadRefOf(operationId: string): string {
  return `payload:${operationId}`;
}
