// What an external system really promises about retries and look-ups, as data (seed 2, "Make the retry decision explicit").
//
// `recover` relies on nothing else. Each provider's file says where its promises are published.
import { z } from "zod";
import { TerminalFault } from "./faults.ts";

/** An HTTP answer as the provider documents it: a status, and the provider's own error code. */
const Told = z.object({
  status: z.int().min(300).max(599),
  /** "*": any code of its own. Absent: any code, and also an answer without one. */
  code: z.string().optional(),
});

/** A refusal with one of these may come from a proxy, a token or a second copy of the call: it speaks for its own attempt only. */
const attemptScopedStatuses: readonly number[] = [401, 403, 404, 409, 429];

export const HttpAnswers = z.object({
  /** The path of its own code in the body; absent: `code`. */
  codePath: z.array(z.string()).min(1).optional(),
  /** Definitive refusals of the request that got them. Each has a code of the provider's own: a bare page refuses nothing. */
  refusals: z.array(
    Told.extend({
      code: z.string(),
      /** The documented sentence that makes it speak for every attempt so far. Absent: it speaks for its own alone. */
      speaksForOperation: z.string().min(1).optional(),
    }),
  ),
  /** Answers that prove that this attempt did nothing: turned away before anything was carried out. */
  notApplied: z.array(Told),
  /** Its codes for a key that was used before with other bytes: a defect, which no retry mends. */
  keyReused: z.array(Told.extend({ code: z.string() })).optional(),
  /** Its codes for what is there already: another did it, or this very request, delivered twice on its way. */
  alreadyThere: z.array(Told.extend({ code: z.string() })).optional(),
  /** It keeps no error under the key, except for these statuses: after any other error the next request is carried out anew. */
  nothingKept: z.object({ except: z.array(z.int()) }).optional(),
  /** The header that marks an answer as one that was stored under the key and is repeated. */
  replayMarker: z.object({ header: z.string(), value: z.string() }).optional(),
});
export type HttpAnswers = z.infer<typeof HttpAnswers>;

export const Contract = z.object({
  /** Raise it when the promises change; each effect keeps the one that it was called under. */
  revision: z.int().positive(),
  /** A key that the provider enforces: the same key and bytes, within retention, are applied once. */
  idempotency: z
    .object({
      keyHeader: z.string(),
      /** One class of characters, as inside the brackets of a regular expression. */
      keyAlphabet: z.string(),
      keyLengthMax: z.int().positive(),
      retentionMs: z.int().positive(),
      /** At least call time-out + horizon + 2 s, and at least the longest freeze of a machine that is believed possible. */
      marginMs: z.int().positive(),
      /** True when the first executed answer is kept under the key even if it was an error. */
      storesErrors: z.boolean(),
    })
    .optional(),
  lookup: z
    .object({
      by: z.enum(["operationId", "search"]),
      consistency: z.enum(["strong", "eventual"]),
      /** How long a search may lag; after that an eventual look-up that finds nothing goes to a person. */
      settleMs: z.int().nonnegative(),
    })
    .optional(),
  /** What its HTTP answers prove, beside a success that is bound to the operation. Absent: nothing. */
  answers: HttpAnswers.optional(),
  /** After an acceptance a report of delivery must come within this time, else a person must look. Absent: none is promised. */
  deliverySilenceMs: z.int().positive().optional(),
  /** The longest time after an attempt's deadline at which the provider may still apply it. */
  horizonMs: z.int().nonnegative(),
  callTimeoutMs: z.int().positive(),
  /** One sentence for the operator: what a repeat of this call does to the world. */
  consequence: z.string(),
});
export type Contract = z.infer<typeof Contract>;

/** The time that a turn must have left for one call, with the reads and writes around it. */
export function callBudgetMs({ callTimeoutMs }: Pick<Contract, "callTimeoutMs">): number {
  return callTimeoutMs * 1.5;
}

/**
 * Asked at start-up: a turn in which no call fits would only hand its case on, for ever. Twice the call's time leaves time to
 * decide first. Throws a TerminalFault that names the setting.
 */
export function assertFitsTurn(turnBudgetMs: number, provider: string, contract: Contract): void {
  const budgetMsMin = contract.callTimeoutMs * 2;
  if (turnBudgetMs >= budgetMsMin) return;
  throw new TerminalFault(
    `setting TURN_BUDGET_MS must be at least ${budgetMsMin}: twice the call time-out of ${provider}.`,
  );
}

/** Why a contract would allow an unsafe retry: one text a wrong field, with what to do. Empty when it may be relied on. */
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
 * The key as the provider gets it: the operation id, 26 characters of [a-z2-7], in upper case if only that fits. Undefined
 * without a key in the contract. An alphabet or length that no operation id fits is refused at start-up (`whyUnsafe`), never at
 * the first send (cases.md 50).
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
