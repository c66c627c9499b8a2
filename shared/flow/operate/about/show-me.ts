// Who the caller is to this app: what a page or a command line needs to offer only what will be allowed.
import { z } from "zod";
import { deploymentRecords } from "../../../domain/records/operator-record.ts";
import { hasRole, roles, type Principal } from "../access/principal.ts";
import { getRoute } from "../route.ts";
import type { Reply } from "../serve.ts";

const Me = z.object({
  id: z.string(),
  name: z.string().optional(),
  isPerson: z.boolean(),
  tenants: z
    .array(z.object({ tenantId: z.string(), roles: z.array(z.enum(roles)) }))
    .describe("Tenants that this app knows and the caller has a role in."),
  deploymentRoles: z
    .array(z.enum(roles))
    .describe("Roles that are not bound to one tenant: for the drain, and for `_` as a tenant."),
});

export const showMeRoute = getRoute({
  name: "show-me",
  path: "me",
  summary: "Who is signed in, and with which roles in which tenants.",
  role: undefined,
  params: z.strictObject({}),
  answer: { schema: Me, says: "The caller, as this app sees it." },
  problems: [],
});

/** Known by configuration, or named in a role. */
export function showMe(
  principal: Principal,
  configuredTenants: readonly string[],
): Reply<z.infer<typeof Me>> {
  const named = principal.roleClaims.flatMap((claim) => claim.split("@").slice(1));
  const tenants = [...new Set([...configuredTenants, ...named])]
    .toSorted()
    .map((tenantId) => ({
      tenantId,
      roles: roles.filter((role) => hasRole(principal, role, tenantId)),
    }))
    .filter((tenant) => tenant.roles.length > 0);
  const { id, isPerson, name } = principal;
  const deploymentRoles = roles.filter((role) => hasRole(principal, role, deploymentRecords));
  const body = { id, isPerson, tenants, deploymentRoles, ...(name === undefined ? {} : { name }) };
  return { kind: "done", body };
}
