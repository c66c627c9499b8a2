// The terms under which this code would call a provider now: account, API version and contract revision. Pure.
//
// What a provider promised for calls under one set of terms covers no call under another, and a look-up under other terms may
// look at another place. Where the tenant has no account nothing is sent; what was sent before is still looked up and settled.
import type { Contract } from "../contract.ts";
import type { Book, Provider } from "../definitions.ts";
import type { Plan } from "../records/case.ts";
import { areSame, provesNothingLeft, type Effect, type Terms } from "../records/effect.ts";

/** "" where there is none. `next` asks before every write: a team's `accountOf` that throws must not stop it. */
export function accountAt(provider: Provider, tenantId: string): string {
  try {
    const account: unknown = provider.accountOf(tenantId);
    return typeof account === "string" ? account : "";
  } catch {
    // Its message may hold anything. The review says only that the account is missing.
    return "";
  }
}

/** The terms of a call that would be made by this code now. */
export function termsAt(provider: Provider, tenantId: string): Terms {
  const { apiVersion, contract } = provider;
  return {
    account: accountAt(provider, tenantId),
    apiVersion,
    contractRevision: contract.revision,
  };
}

/** Why an approval no longer fits: nothing has left under it yet, and the account that it was given for has changed. */
export function whyAccountMoved(
  { needsApproval = [] }: Plan,
  effects: readonly Effect[],
  book: Pick<Book, "provider">,
): string | undefined {
  const moved = effects.find(
    ({ account, mayHaveLeft, operationId, provider, status, tenantId }) => {
      const known = book.provider(provider);
      if (known === undefined || mayHaveLeft || status !== "prepared") return false;
      const today = accountAt(known, tenantId);
      return needsApproval.includes(operationId) && today !== "" && today !== account;
    },
  );
  return moved && `the account that ${moved.action} is done under has changed`;
}

/** An effect, in whatever status, and the terms under which this code would send it now. */
export interface SendScope {
  effect: Effect;
  contract: Contract;
  account: string;
  apiVersion: string;
  nowMs: number;
}

export function sendScopeOf(effect: Effect, provider: Provider, nowMs: number): SendScope {
  const { apiVersion, contract } = provider;
  return { effect, contract, account: accountAt(provider, effect.tenantId), apiVersion, nowMs };
}

const termsToday = ({ account, apiVersion, contract }: Omit<SendScope, "nowMs">): Terms => ({
  account,
  apiVersion,
  contractRevision: contract.revision,
});

/** When the last look-up started, if it found nothing and was made under today's terms; otherwise undefined. */
export function absentStartedAtMs(facts: Omit<SendScope, "nowMs">): number | undefined {
  const { absentStartedAtMs: absentMs, absentUnder } = facts.effect.lookups ?? {};
  return absentUnder !== undefined && areSame(absentUnder, termsToday(facts))
    ? absentMs
    : undefined;
}

/** Why the promises for the calls so far do not cover a send now; undefined when they do. */
export function whyTermsDiffer(facts: SendScope): string | undefined {
  const { account, apiVersion, contract, effect } = facts;
  const isElsewhere = effect.attempts.some(
    (attempt) => attempt.underOtherTerms === true && !provesNothingLeft(attempt),
  );
  if (isElsewhere || effect.account !== account || effect.apiVersion !== apiVersion) {
    return "it was sent under another account, API version or address";
  }
  return effect.contractRevision === contract.revision
    ? undefined
    : "the provider's contract has been revised since it was sent";
}
