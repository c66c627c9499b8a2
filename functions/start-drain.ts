// Stops new decisions and new claims, before a deploy.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { startDrain as start } from "../shared/flow/operate/drain/drain.ts";
import { startDrainRoute } from "../shared/flow/operate/drain/drain-routes.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function startDrain(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    startDrainRoute,
    { request, log, running: operating(log) },
    ({ body, principal }, ports) => start(ports, { reason: body.reason, principal }),
  );
}

app.http("start-drain", { ...registration(startDrainRoute), handler: startDrain });
