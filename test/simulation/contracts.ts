// The four kinds of promise that an external system can make, with times short enough that a schedule reaches their ends.
//
// The key's margin covers a call, its horizon and the longest freeze that schedules make: that is what it is for.
import type { PacingLimits } from "../../shared/flow/turn/pacing.ts";
import type { Contract } from "../../shared/domain/contract.ts";

export const contractKinds = ["key", "strong", "eventual", "none"] as const;
export type ContractKind = (typeof contractKinds)[number];

/** Beside these one that promises nothing of its calls, and to report where what it took has gone. */
export const systemKinds = [...contractKinds, "mail"] as const;
export type SystemKind = (typeof systemKinds)[number];

/** Small enough that schedules meet their ends. */
export const pacingLimits: PacingLimits = { concurrencyMax: 1, silencesMax: 2, coolMs: 20_000 };

/** The longest freeze of a worker that any schedule makes. */
export const freezeMsMax = 120_000;

const callTimeoutMs = 10_000;
const horizonMs = 60_000;
const common = { revision: 1, horizonMs, callTimeoutMs, consequence: "It would be done twice." };

export const contracts: Readonly<Record<SystemKind, Contract>> = {
  key: {
    ...common,
    idempotency: {
      keyHeader: "Idempotency-Key",
      keyAlphabet: "A-Za-z0-9-",
      keyLengthMax: 64,
      retentionMs: 15 * 60_000,
      marginMs: freezeMsMax + callTimeoutMs + horizonMs + 10_000,
      storesErrors: false,
    },
  },
  strong: { ...common, lookup: { by: "operationId", consistency: "strong", settleMs: 0 } },
  eventual: { ...common, lookup: { by: "search", consistency: "eventual", settleMs: 120_000 } },
  none: common,
  mail: { ...common, deliverySilenceMs: 300_000 },
};

/** As the code of that revision has it. */
export function contractAt(
  contract: Contract,
  { moves = false }: { moves?: boolean },
  revision: number,
): Contract {
  return moves ? { ...contract, revision } : contract;
}
