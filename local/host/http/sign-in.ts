// Signing in, where Azure would ask a directory: a list of personas to be, at the paths that Easy Auth has.
//
//   GET /.auth/login/aad?post_login_redirect_uri=/x    a page that lists the personas; `&persona=ID` becomes that one
//   GET /.auth/logout                                  nobody is signed in any more
//   GET /.auth/me                                      the claims of whoever is signed in, or []
//   header x-local-persona: ID                         for one request, for scripts
//
// A page of the app links to these paths and works on Azure unchanged. Without a choice the first persona is signed in.
import type { IncomingMessage, ServerResponse } from "node:http";
import { claimsOf, type Principal } from "./principal.ts";

const COOKIE = "LocalPersona";
const HEADER = "x-local-persona";
const NOBODY = "nobody";

/** Who calls; the header that says so never reaches the app. */
export function personaOf(
  headers: Record<string, string>,
  personas: readonly Principal[],
): Principal | undefined {
  const chosen = headers[HEADER] ?? cookieOf(headers["cookie"] ?? "");
  delete headers[HEADER];
  if (chosen === undefined) return personas[0];
  return personas.find(({ id }) => id === chosen);
}

function cookieOf(cookies: string): string | undefined {
  const pair = cookies.split(/; */).find((one) => one.startsWith(`${COOKIE}=`));
  return pair === undefined ? undefined : decodeURIComponent(pair.slice(COOKIE.length + 1));
}

/** False: no such path. */
export function answerSignIn(
  personas: readonly Principal[],
  { request, response, url }: { request: IncomingMessage; response: ServerResponse; url: URL },
  rest: readonly string[],
): boolean {
  const path = rest.join("/").toLowerCase();
  if (request.method !== "GET" || personas.length === 0) return false;
  if (path === "me") {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const persona = personaOf(headers, personas);
    send(response, "application/json", JSON.stringify(persona === undefined ? [] : [me(persona)]));
    return true;
  }
  if (path === "logout") {
    become(response, NOBODY, backTo(url, "post_logout_redirect_uri"));
    return true;
  }
  if (path !== "login/aad") return false;
  const wanted = url.searchParams.get("persona");
  if (wanted !== null && personas.some(({ id }) => id === wanted)) {
    become(response, wanted, backTo(url, "post_login_redirect_uri"));
  } else {
    send(response, "text/html; charset=utf-8", page(personas, url));
  }
  return true;
}

function me(persona: Principal) {
  const { id, name } = persona;
  return { provider_name: "aad", user_id: name, user_claims: claimsOf(persona), local_id: id };
}

function become(response: ServerResponse, id: string, location: string): void {
  const cookie = `${COOKIE}=${encodeURIComponent(id)}; Path=/; HttpOnly; SameSite=Lax`;
  response.writeHead(302, { location, "set-cookie": cookie, "cache-control": "no-store" }).end();
}

/** A path of this host, never another site. */
function backTo(url: URL, parameter: string): string {
  const wanted = url.searchParams.get(parameter) ?? "/.auth/me";
  return /^\/(?![/\\])/.test(wanted) ? wanted : "/.auth/me";
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(body);
}

function page(personas: readonly Principal[], url: URL): string {
  const back = encodeURIComponent(backTo(url, "post_login_redirect_uri"));
  const links = personas.map(({ id, name, roles }) => {
    const href = `?persona=${encodeURIComponent(id)}&post_login_redirect_uri=${back}`;
    return `<li><a href="${href.replaceAll("&", "&amp;")}">${text(name)}</a> ${text(roles.join(", "))}</li>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title>
<h1>Who do you want to be?</h1><p>Only the local host asks; Azure asks a directory.</p><ul>${links.join("")}</ul></html>`;
}

function text(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
