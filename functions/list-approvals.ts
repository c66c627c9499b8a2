// The approvals of a tenant that nobody has answered.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import {
  listApprovals as list,
  listApprovalsRoute,
} from "../shared/flow/operate/approvals/approval-routes.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function listApprovals(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    listApprovalsRoute,
    { request, log, running: operating(log) },
    ({ params, principal, query }, ports) =>
      list(ports, { tenantId: params.tenant, principal, query }),
  );
}

app.http("list-approvals", { ...registration(listApprovalsRoute), handler: listApprovals });
