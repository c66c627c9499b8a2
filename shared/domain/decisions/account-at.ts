// The account of a tenant at a provider, as this code knows it; "" where there is none. Pure.
//
// `accountOf` is a team's own code, and `next` asks it before every write: if it threw, or gave what is no text, not even a
// receipt could be recorded any more. Nothing is sent without an account; what was sent under one is looked up and settled.
import type { Provider } from "../definitions.ts";

export function accountAt(provider: Provider, tenantId: string): string {
  try {
    const account: unknown = provider.accountOf(tenantId);
    return typeof account === "string" ? account : "";
  } catch {
    // Whatever it threw says nothing that could be used here; a review says that the account is missing.
    return "";
  }
}
