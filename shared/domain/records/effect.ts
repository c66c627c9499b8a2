// The ledger entry: one intended external side effect (design.md 4).
//
//   prepared -> started -> confirmed | rejected | unknown
//   unknown  -> started | confirmed | rejected         prepared -> cancelled
//
// Final: confirmed, rejected, cancelled, and unknown with `abandonedBy`. Only `confirmed` has a receipt, and only `started` has
// an attempt without an end, so decisions need neither `!` nor `as`. Only the late end of an earlier attempt rewrites the
// document of a started effect: its `_ts` is the running attempt's start, or later.
import { z } from "zod";
import { Receipt, schemaVersion } from "./evidence.ts";

export const AttemptEnd = z.object({
  kind: z.enum(["receipt", "refused", "notApplied", "notSent", "noAnswer", "orphaned"]),
  reason: z.string().optional(),
  atMs: z.int(),
  replayedError: z.boolean().optional(),
  keyReused: z.boolean().optional(),
  alreadyThere: z.boolean().optional(),
  nothingKept: z.boolean().optional(),
});
export type AttemptEnd = z.infer<typeof AttemptEnd>;

/** What a provider said about its key, or about what is there, in an answer that proves nothing. */
export const silenceMarks = ["replayedError", "keyReused", "alreadyThere", "nothingKept"] as const;
export type SilenceMark = (typeof silenceMarks)[number];

/** A person's order to send it once more: the same operation and bytes, through the same gate. */
export const RetryOrder = z.object({
  by: z.string(),
  /** Against the provider's contract, which takes two people. */
  forced: z.boolean(),
  confirmedBy: z.string().optional(),
});
export type RetryOrder = z.infer<typeof RetryOrder>;

/** What a provider's promises for a call, and what a look-up finds, depend on. */
export const Terms = z.object({
  account: z.string(),
  /** Includes the provider's address (providers/http-url.ts). */
  apiVersion: z.string(),
  contractRevision: z.int(),
});
export type Terms = z.infer<typeof Terms>;

export function areSame(one: Terms, other: Terms): boolean {
  return (
    one.account === other.account &&
    one.apiVersion === other.apiVersion &&
    one.contractRevision === other.contractRevision
  );
}

export const Attempt = z.object({
  n: z.int().positive(),
  fence: z.int().positive(),
  /** The store's time when the claim was decided: never later than the call's start. */
  claimedAtMs: z.int(),
  callTimeoutMs: z.int(),
  /** The longest time after its deadline that the provider may apply it, by the contract that it was claimed under. */
  horizonMs: z.int().optional(),
  /** `mayHaveLeft` before this attempt; proof that this one did nothing restores it. */
  leftBefore: z.boolean(),
  /** The attempt was claimed on an absence: when the look-up that found it started. */
  absentStartedAtMs: z.int().optional(),
  /** Made under other terms than the calls before it; only a forced order does that. */
  underOtherTerms: z.boolean().optional(),
  /** Present when a person ordered it. */
  order: RetryOrder.optional(),
  /** When no byte of this attempt can leave any more; known once it has ended. */
  deadlineMs: z.int().optional(),
  end: AttemptEnd.optional(),
});
export type Attempt = z.infer<typeof Attempt>;

const common = {
  id: z.string(),
  type: z.literal("effect"),
  schemaVersion: z.literal(schemaVersion),
  tenantId: z.string(),
  caseId: z.string(),
  operationId: z.string(),
  action: z.string(),
  target: z.string(),
  provider: z.string(),
  /** The terms of its calls, once one may have left; until then those of the last claim, or of its decision. */
  ...Terms.shape,
  providerKey: z.string().optional(),
  /** Absent where the action is sensitive: then `payloadRef` names the document that holds it, encrypted. */
  payload: z.record(z.string(), z.json()).optional(),
  payloadRef: z.string().optional(),
  payloadDigest: z.string(),
  origin: z.enum(["plan", "outbox"]),
  /** Plan effects: the version decided on. */
  decidedOn: z.int().optional(),
  /** Outbox effects: the version that their commit created. */
  justifiedBy: z.int().optional(),
  ordinal: z.int().nonnegative(),
  /** The earlier operation that this one repeats on purpose. */
  repeats: z.string().optional(),
  compensates: z.string().optional(),
  grantRef: z.string().optional(),
  /** The open review that says that no grant covers it; a grant lifts it. */
  grantHold: z.string().optional(),
  /** The open review that says why its payload cannot be read; lifted once it can. */
  payloadHold: z.string().optional(),
  attempts: z.array(Attempt),
  mayHaveLeft: z.boolean(),
  notBeforeMs: z.int().optional(),
  /** Look-ups since it became unknown; only an absence that started late enough ever counts. */
  lookups: z
    .object({
      count: z.int(),
      lastStartedAtMs: z.int(),
      absentStartedAtMs: z.int().optional(),
      /** The terms under which it was not found; code with other terms looks again. */
      absentUnder: Terms.optional(),
      notBeforeMs: z.int(),
    })
    .optional(),
  /** A person's order for the next attempt; valid while the effect has exactly this many attempts. */
  retryOrder: RetryOrder.extend({ attempts: z.int() }).optional(),
  /** The id of the open review that holds this effect. */
  reviewRef: z.string().optional(),
  /** Provider ids that were found to be something else, and that a person has seen. */
  foreignIds: z.array(z.string()).optional(),
  /** Evidence that speaks against a final status. */
  contradicted: z
    .object({
      atMs: z.int(),
      why: z.string(),
      /** The provider ids that a person has been shown; told again they are nothing new. */
      providerIds: z.array(z.string()).optional(),
    })
    .optional(),
};

