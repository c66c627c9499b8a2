// A question to a person about one effect of a plan, and the one answer (design.md 9).
//
// It is bound to what the person is shown: the operation with its frozen payload's digest, the case version and the facts
// digest. A turn asks it; it is answered once, under its own ETag, and no turn rewrites it. Asking and answering change no
// version of the case.
import { z } from "zod";
import { schemaVersion } from "./evidence.ts";

export const ApprovalAnswer = z.object({
  /** Made by the answering client, so that the same answer sent twice is one. Two clients may make the same id. */
  answerId: z.string(),
  decision: z.enum(["approve", "refuse"]),
  by: z.string(),
  atMs: z.int(),
  reason: z.string().optional(),
});
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** Whether what is sent now is the answer that was given before: same id, person and decision. */
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
  /** Who requested the case last. Neither this person nor any earlier requester may answer (requesters.ts). */
  requestedBy: z.string(),
  askedAtMs: z.int(),
  expiresAtMs: z.int(),
  answer: ApprovalAnswer.optional(),
});
export type Approval = z.infer<typeof Approval>;
