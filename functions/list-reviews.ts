// The open reviews of a tenant and its held cases, by what waiting costs.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import {
  listReviews as list,
  listReviewsRoute,
} from "../shared/flow/operate/reviews/list-reviews.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function listReviews(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    listReviewsRoute,
    { request, log, running: operating(log) },
    ({ params, query }, ports) => list(ports, params.tenant, query),
  );
}

app.http("list-reviews", { ...registration(listReviewsRoute), handler: listReviews });
