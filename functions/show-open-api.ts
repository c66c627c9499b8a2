// The OpenAPI document of all routes.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { openApiRoute } from "../shared/flow/operate/about/open-api-route.ts";
import { openApiDocument } from "../shared/flow/operate/about/open-api.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function showOpenApi(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(openApiRoute, { request, log, running: operating(log) }, async () => ({
    kind: "done",
    body: openApiDocument(),
  }));
}

app.http("show-open-api", { ...registration(openApiRoute), handler: showOpenApi });
