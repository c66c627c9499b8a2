// A person answers one question about one effect.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { answerApproval as answer } from "../shared/flow/operate/approvals/answer-approval.ts";
import {
  answerApprovalRoute,
  answerReply,
} from "../shared/flow/operate/approvals/approval-routes.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function answerApproval(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    answerApprovalRoute,
    { request, log, running: operating(log) },
    async ({ body, params, principal }, ports) =>
      answerReply(
        await answer(ports, {
          key: { tenantId: params.tenant, caseId: params.case },
          approvalId: params.approval,
          principal,
          ...body,
        }),
      ),
  );
}

app.http("answer-approval", { ...registration(answerApprovalRoute), handler: answerApproval });
