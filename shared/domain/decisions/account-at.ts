// The account of a tenant at a provider, as this code knows it; "" where there is none. Pure.
//
// `accountOf` is a team's own code, and `next` asks it before every write: if it threw, or gave what is no text, not even a
// receipt could be recorded any more. Nothing is sent without an account; what was sent under one is looked up and settled.
import type { Book, Provider } from "../definitions.ts";
import type { Plan } from "../records/case.ts";
import type { Effect } from "../records/effect.ts";

export function accountAt(provider: Provider, tenantId: string): string {
  try {
    const account: unknown = provider.accountOf(tenantId);
    return typeof account === "string" ? account : "";
  } catch {
    // Whatever it threw says nothing that could be used here; a review says that the account is missing.
    return "";
  }
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
