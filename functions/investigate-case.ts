// "Investigate": a person's wish to have a case looked at again. Twice is one.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import {
  investigateCaseRoute,
  investigateReply,
} from "../shared/flow/operate/cases/case-routes.ts";
import { investigateCase as investigate } from "../shared/flow/operate/cases/investigate-case.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function investigateCase(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    investigateCaseRoute,
    { request, log, running: operating(log) },
    async ({ body, params, principal }, ports) =>
      investigateReply(
        await investigate(ports, {
          key: { tenantId: params.tenant, caseId: params.case },
          requestId: body.requestId,
          principal,
        }),
      ),
  );
}

app.http("investigate-case", { ...registration(investigateCaseRoute), handler: investigateCase });
