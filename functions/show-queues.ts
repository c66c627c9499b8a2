// How many messages the broker holds, by its own counts.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { showQueues as show, showQueuesRoute } from "../shared/flow/operate/about/show-queues.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function showQueues(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(showQueuesRoute, { request, log, running: operating(log) }, (_call, ports) =>
    show(ports),
  );
}

app.http("show-queues", { ...registration(showQueuesRoute), handler: showQueues });
