// Who calls: Easy Auth's principal, as the platform puts it in a header after it has signed the caller in.
//
// The header is unsigned, so it is believed only where Easy Auth is on. A role may be bound to one tenant: `approver` is for
// all tenants, `approver@acme` for one. An application's identity (a model's, a script's) may not answer for a person.
import { z } from "zod";

export const roles = ["reader", "operator", "approver", "admin"] as const;
export type Role = (typeof roles)[number];

export interface Principal {
  /** Lower case: two spellings of one person are one. */
  id: string;
  isPerson: boolean;
  roleClaims: readonly string[];
}

const Header = z.object({
  auth_typ: z.string().optional(),
  role_typ: z.string().optional(),
  claims: z.array(z.object({ typ: z.string(), val: z.string() })),
});

/** The directory's own id of the caller: stable, whatever the spelling of a name. */
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
  const valueOf = (types: readonly string[]) =>
    claims.find(({ typ, val }) => types.includes(typ) && val !== "")?.val;
  const id = valueOf(idClaims);
  if (id === undefined) return undefined;
  const isPerson = valueOf(personClaims) !== undefined && valueOf(["idtyp"]) !== "app";
  const roleTypes = new Set([...roleClaims, ...(roleType === undefined ? [] : [roleType])]);
  return {
    id: id.trim().toLowerCase(),
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

/** An admin has every role, in the tenants that its own role is for. */
export function hasRole(principal: Principal, role: Role, tenantId: string): boolean {
  return principal.roleClaims.some((claim) =>
    [role, `${role}@${tenantId}`, "admin", `admin@${tenantId}`].includes(claim),
  );
}
