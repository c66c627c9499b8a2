// One case in time, for a picture with lanes and for a table.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { mayReadContent } from "../shared/flow/operate/access/principal.ts";
import { showTimeLine as show, showTimeLineRoute } from "../shared/flow/operate/cases/time-line.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function showTimeLine(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    showTimeLineRoute,
    { request, log, running: operating(log) },
    ({ params, principal }, ports) =>
      show(
        ports,
        { tenantId: params.tenant, caseId: params.case },
        mayReadContent(principal, params.tenant),
      ),
  );
}

app.http("show-time-line", { ...registration(showTimeLineRoute), handler: showTimeLine });
