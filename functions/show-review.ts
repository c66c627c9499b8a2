// One review on one screen, with each choice and what it does.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { showReview as show, showReviewRoute } from "../shared/flow/operate/reviews/show-review.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function showReview(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    showReviewRoute,
    { request, log, running: operating(log) },
    ({ params, principal }, ports) =>
      show(ports, {
        key: { tenantId: params.tenant, caseId: params.case },
        reviewId: params.review,
        principal,
      }),
  );
}

app.http("show-review", { ...registration(showReviewRoute), handler: showReview });
