// What an external system really promises about retries and look-ups, as data.
//
// `recover` reads nothing else: a provider's promise that is not written down here is not relied on
// (seed 2, "Make the retry decision explicit"). Each provider's file says where its promises come from.
import { z } from "zod";

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
  /** The longest time after an attempt's deadline that the provider may still apply it. */
  horizonMs: z.int().nonnegative(),
  callTimeoutMs: z.int().positive(),
  /** One sentence for the operator: what a repeat of this call does to the world. */
  consequence: z.string(),
});
export type Contract = z.infer<typeof Contract>;

/** Throws when the contract's own numbers would allow an unsafe retry; called at start-up. */
export function assertContract(provider: string, contract: Contract): void {
  const { idempotency, callTimeoutMs, horizonMs } = Contract.parse(contract);
  if (idempotency === undefined) return;
  const marginMsMin = callTimeoutMs + horizonMs + 2000;
  if (idempotency.marginMs < marginMsMin) {
    throw new Error(
      `${provider}: marginMs must be at least ${marginMsMin} (time-out + horizon + 2 s).`,
    );
  }
  if (idempotency.marginMs >= idempotency.retentionMs) {
    throw new Error(`${provider}: retentionMs must be longer than marginMs.`);
  }
  providerKeyOf(contract, "a".repeat(26));
}

/**
 * The key as the provider gets it: the operation id, which is 26 characters of [a-z2-7].
 * A provider with a narrower alphabet or a shorter key cannot be told operations apart: refused here,
 * at start-up, and never at the first send (cases.md 50).
 */
export function providerKeyOf(contract: Contract, operationId: string): string | undefined {
  if (contract.idempotency === undefined) return undefined;
  const { keyAlphabet, keyLengthMax } = contract.idempotency;
  const allowed = new RegExp(`^[${keyAlphabet}]{1,${keyLengthMax}}$`);
  const candidates = [operationId, operationId.toUpperCase()];
  const key = candidates.find((candidate) => allowed.test(candidate));
  if (key === undefined) {
    throw new Error(
      `an operation id (26 characters of a-z2-7) does not fit a key of at most ${keyLengthMax} characters of [${keyAlphabet}].`,
    );
  }
  return key;
}
