// A dead letter that was taken out of its queue, as it was, with who did that and why. No turn reads it.
//
// It is stored in the partition of the case that its session names, so that erasing the case empties it; without a case in a
// partition of the deployment.
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
  /** `parked`: it came back too often. `edited`: another message was sent in its place. */
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
        /** For kind `amqp`: the type of a body that is not bytes. */
        amqpType: z.string().optional(),
      }),
      properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    })
    .nullable(),
});
export type ArchivedLetter = z.infer<typeof ArchivedLetter>;
