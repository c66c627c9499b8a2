// The second person's word on a resolution that is forced.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { confirmResolutionRoute } from "../shared/flow/operate/reviews/resolution.ts";
import { confirmResolution as confirm } from "../shared/flow/operate/reviews/resolve-review.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function confirmResolution(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    confirmResolutionRoute,
    { request, log, running: operating(log) },
    ({ body, params, principal, recordId }, ports) =>
      confirm(ports, {
        key: { tenantId: params.tenant, caseId: params.case },
        reviewId: params.review,
        body,
        principal,
        recordId,
      }),
  );
}

app.http("confirm-resolution", {
  ...registration(confirmResolutionRoute),
  handler: confirmResolution,
});
