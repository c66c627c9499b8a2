// Gives an authorization to a workflow, and wakes the cases that wait for it.
import {
  app,
  type HttpRequest,
  type HttpResponseInit,
  type InvocationContext,
} from "@azure/functions";
import { tenantIdPattern } from "../shared/domain/identity.ts";
import { contextLog } from "../shared/flow/context-log.ts";
import { authorize, callerOf } from "../shared/flow/operate/authorize.ts";
import { giveGrant as give, GrantRequest } from "../shared/flow/operate/give-grant.ts";
import { readBody } from "../shared/flow/operate/read-body.ts";
import { problem } from "../shared/flow/problem.ts";
import { runtime } from "../shared/runtime.ts";

export async function giveGrant(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const running = await runtime();
  const { tenant = "" } = request.params;
  const authorized = authorize(callerOf(request, running), { role: "admin", tenantId: tenant });
  if (authorized.kind === "denied") return authorized.response;
  if (!tenantIdPattern.test(tenant)) {
    const detail = "tenant: use 1 to 64 of a-z, 0-9 and -.";
    return problem({ status: 400, slug: "bad-request", detail });
  }
  const body = readBody(await request.text(), GrantRequest);
  if (body.kind === "wrong") return body.response;
  const { principal } = authorized;
  const log = contextLog(context);
  const result = await give(running.operate(log), {
    tenantId: tenant,
    grant: body.value,
    principal,
  });
  log.info("grant given", { tenantId: tenant, grantId: body.value.id, result: result.kind });
  switch (result.kind) {
    case "given":
      return { status: 201, jsonBody: { id: body.value.id, woken: result.woken } };
    case "exists":
      return problem({
        status: 409,
        slug: "grant-exists",
        detail: "Another grant has this id; choose a new one.",
      });
    case "wrong":
      return problem({
        status: 400,
        slug: "bad-request",
        detail: "Some fields are missing or wrong.",
        errors: [{ field: result.field, detail: result.detail }],
      });
    case "unavailable":
      return problem({
        status: 503,
        slug: "unavailable",
        detail: "Send the same request again.",
        retryAfterSeconds: 5,
      });
  }
}

app.http("give-grant", {
  methods: ["POST"],
  route: "grants/{tenant}",
  authLevel: "anonymous",
  handler: giveGrant,
});
