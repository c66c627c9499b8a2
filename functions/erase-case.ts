// Erases the content of a closed case: ids, digests, statuses and times stay. It cannot be undone.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { eraseCaseRoute, eraseReply } from "../shared/flow/operate/cases/case-routes.ts";
import { eraseCase as erase } from "../shared/flow/operate/cases/erase-case.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function eraseCase(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    eraseCaseRoute,
    { request, log, running: operating(log) },
    async ({ body, params, principal }, ports) => {
      if (body.caseId !== params.case) {
        return eraseReply({ kind: "refused", why: "caseId in the body must be the case's own id" });
      }
      const key = { tenantId: params.tenant, caseId: params.case };
      return eraseReply(await erase(ports, { key, principal }));
    },
  );
}

app.http("erase-case", { ...registration(eraseCaseRoute), handler: eraseCase });
