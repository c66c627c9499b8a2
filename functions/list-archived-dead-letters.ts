// Dead letters that were archived, parked or edited.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import {
  listArchived,
  listArchivedRoute,
} from "../shared/flow/operate/dead-letters/list-archived.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function listArchivedDeadLetters(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    listArchivedRoute,
    { request, log, running: operating(log) },
    ({ params, principal, query }, ports) =>
      listArchived(ports, { tenant: params.tenant, principal }, query),
  );
}

app.http("list-archived-dead-letters", {
  ...registration(listArchivedRoute),
  handler: listArchivedDeadLetters,
});
