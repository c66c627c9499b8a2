// Whether a drain is on, and what it still waits for.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { showDrain as show } from "../shared/flow/operate/drain/drain.ts";
import { showDrainRoute } from "../shared/flow/operate/drain/drain-routes.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function showDrain(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(showDrainRoute, { request, log, running: operating(log) }, (_call, ports) =>
    show(ports),
  );
}

app.http("show-drain", { ...registration(showDrainRoute), handler: showDrain });
