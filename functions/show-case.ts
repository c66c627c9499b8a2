// One case as JSON, by its id or by the business reference that it came from.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { mayReadContent } from "../shared/flow/operate/access/principal.ts";
import { showCase as show, showCaseRoute } from "../shared/flow/operate/cases/show-case.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function showCase(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(showCaseRoute, { request, log, running: operating(log) }, (call, ports) =>
    show(ports, {
      tenantId: call.params.tenant,
      caseId: call.params.case,
      externalRef: call.query.externalRef,
      mayReadContent: mayReadContent(call.principal, call.params.tenant),
    }),
  );
}

app.http("show-case", { ...registration(showCaseRoute), handler: showCase });
