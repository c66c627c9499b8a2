// One approval: what exactly would be sent, and on which facts.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import {
  showApproval as show,
  showApprovalRoute,
} from "../shared/flow/operate/approvals/approval-routes.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function showApproval(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    showApprovalRoute,
    { request, log, running: operating(log) },
    ({ params, principal }, ports) =>
      show(ports, {
        key: { tenantId: params.tenant, caseId: params.case },
        approvalId: params.approval,
        principal,
      }),
  );
}

app.http("show-approval", { ...registration(showApprovalRoute), handler: showApproval });
