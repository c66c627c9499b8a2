// Faults on request: what a network, a frozen machine or a busy service does to one call.
//
// Rules are tried in order; the first that matches (and still has `times` left, and whose seeded dice
// say yes) decides. A rule without `times` stays until it is deleted. See `faults.ts` for what each
// fault means and for the typed client.
import type { CosmosRequest, RequestKind } from "../protocol/exchange.ts";
import type { Fault, FaultRule, FaultRuleState } from "../faults.ts";

export interface FaultRules {
  add(rule: FaultRule): void;
  clear(): void;
  state(): FaultRuleState[];
  pick(request: CosmosRequest, kind: RequestKind): FaultRule | undefined;
}

const FAULTS: readonly Fault[] = [
  "dropBefore",
  "dropAfterCommit",
  "hangAfterCommit",
  "halfBody",
  "landLater",
  "status",
  "delay",
  "staleReads",
];

/** mulberry32: the same seed throws the same dice. */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const READ_KINDS: readonly RequestKind[] = ["read", "query", "feed"];

function matches({ match = {}, fault }: FaultRule, request: CosmosRequest, kind: RequestKind) {
  if (fault === "staleReads" && !READ_KINDS.includes(kind)) return false;
  const kinds = match.kind === undefined ? undefined : [match.kind].flat();
  if (kinds !== undefined && !kinds.includes(kind)) return false;
  if (match.container !== undefined && match.container !== request.segments[3]) return false;
  const key = request.header("x-ms-documentdb-partitionkey") ?? "";
  if (match.partitionKeyContains !== undefined && !key.includes(match.partitionKeyContains)) {
    return false;
  }
  if (match.bodyContains !== undefined && !request.body.includes(match.bodyContains)) return false;
  const agent = `${request.header("user-agent") ?? ""} ${request.header("x-ms-useragent") ?? ""}`;
  return match.userAgentContains === undefined || agent.includes(match.userAgentContains);
}

export function checkRule(value: unknown): FaultRule {
  const rule = value as FaultRule;
  if (typeof value !== "object" || value === null || !FAULTS.includes(rule.fault)) {
    throw new Error(`a fault rule needs a fault, one of ${FAULTS.join(", ")}`);
  }
  if (rule.fault === "status" && !((rule.status ?? 0) >= 400)) {
    throw new Error("the fault status needs a status of 400 or more");
  }
  return rule;
}

export function openFaultRules(): FaultRules {
  let rules: { state: FaultRuleState; roll: () => number }[] = [];
  return {
    add: (rule) => {
      const state = { ...rule, remaining: rule.times ?? null, fired: 0 };
      rules.push({ state, roll: dice(rule.seed ?? 1) });
    },
    clear: () => {
      rules = [];
    },
    state: () => rules.map(({ state }) => ({ ...state })),
    pick: (request, kind) => {
      for (const { state: rule, roll } of rules) {
        if (rule.remaining === 0 || !matches(rule, request, kind)) continue;
        if (rule.probability !== undefined && roll() >= rule.probability) continue;
        rule.fired += 1;
        if (rule.remaining !== null) rule.remaining -= 1;
        return rule;
      }
      return undefined;
    },
  };
}
