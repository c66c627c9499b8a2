// What people did in a tenant: who, what, why, when, and what came of it.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { listRecords, listRecordsRoute } from "../shared/flow/operate/about/list-records.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function listOperatorRecords(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    listRecordsRoute,
    { request, log, running: operating(log) },
    ({ params, query }, ports) => listRecords(ports, params.tenant, query),
  );
}

app.http("list-operator-records", {
  ...registration(listRecordsRoute),
  handler: listOperatorRecords,
});
