// A question to a person about one effect of a plan, and the one answer (design.md 9).
//
// It shows what will be done: the operation with its frozen digest, the case version and the facts digest. It is bound to
// those and never to a position. Asked by a turn, answered once under its own ETag, never rewritten by a turn; asking and
// answering change no version.
import { z } from "zod";
import { schemaVersion } from "./evidence.ts";

export const ApprovalAnswer = z.object({
  /** Made by the answering client: the same answer told twice is one, and two clients may make the same. */
  answerId: z.string(),
  decision: z.enum(["approve", "refuse"]),
  by: z.string(),
  atMs: z.int(),
  reason: z.string().optional(),
});
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

export function isSameAnswer(
  given: ApprovalAnswer,
  told: Pick<ApprovalAnswer, "answerId" | "by" | "decision">,
): boolean {
  const { answerId, by, decision } = given;
  return answerId === told.answerId && by === told.by && decision === told.decision;
}

export const Approval = z.object({
  /** `approval:<version>:<n>` */
  id: z.string(),
  type: z.literal("approval"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  version: z.int(),
  n: z.int().positive(),
  operationId: z.string(),
  payloadDigest: z.string(),
  factsDigest: z.string(),
  action: z.string(),
  target: z.string(),
  consequence: z.string(),
  /** Who set the case going last: must not answer, nor may those who did so before (requesters.ts). */
  requestedBy: z.string(),
  askedAtMs: z.int(),
  expiresAtMs: z.int(),
  answer: ApprovalAnswer.optional(),
});
export type Approval = z.infer<typeof Approval>;
