// Gives an authorization to a workflow, and wakes the cases that wait for it.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { giveGrant as give } from "../shared/flow/operate/grants/give-grant.ts";
import { giveGrantRoute, giveReply } from "../shared/flow/operate/grants/grant-routes.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function giveGrant(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    giveGrantRoute,
    { request, log, running: operating(log) },
    async ({ body, params, principal }, ports) =>
      giveReply(await give(ports, { tenantId: params.tenant, grant: body, principal }), body.id),
  );
}

app.http("give-grant", { ...registration(giveGrantRoute), handler: giveGrant });
