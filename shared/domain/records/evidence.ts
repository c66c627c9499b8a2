// What is known about an effect: answers, receipts and findings (design.md 2 to 4).
//
//   Answer    what a provider adapter says of its one attempt; it never throws
//   Receipt   the provider's own proof, bound to operation, target and payload
//   Finding   an immutable document; it decides nothing until a turn has folded it
import { z } from "zod";

/** The schema version of every document. How to raise it: `upcast-document.ts`. */
export const schemaVersion = 1;

/** What binds evidence to one operation; a final state that merely matches binds nothing. */
export const Binding = z.object({
  operationId: z.string(),
  target: z.string(),
  payloadDigest: z.string(),
});
export type Binding = z.infer<typeof Binding>;

/** Stands for the payload's digest where a receipt repeats parts of the payload that could not be compared. */
export const notCompared = "not compared";

export const Receipt = z.object({
  /** Accepted is not delivered: a 202 of a mail provider proves only that it took the message. */
  stage: z.enum(["accepted", "delivered", "failed"]),
  providerId: z.string(),
  providerRequestId: z.string().optional(),
  boundTo: Binding,
  content: z.record(z.string(), z.json()),
});
export type Receipt = z.infer<typeof Receipt>;

export const Answer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("receipt"), receipt: Receipt }),
  z.object({
    kind: z.literal("refused"),
    reason: z.string(),
    /** True only where the contract says that this answer speaks for every attempt so far. */
    speaksForOperation: z.boolean(),
    providerRequestId: z.string().optional(),
  }),
  z.object({
    /** Proof that this attempt did nothing: the provider said so, or no byte left this machine. */
    kind: z.literal("notApplied"),
    reason: z.string(),
    retryAfterMs: z.int().nonnegative().optional(),
    providerRequestId: z.string().optional(),
  }),
  z.object({
    /** Time-out, reset, or an answer that proves nothing. */
    kind: z.literal("noAnswer"),
    reason: z.string(),
    /** The provider said that it repeats an error it stored under the key. */
    replayedError: z.boolean().optional(),
    /** The provider said that this key was used before, with another payload. */
    keyReused: z.boolean().optional(),
    /** The provider said that what is asked for is there already; by whom, its look-up tells. */
    alreadyThere: z.boolean().optional(),
    /** The provider keeps nothing under the key after this error: it would carry out the next request. */
    nothingKept: z.boolean().optional(),
    retryAfterMs: z.int().nonnegative().optional(),
    providerRequestId: z.string().optional(),
  }),
  z.object({ kind: z.literal("notSent"), reason: z.string() }),
]);
export type Answer = z.infer<typeof Answer>;

/** What a look-up by operation id, or a search for our marker, showed. */
export const LookupVerdict = z.discriminatedUnion("kind", [
  /** Something is there; its binding tells whether it is ours. */
  z.object({
    kind: z.literal("found"),
    receipt: Receipt,
    /** What else is there under the same operation: it was done more than once. */
    others: z.array(Receipt).optional(),
  }),
  z.object({ kind: z.literal("absent") }),
  /** No answer, or something that names no operation: another user may have made a matching final state. */
  z.object({ kind: z.literal("inconclusive"), reason: z.string() }),
]);
export type LookupVerdict = z.infer<typeof LookupVerdict>;

/**
 * What a person states about a review after looking; counted apart from evidence. Forced: against the provider's contract or
 * before its horizon, which takes two people.
 */
export const Statement = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("happened"), providerId: z.string() }),
  z.object({ kind: z.literal("didNotHappen"), forced: z.boolean() }),
  z.object({ kind: z.literal("retry"), forced: z.boolean() }),
  /** The provider is asked again, within the same bounds as before. */
  z.object({ kind: z.literal("lookAgain") }),
  z.object({ kind: z.literal("abandon") }),
  /** Seen; there is nothing to settle. */
  z.object({ kind: z.literal("acknowledge") }),
  /** A held case is tried again. */
  z.object({ kind: z.literal("release") }),
]);
export type Statement = z.infer<typeof Statement>;

export const Finding = z.object({
  id: z.string(),
  type: z.literal("finding"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  /** An operation id, or "case" for a statement about the case itself. */
  operationId: z.string(),
  content: z.discriminatedUnion("kind", [
    /** The end of an attempt that its own worker could not settle. */
    z.object({ kind: z.literal("attemptEnd"), attempt: z.int(), answer: Answer }),
    /** `startedAtMs`: the store's time before the look-up began; an absence counts from then on. */
    z.object({ kind: z.literal("lookup"), startedAtMs: z.int(), verdict: LookupVerdict }),
    /** A provider's webhook. */
    z.object({ kind: z.literal("providerReport"), receipt: Receipt }),
    /** Its content was erased with the case; that it existed was not. */
    z.object({ kind: z.literal("erased") }),
    z.object({
      kind: z.literal("statement"),
      statement: Statement,
      reason: z.string(),
      /** The review as that person saw it; if it has changed since, the statement settles nothing. */
      about: z
        .object({
          reviewId: z.string(),
          attempts: z.int(),
          /** How many provider ids the review named. */
          toldIds: z.int().optional(),
        })
        .optional(),
      /** Made by the client, so that the same decision sent twice is one. */
      decisionId: z.string().optional(),
      /** The second person of a forced statement. */
      confirmedBy: z.string().optional(),
    }),
  ]),
  /** A worker, a provider's source, or a person's principal. */
  by: z.string(),
  foundAtMs: z.int(),
  dueAtMs: z.int().optional(),
  folded: z.object({ atMs: z.int(), verdict: z.string() }).optional(),
});
export type Finding = z.infer<typeof Finding>;
