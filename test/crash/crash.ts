// Runs combinations and adds them up. A combination counts only if its fault struck.
import type { Contract } from "../../shared/domain/contract.ts";
import { contractKinds, type ContractKind } from "../simulation/contracts.ts";
import { boundariesInSource } from "./boundaries.ts";
import { combinationsOf } from "./combinations.ts";
import { runOnce, type Combination } from "./run-once.ts";

export interface Crashed {
  combinations: number;
  boundaries: number;
  reached: number;
  violations: number;
  kills: number;
  stops: number;
  unreached: string[];
  notFired: number;
  found: { combination: Combination; rule: string; evidence: string }[];
}

export interface CrashOptions {
  kinds?: readonly ContractKind[];
  /** Offered in place of the kind's own. */
  contract?: Contract;
  /** Every nth only; 1: all. */
  every?: number;
}

export async function crash(options: CrashOptions = {}): Promise<Crashed> {
  const { every = 1, kinds = contractKinds } = options;
  const named = boundariesInSource();
  const reached = new Set<string>();
  const sum: Crashed = {
    combinations: 0,
    boundaries: named.length,
    reached: 0,
    violations: 0,
    kills: 0,
    stops: 0,
    unreached: [],
    notFired: 0,
    found: [],
  };
  const all = await combinationsOf(kinds);
  for (const combination of all.filter((_one, n) => n % every === 0)) {
    const { fired, violations } = await runOnce(combination, options.contract);
    if (!fired) {
      sum.notFired += 1;
      continue;
    }
    sum.combinations += 1;
    reached.add(combination.boundary);
    if (combination.fault.startsWith("killed")) sum.kills += 1;
    if (combination.fault.endsWith("Late")) sum.stops += 1;
    for (const violation of violations) sum.found.push({ combination, ...violation });
  }
  sum.violations = sum.found.length;
  sum.unreached = named.filter((boundary) => !reached.has(boundary) && isDue(boundary, kinds));
  sum.reached = sum.boundaries - sum.unreached.length;
  return sum;
}

/** What the machine may lean on first under this contract. */
export function kindOf({ idempotency, lookup }: Contract): ContractKind {
  if (idempotency !== undefined) return "key";
  return lookup?.consistency ?? "none";
}

/** Only a contract with a look-up ever looks. */
function isDue(boundary: string, kinds: readonly ContractKind[]): boolean {
  return boundary !== "lookUp" || kinds.includes("strong") || kinds.includes("eventual");
}
