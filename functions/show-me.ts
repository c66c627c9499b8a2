// Who is signed in, and what this app allows them.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { showMe as show, showMeRoute } from "../shared/flow/operate/about/show-me.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function showMe(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    showMeRoute,
    { request, log, running: operating(log) },
    async ({ principal }, ports) => show(principal, ports.tenants),
  );
}

app.http("show-me", { ...registration(showMeRoute), handler: showMe });
