// Ends a drain: the work goes on.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { stopDrain as stop } from "../shared/flow/operate/drain/drain.ts";
import { stopDrainRoute } from "../shared/flow/operate/drain/drain-routes.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function stopDrain(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(stopDrainRoute, { request, log, running: operating(log) }, (_call, ports) =>
    stop(ports),
  );
}

app.http("stop-drain", { ...registration(stopDrainRoute), handler: stopDrain });
