// How a tenant stands now, in a few counts.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import {
  showOverview as show,
  showOverviewRoute,
} from "../shared/flow/operate/about/show-overview.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function showOverview(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(showOverviewRoute, { request, log, running: operating(log) }, ({ params }, ports) =>
    show(ports, params.tenant),
  );
}

app.http("show-overview", { ...registration(showOverviewRoute), handler: showOverview });
