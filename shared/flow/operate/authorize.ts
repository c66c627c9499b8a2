// Who may do it: nobody signed in is 401, the wrong role or tenant is 403, and neither says whether anything exists.
import { problem, type ProblemResponse } from "../problem.ts";
import { hasRole, principalOf, type Principal, type Role } from "./principal.ts";

export interface Caller {
  header(name: string): string | null;
  easyAuthIsOn: boolean;
}

/** The caller of a function, as the platform hands it over. */
export function callerOf(
  request: { headers: { get(name: string): string | null } },
  { easyAuthIsOn }: { easyAuthIsOn: boolean },
): Caller {
  return { easyAuthIsOn, header: (name) => request.headers.get(name) };
}

export type Authorized =
  | { kind: "allowed"; principal: Principal }
  | { kind: "denied"; response: ProblemResponse };

export function authorize(caller: Caller, need: { role: Role; tenantId: string }): Authorized {
  const principal = principalOf(caller.header("x-ms-client-principal"), caller);
  if (principal === undefined) {
    const detail = "Sign in: this route needs a signed-in principal.";
    return { kind: "denied", response: problem({ status: 401, slug: "not-signed-in", detail }) };
  }
  if (!hasRole(principal, need.role, need.tenantId)) {
    const detail = `This needs the role ${need.role} for this tenant.`;
    return { kind: "denied", response: problem({ status: 403, slug: "forbidden", detail }) };
  }
  return { kind: "allowed", principal };
}
