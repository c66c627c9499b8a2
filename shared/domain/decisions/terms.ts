// Under which terms this code would call a provider now: the account ("" where there is none), the API version, the contract. Pure.
//
// `accountOf` is a team's own code, and `next` asks it before every write: if it threw, or gave what is no text, not even a
// receipt could be recorded any more. Nothing is sent without an account; what was sent under one is looked up and settled.
import type { Contract } from "../contract.ts";
import type { Book, Provider } from "../definitions.ts";
import type { Plan } from "../records/case.ts";
import { areSame, provesNothingLeft, type Effect, type Terms } from "../records/effect.ts";

export function accountAt(provider: Provider, tenantId: string): string {
  try {
    const account: unknown = provider.accountOf(tenantId);
    return typeof account === "string" ? account : "";
  } catch {
    // Whatever it threw says nothing that could be used here; a review says that the account is missing.
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

/** A person's yes was for the account of that day: under another one nothing of it leaves before somebody is asked again. */
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

/** What a send is checked against: the effect in whatever status, and what this code would send it under. */
export interface SendScope {
  effect: Effect;
  contract: Contract;
  account: string;
  apiVersion: string;
  nowMs: number;
}

const termsToday = ({ account, apiVersion, contract }: Omit<SendScope, "nowMs">): Terms => ({
  account,
  apiVersion,
  contractRevision: contract.revision,
});

/** When a look started that found nothing; what another code's look did not find at another address says nothing here. */
export function absentStartedAtMs(facts: Omit<SendScope, "nowMs">): number | undefined {
  const { absentStartedAtMs: absentMs, absentUnder } = facts.effect.lookups ?? {};
  return absentUnder !== undefined && areSame(absentUnder, termsToday(facts))
    ? absentMs
    : undefined;
}

/** What was promised for calls under other terms covers none under these. */
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
