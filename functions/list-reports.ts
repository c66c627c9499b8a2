// Providers' own webhooks of one tenant that named no effect: those still looked for, and those given up.
import {
  app,
  type HttpRequest,
  type HttpResponseInit,
  type InvocationContext,
} from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { authorize, callerOf } from "../shared/flow/operate/authorize.ts";
import { runtime } from "../shared/runtime.ts";

export async function listReports(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const running = await runtime();
  const { tenant = "" } = request.params;
  const authorized = authorize(callerOf(request, running), { role: "reader", tenantId: tenant });
  if (authorized.kind === "denied") return authorized.response;
  const reports = await running.operate(contextLog(context)).reports.list(tenant);
  return { jsonBody: { reports }, headers: { "cache-control": "no-store" } };
}

app.http("list-reports", {
  methods: ["GET"],
  route: "reports/{tenant}",
  authLevel: "anonymous",
  handler: listReports,
});
