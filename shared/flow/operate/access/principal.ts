// Who calls: Easy Auth's principal, as the platform puts it in a header after it has signed the caller in.
//
// The header is unsigned, so it is believed only where Easy Auth is on. A role may be bound to one tenant: `approver` is for
// all tenants, `approver@acme` for one. An application's identity (a model's, a script's) may not answer for a person.
import { z } from "zod";

export const roles = ["reader", "operator", "approver", "overrider", "admin"] as const;
export type Role = (typeof roles)[number];

export interface Principal {
  /** Lower case: two spellings of one person are one. */
  id: string;
  /** As the directory shows it; for people to read, never to compare. */
  name?: string | undefined;
  isPerson: boolean;
  roleClaims: readonly string[];
}

/**
 * Whoever may act may look. An admin may do all but override: what the contract forbids takes a role of its own, and a
 * second person who has it too.
 */
const holdersOf: Readonly<Record<Role, readonly Role[]>> = {
  reader: roles,
  operator: ["operator", "overrider", "admin"],
  approver: ["approver", "admin"],
  overrider: ["overrider"],
  admin: ["admin"],
};

const Header = z.object({
  auth_typ: z.string().optional(),
  role_typ: z.string().optional(),
  claims: z.array(z.object({ typ: z.string(), val: z.string() })),
});

/** The directory's own id of the caller, the first of these that is there: stable, whatever the spelling of a name. */
const idClaims = [
  "http://schemas.microsoft.com/identity/claims/objectidentifier",
  "oid",
  "sub",
  "appid",
  "azp",
];
/** An application's own token has none of these. */
const personClaims = ["preferred_username", "upn", "email", "emails", "name"];
const roleClaims = ["roles", "http://schemas.microsoft.com/ws/2008/06/identity/claims/role"];

/** Undefined: nobody is signed in, or Easy Auth is off. */
export function principalOf(
  header: string | null,
  options: { easyAuthIsOn: boolean },
): Principal | undefined {
  if (!options.easyAuthIsOn || header === null || header === "") return undefined;
  const parsed = Header.safeParse(jsonOf(header));
  if (!parsed.success) return undefined;
  const { claims, role_typ: roleType } = parsed.data;
  // In the order of the list, not of the token: else one person would be two, and could approve as the second.
  const valueOf = (types: readonly string[]) =>
    types
      .map((type) => claims.find(({ typ, val }) => typ === type && val.trim() !== "")?.val)
      .find((value) => value !== undefined);
  const id = valueOf(idClaims);
  if (id === undefined) return undefined;
  const isPerson = valueOf(personClaims) !== undefined && valueOf(["idtyp"]) !== "app";
  const roleTypes = new Set([...roleClaims, ...(roleType === undefined ? [] : [roleType])]);
  return {
    id: id.trim().toLowerCase(),
    name: valueOf(["name"]) ?? valueOf(personClaims),
    isPerson,
    roleClaims: claims.filter(({ typ }) => roleTypes.has(typ)).map(({ val }) => val.toLowerCase()),
  };
}

function jsonOf(header: string): unknown {
  try {
    return JSON.parse(Buffer.from(header, "base64").toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Whether one of the caller's own roles, for all tenants or for this one, gives the role. */
export function hasRole(principal: Principal, role: Role, tenantId: string): boolean {
  return holdersOf[role].some((holder) =>
    principal.roleClaims.some((claim) => claim === holder || claim === `${holder}@${tenantId}`),
  );
}

/** Payloads, targets and facts are for those who act on them; a reader sees that something is there. */
export function mayReadContent(principal: Principal, tenantId: string): boolean {
  return (["operator", "approver", "admin"] as const).some((role) =>
    hasRole(principal, role, tenantId),
  );
}

/** One person, however the directory or a source spells the id. */
export function isSamePrincipal(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}
