// Takes an authorization back: nothing more is sent under it, nothing that was done is erased.
import { app, type HttpRequest, type InvocationContext } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { revokeGrant as revoke } from "../shared/flow/operate/grants/give-grant.ts";
import { revokeGrantRoute, revokeReply } from "../shared/flow/operate/grants/grant-routes.ts";
import { registration } from "../shared/flow/operate/route.ts";
import { serve } from "../shared/flow/operate/serve.ts";
import { operating } from "../shared/runtime.ts";

export async function revokeGrant(request: HttpRequest, context: InvocationContext) {
  const log = contextLog(context);
  return serve(
    revokeGrantRoute,
    { request, log, running: operating(log) },
    async ({ body, params, principal }, ports) =>
      revokeReply(
        await revoke(ports, {
          tenantId: params.tenant,
          grantId: params.grant,
          reason: body.reason,
          principal,
        }),
      ),
  );
}

app.http("revoke-grant", { ...registration(revokeGrantRoute), handler: revokeGrant });
