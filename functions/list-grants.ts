// The authorizations of one tenant, revoked ones included: they are its record of who allowed what.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { listGrantsRoute } from "../shared/flow/operate/grants/grant-routes.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function listGrants(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    listGrantsRoute,
    { request, log, running: operating(log) },
    async ({ params }, ports) => ({
      kind: "done",
      body: { grants: await ports.grants.list(params.tenant) },
    }),
  );
}

app.http("list-grants", { ...registration(listGrantsRoute), handler: listGrants });