const settled = {
  settledBy: z.enum(["attempt", "finding", "person"]),
  settledAtMs: z.int(),
};

export const Effect = z.discriminatedUnion("status", [
  z.object({ ...common, status: z.literal("prepared"), reason: z.string().optional() }),
  z.object({ ...common, status: z.literal("started") }),
  z.object({ ...common, ...settled, status: z.literal("confirmed"), receipt: Receipt }),
  z.object({ ...common, ...settled, status: z.literal("rejected"), reason: z.string() }),
  z.object({
    ...common,
    status: z.literal("unknown"),
    reason: z.string(),
    unknownSinceMs: z.int(),
    abandonedBy: z.string().optional(),
  }),
  z.object({
    ...common,
    status: z.literal("cancelled"),
    reason: z.string(),
    settledAtMs: z.int(),
  }),
]);
export type Effect = z.infer<typeof Effect>;
export type EffectOf<Status extends Effect["status"]> = Extract<Effect, { status: Status }>;

/** The fields that every status has, for building the next status from the last. */
export type EffectCore = Omit<EffectOf<"started">, "status">;

/** Everything but what belongs to one status; the caller adds the new status. */
export function coreOf(effect: Effect): EffectCore {
  const core: Record<string, unknown> = {};
  for (const field of Object.keys(common)) {
    const value = (effect as Record<string, unknown>)[field];
    if (value !== undefined) core[field] = value;
  }
  return core as EffectCore;
}

/** A plan effect's decision, or an outbox effect's justification. */
export function basisOf(effect: Effect): number {
  return effect.decidedOn ?? effect.justifiedBy ?? 0;
}

/** Proof that this attempt changed nothing; a refusal or a silence is none. */
export function provesNothingLeft(attempt: Attempt): boolean {
  return attempt.end?.kind === "notSent" || attempt.end?.kind === "notApplied";
}

export function lastAttempt({ attempts }: Pick<Effect, "attempts">): Attempt | undefined {
  return attempts.at(-1);
}

/** After this time the call is over for certain. `startedAtMs` comes from `_ts`, which has whole seconds: hence the second more. */
export function deadlineMsOf(startedAtMs: number, callTimeoutMs: number): number {
  return startedAtMs + 1000 + callTimeoutMs;
}

/** It has an outcome. An unknown that was given up is final, but has none. */
export function hasEnded({ status }: Effect): boolean {
  return status === "confirmed" || status === "rejected" || status === "cancelled";
}

/** The order for the next attempt, as long as nothing was tried since it was given. */
export function standingOrder(effect: Effect): RetryOrder | undefined {
  const { attempts, retryOrder } = effect;
  return retryOrder?.attempts === attempts.length ? retryOrder : undefined;
}

/** Its outcome is still looked for: unknown, and not given up by a person. */
export function isOpenUnknown(effect: Effect): effect is EffectOf<"unknown"> {
  return effect.status === "unknown" && effect.abandonedBy === undefined;
}

/** Nothing more will happen to it by the machine's own doing. */
export function isFinal(effect: Effect): boolean {
  switch (effect.status) {
    case "confirmed":
    case "rejected":
    case "cancelled":
      return true;
    case "unknown":
      return effect.abandonedBy !== undefined;
    case "prepared":
    case "started":
      return false;
  }
}
