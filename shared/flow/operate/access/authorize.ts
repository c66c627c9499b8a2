// Who may do it: nobody signed in is 401, the wrong role or tenant is 403, and neither says whether anything exists.
//
// And from where: Easy Auth signs a browser in by cookie, so another site could make that browser send a request in its
// user's name. A request that changes something must therefore be JSON, which no form can send and no other site may send
// without asking first (we never allow it), and must not name another site as its origin.
import { problem, type ProblemResponse } from "../../problem.ts";
import { hasRole, principalOf, type Principal, type Role } from "./principal.ts";

export interface Caller {
  method: string;
  url: string;
  headers: { get(name: string): string | null };
}

export interface Need {
  /** Undefined: anybody who is signed in. */
  role: Role | undefined;
  tenantId: string;
}

export type Authorized =
  | { kind: "allowed"; principal: Principal }
  | { kind: "denied"; response: ProblemResponse };

export function authorize(
  caller: Caller,
  need: Need,
  options: { easyAuthIsOn: boolean },
): Authorized {
  const principal = principalOf(caller.headers.get("x-ms-client-principal"), options);
  if (principal === undefined) {
    const detail = "Sign in: this route needs a signed-in principal.";
    return denied(problem({ status: 401, slug: "not-signed-in", detail }));
  }
  if (need.role !== undefined && !hasRole(principal, need.role, need.tenantId)) {
    const detail = `This needs the role ${need.role} for this tenant.`;
    return denied(problem({ status: 403, slug: "forbidden", detail }));
  }
  const foreign = caller.method === "GET" ? undefined : whyFromElsewhere(caller);
  return foreign === undefined ? { kind: "allowed", principal } : denied(foreign);
}

function denied(response: ProblemResponse): Authorized {
  return { kind: "denied", response };
}

function whyFromElsewhere({ headers, url }: Caller): ProblemResponse | undefined {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const isForeign =
    (origin !== null && !hostsOf(url, headers).includes(hostOf(origin))) ||
    (site !== null && site !== "same-origin" && site !== "none");
  if (isForeign) {
    const detail = "Requests that change something are not taken from another site's pages.";
    return problem({ status: 403, slug: "foreign-origin", detail });
  }
  const [mediaType = ""] = (headers.get("content-type") ?? "").split(";");
  if (mediaType.trim().toLowerCase() === "application/json") return undefined;
  const detail = "Send content-type: application/json, also when there is nothing to say ({}).";
  return problem({ status: 415, slug: "not-json", detail });
}

/** Names under which this app is reached; a page of another site can set none of these headers. */
function hostsOf(url: string, headers: Caller["headers"]): (string | undefined)[] {
  const forwarded = (headers.get("x-forwarded-host") ?? "").split(",")[0]?.trim();
  return [hostOf(url), headers.get("host") ?? undefined, forwarded].flatMap((host) =>
    host === undefined || host === "" ? [] : [host.toLowerCase()],
  );
}

/** A sandboxed page sends "null", which is no host of ours. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
