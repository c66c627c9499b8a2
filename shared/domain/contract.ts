// What an external system really promises about retries and look-ups, as data.
//
// `recover` reads nothing else: a provider's promise that is not written down here is not relied on
// (seed 2, "Make the retry decision explicit"). Each provider's file says where its promises come from.
import { z } from "zod";
import { TerminalFault } from "./faults.ts";

/** An HTTP answer as the provider documents it: a status, and what it says in its own code. */
const Told = z.object({
  status: z.int().min(300).max(599),
  /** Its own code; "*" is any code of its own, absent also a bare page. */
  code: z.string().optional(),
});

/** Whose refusal is too easily somebody else's (a proxy, a token, a second copy of the call) to speak for more. */
export const attemptScopedStatuses: readonly number[] = [401, 403, 404, 409, 429];

export const HttpAnswers = z.object({
  /** Where its own code stands in the body; absent: `code`. */
  codePath: z.array(z.string()).min(1).optional(),
  /** Its last word on the request that got it. Always by a code of its own: a bare page refuses nothing. */
  refusals: z.array(
    Told.extend({
      code: z.string(),
      /** The documented sentence by which it speaks for every attempt so far; absent: for its own alone. */
      speaksForOperation: z.string().min(1).optional(),
    }),
  ),
  /** Turned away before anything was carried out: this attempt did nothing. */
  notApplied: z.array(Told),
  /** By which codes of its own it says that the key came before with other bytes: a defect, which no retry mends. */
  keyReused: z.array(Told.extend({ code: z.string() })).optional(),
  /** By which codes it says that what is asked for is there already: by another's doing, or by this request's, sent on twice on its way. */
  alreadyThere: z.array(Told.extend({ code: z.string() })).optional(),
  /** It keeps no error under the key, these aside: whatever was done before one, the next request is carried out anew. */
  nothingKept: z.object({ except: z.array(z.int()) }).optional(),
  /** How it says that it repeats an answer that it stored under the key. */
  replayMarker: z.object({ header: z.string(), value: z.string() }).optional(),
});
export type HttpAnswers = z.infer<typeof HttpAnswers>;

export const Contract = z.object({
  /** Raised when the promises change; kept with each effect. */
  revision: z.int().positive(),
  /** A key that the provider enforces: same key and bytes within retention, applied once. */
  idempotency: z
    .object({
      keyHeader: z.string(),
      /** One class of characters, as inside the brackets of a regular expression. */
      keyAlphabet: z.string(),
      keyLengthMax: z.int().positive(),
      retentionMs: z.int().positive(),
      /** At least call time-out + horizon + 2 s, and the longest freeze of a machine believed in. */
      marginMs: z.int().positive(),
      /** True when the first executed answer is kept under the key even if it was an error. */
      storesErrors: z.boolean(),
    })
    .optional(),
  lookup: z
    .object({
      by: z.enum(["operationId", "search"]),
      consistency: z.enum(["strong", "eventual"]),
      /** How long a search may lag; eventual look-ups stop after it and hand over to a person. */
      settleMs: z.int().nonnegative(),
    })
    .optional(),
  /** What its HTTP answers prove beyond a bound success; absent: nothing. */
  answers: HttpAnswers.optional(),
  /** Accepted, and no report of delivery for this long: somebody must look. Absent: no reports are promised. */
  deliverySilenceMs: z.int().positive().optional(),
  /** The longest time after an attempt's deadline that the provider may still apply it. */
  horizonMs: z.int().nonnegative(),
  callTimeoutMs: z.int().positive(),
  /** One sentence for the operator: what a repeat of this call does to the world. */
  consequence: z.string(),
});
export type Contract = z.infer<typeof Contract>;

/** What must be left of a turn's time for one call: the call, and the reads and writes around it. */
export function callBudgetMs({ callTimeoutMs }: Pick<Contract, "callTimeoutMs">): number {
  return callTimeoutMs * 1.5;
}

/** At start-up: a turn in which no call fits would only ever hand its case on. Twice the call leaves time to decide first. */
export function assertFitsTurn(turnBudgetMs: number, provider: string, contract: Contract): void {
  const budgetMsMin = contract.callTimeoutMs * 2;
  if (turnBudgetMs >= budgetMsMin) return;
  throw new TerminalFault(
    `setting TURN_BUDGET_MS must be at least ${budgetMsMin}: twice the call time-out of ${provider}.`,
  );
}

/** Why its own numbers would allow an unsafe retry, by field, with what to do; empty: it may be relied on. */
export function whyUnsafe(given: Contract): string[] {
  const { data: contract, error } = Contract.safeParse(given);
  if (error !== undefined) {
    return error.issues.map(({ message, path }) => `${path.join(".")}: ${message}`);
  }
  const { answers, callTimeoutMs, consequence, horizonMs, idempotency } = contract;
  const wrong = (answers?.refusals ?? [])
    .filter(
      ({ code, speaksForOperation, status }) =>
        speaksForOperation !== undefined && code === "*" && attemptScopedStatuses.includes(status),
    )
    .map(
      ({ status }) =>
        `answers.refusals: a bare ${status} speaks for its own attempt only; name a code`,
    );
  if (consequence.trim() === "") {
    wrong.push("consequence is empty; say in one sentence what a repeated call does to the world");
  }
  return idempotency === undefined
    ? wrong
    : [...wrong, ...wrongWithKey(idempotency, callTimeoutMs + horizonMs + 2000)];
}

function wrongWithKey(
  idempotency: NonNullable<Contract["idempotency"]>,
  marginMsMin: number,
): string[] {
  const { keyAlphabet, keyLengthMax, marginMs, retentionMs } = idempotency;
  const wrong: string[] = [];
  if (marginMs < marginMsMin) {
    wrong.push(
      `idempotency.marginMs must be at least ${marginMsMin} (callTimeoutMs + horizonMs + 2 s)`,
    );
  }
  if (marginMs >= retentionMs) {
    wrong.push(
      `idempotency.retentionMs (${retentionMs}) must be longer than marginMs (${marginMs}), or no retry is ever safe`,
    );
  }
  const allowed = keyPattern(idempotency);
  if (allowed === undefined) {
    wrong.push(
      `idempotency.keyAlphabet [${keyAlphabet}] is no class of characters, like A-Za-z0-9-`,
    );
  } else if (keyIn(allowed, "a".repeat(26)) === undefined) {
    wrong.push(
      `idempotency: an operation id (26 characters of a-z2-7) does not fit a key of at most ${keyLengthMax} characters of [${keyAlphabet}]; leave idempotency out, and say what else it promises`,
    );
  }
  return wrong;
}

/**
 * The key as the provider gets it: the operation id, which is 26 characters of [a-z2-7].
 * A provider with a narrower alphabet or a shorter key cannot be told operations apart: refused here,
 * at start-up, and never at the first send (cases.md 50).
 */
export function providerKeyOf(contract: Contract, operationId: string): string | undefined {
  if (contract.idempotency === undefined) return undefined;
  const allowed = keyPattern(contract.idempotency);
  const key = allowed && keyIn(allowed, operationId);
  if (key === undefined) throw new Error(`operation ${operationId} has no key in this contract`);
  return key;
}

function keyPattern({
  keyAlphabet,
  keyLengthMax,
}: NonNullable<Contract["idempotency"]>): RegExp | undefined {
  try {
    return new RegExp(`^[${keyAlphabet}]{1,${keyLengthMax}}$`);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function keyIn(allowed: RegExp, operationId: string): string | undefined {
  return [operationId, operationId.toUpperCase()].find((candidate) => allowed.test(candidate));
}
