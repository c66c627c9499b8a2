// Easy Auth, as far as an app sees it: the header `x-ms-client-principal` (base64 of a JSON document, unsigned).
// Outside requests may never set it on Azure. Here it is stripped too, unless somebody may be signed in: then that
// principal is injected, and a caller may present another one to play a second person.
export type Principal = { id: string; name: string; roles: string[] };

export const PRINCIPAL_HEADERS = [
  "x-ms-client-principal",
  "x-ms-client-principal-id",
  "x-ms-client-principal-name",
  "x-ms-client-principal-idp",
];

/** As a directory's token would say it; also what `/.auth/me` shows. */
export function claimsOf({ id, name, roles }: Principal): { typ: string; val: string }[] {
  return [
    { typ: "name", val: name },
    { typ: "http://schemas.microsoft.com/identity/claims/objectidentifier", val: id },
    ...roles.map((role) => ({ typ: "roles", val: role })),
  ];
}

export function principalHeader(principal: Principal): string {
  const claims = claimsOf(principal);
  const document = { auth_typ: "aad", claims, name_typ: "name", role_typ: "roles" };
  return Buffer.from(JSON.stringify(document)).toString("base64");
}

/** Changes the headers in place, before the app sees them. `mayPlay`: a caller may present a principal of its own. */
export function applyPrincipal(
  headers: Record<string, string>,
  principal: Principal | undefined,
  mayPlay: boolean,
): void {
  if (mayPlay && headers["x-ms-client-principal"] !== undefined) return;
  for (const name of PRINCIPAL_HEADERS) delete headers[name];
  if (principal === undefined) return;
  headers["x-ms-client-principal"] = principalHeader(principal);
  headers["x-ms-client-principal-id"] = principal.id;
  headers["x-ms-client-principal-name"] = principal.name;
  headers["x-ms-client-principal-idp"] = "aad";
}
