// A person resolves a review: what is written is a finding, and a turn settles it.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { resolveReviewRoute } from "../shared/flow/operate/reviews/resolution.ts";
import { resolveReview as resolve } from "../shared/flow/operate/reviews/resolve-review.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function resolveReview(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    resolveReviewRoute,
    { request, log, running: operating(log) },
    ({ body, params, principal, recordId }, ports) =>
      resolve(ports, {
        key: { tenantId: params.tenant, caseId: params.case },
        reviewId: params.review,
        body,
        principal,
        recordId,
      }),
  );
}

app.http("resolve-review", { ...registration(resolveReviewRoute), handler: resolveReview });
