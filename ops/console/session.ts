// Who looks, in which tenant, and what they may do there: only to offer what will be allowed.
import { signal } from "@preact/signals";
import { ask } from "./api/ask.ts";
import type { Me, Role } from "./api/shapes.ts";
import { goTo, linkIn, place } from "./place.ts";

export type Session =
  | { kind: "asking" }
  | { kind: "signedOut" }
  | { kind: "failed"; detail: string }
  | { kind: "signedIn"; me: Me };

export const session = signal<Session>({ kind: "asking" });
/** The local host lets a visitor choose whom to be; a directory does not. */
export const hasPersonas = signal(false);

export async function beginSession(): Promise<void> {
  const answer = await ask<Me>("me");
  if (answer.kind === "problem") {
    const isSignedOut = answer.problem.status === 401;
    session.value = isSignedOut
      ? { kind: "signedOut" }
      : { kind: "failed", detail: answer.problem.detail };
    return;
  }
  if (answer.kind === "unchanged") return;
  const me = answer.body;
  session.value = { kind: "signedIn", me };
  const [first] = me.tenants;
  if (place.value.tenantId === "" && first !== undefined)
    goTo(linkIn(first.tenantId, place.value.section));
  await lookForPersonas();
}

async function lookForPersonas(): Promise<void> {
  try {
    const response = await fetch("/.auth/me", { headers: { accept: "application/json" } });
    const [entry] = response.ok ? ((await response.json()) as unknown[]) : [];
    hasPersonas.value = typeof entry === "object" && entry !== null && "local_id" in entry;
  } catch {
    // Easy Auth need not offer this path: then there is nothing to switch.
    hasPersonas.value = false;
  }
}

export function may(role: Role): boolean {
  if (session.value.kind !== "signedIn") return false;
  const { tenantId } = place.value;
  const { tenants } = session.value.me;
  return tenants.some((one) => one.tenantId === tenantId && one.roles.includes(role));
}

/** For what concerns all tenants at once. */
export function mayEverywhere(role: Role): boolean {
  if (session.value.kind !== "signedIn") return false;
  return session.value.me.deploymentRoles?.includes(role) ?? false;
}

export function signInLink(): string {
  const back = encodeURIComponent(`/api/console${location.hash}`);
  return `/.auth/login/aad?post_login_redirect_uri=${back}`;
}

export const signOutLink = "/.auth/logout?post_logout_redirect_uri=%2Fapi%2Fconsole";
