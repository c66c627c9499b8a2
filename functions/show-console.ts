// The operators' console: a page and its files; whoever is not signed in is led to sign in first.
import { join } from "node:path";
import { app, type HttpRequest, type HttpResponseInit } from "@azure/functions";
import { principalOf } from "../shared/flow/operate/access/principal.ts";
import { consoleHeaders, readConsoleFile } from "../shared/flow/operate/about/console-files.ts";
import { problem } from "../shared/flow/problem.ts";

// The app is one file in dist, and the console was built beside it.
const folder = join(import.meta.dirname, "console");
const signIn = "/.auth/login/aad?post_login_redirect_uri=/api/console";

export async function showConsole(request: HttpRequest): Promise<HttpResponseInit> {
  const { file: name = "" } = request.params;
  // Where Easy Auth is off nobody is signed in here either: the API believes no header then.
  const principal = principalOf(request.headers.get("x-ms-client-principal"), {
    easyAuthIsOn: true,
  });
  if (name === "" && principal === undefined) {
    const headers = { ...consoleHeaders, location: signIn, "cache-control": "no-store" };
    return { status: 302, headers };
  }
  const file = await readConsoleFile(folder, name);
  if (file === undefined) {
    const detail = "The console has no such file; `npm run build` makes them.";
    return problem({ status: 404, slug: "no-such-file", detail });
  }
  return { status: 200, headers: file.headers, body: file.body };
}

app.http("show-console", {
  methods: ["GET"],
  route: "console/{*file}",
  authLevel: "anonymous",
  handler: showConsole,
});
