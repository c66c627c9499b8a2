// Providers' own webhooks of one tenant that named no effect: those still looked for, and those given up.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { mayReadContent } from "../shared/flow/operate/access/principal.ts";
import {
  listReports as list,
  listReportsRoute,
} from "../shared/flow/operate/about/list-reports.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function listReports(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(listReportsRoute, { request, log, running: operating(log) }, (call, ports) =>
    list(ports, call.params.tenant, mayReadContent(call.principal, call.params.tenant)),
  );
}

app.http("list-reports", { ...registration(listReportsRoute), handler: listReports });
