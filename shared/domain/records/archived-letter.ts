// A dead letter that was taken out of its queue, as it was: by whom and why. It decides nothing, and a turn never reads it.
//
// In the partition of the case that its session names, so that erasing the case empties it; else in one of the deployment.
import { z } from "zod";
import { schemaVersion } from "./evidence.ts";

/** Stands for the case id where no case is named. */
export const noCaseLetters = "deadLetters";

export const ArchivedLetter = z.object({
  id: z.string(),
  type: z.literal("deadLetter"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  queue: z.enum(["cases", "reviews"]),
  sequenceNumber: z.string(),
  messageId: z.string(),
  correlationId: z.string().optional(),
  contentType: z.string().optional(),
  enqueuedAtMs: z.int().optional(),
  deliveryCount: z.int(),
  resubmitCount: z.int(),
  /** `parked`: it came back too often. `edited`: another message was sent instead of it. */
  how: z.enum(["archived", "parked", "edited"]),
  by: z.string(),
  why: z.string(),
  atMs: z.int(),
  /** Null once the case is erased. */
  content: z
    .object({
      sessionId: z.string().optional(),
      reason: z.string().optional(),
      description: z.string().optional(),
      body: z.object({
        kind: z.enum(["text", "base64", "amqp"]),
        text: z.string(),
        /** Of `amqp`: not bytes, but one of its own kinds. */
        amqpType: z.string().optional(),
      }),
      properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    })
    .nullable(),
});
export type ArchivedLetter = z.infer<typeof ArchivedLetter>;
