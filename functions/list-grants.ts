// The authorizations of one tenant, revoked ones included: they are its record of who allowed what.
import {
  app,
  type HttpRequest,
  type HttpResponseInit,
  type InvocationContext,
} from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { authorize, callerOf } from "../shared/flow/operate/authorize.ts";
import { runtime } from "../shared/runtime.ts";

export async function listGrants(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const running = await runtime();
  const { tenant = "" } = request.params;
  const authorized = authorize(callerOf(request, running), { role: "reader", tenantId: tenant });
  if (authorized.kind === "denied") return authorized.response;
  const grants = await running.operate(contextLog(context)).grants.list(tenant);
  return { jsonBody: { grants }, headers: { "cache-control": "no-store" } };
}

app.http("list-grants", {
  methods: ["GET"],
  route: "grants/{tenant}",
  authLevel: "anonymous",
  handler: listGrants,
});
