// Takes an authorization back: nothing more is sent under it, nothing that was done is erased.
import {
  app,
  type HttpRequest,
  type HttpResponseInit,
  type InvocationContext,
} from "@azure/functions";
import { z } from "zod";
import { contextLog } from "../shared/flow/context-log.ts";
import { authorize, callerOf } from "../shared/flow/operate/authorize.ts";
import { revokeGrant as revoke } from "../shared/flow/operate/give-grant.ts";
import { readBody } from "../shared/flow/operate/read-body.ts";
import { problem } from "../shared/flow/problem.ts";
import { runtime } from "../shared/runtime.ts";

const RevokeBody = z.strictObject({ reason: z.string().min(3).max(2000) });

export async function revokeGrant(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const running = await runtime();
  const { tenant = "", grant: grantId = "" } = request.params;
  const authorized = authorize(callerOf(request, running), { role: "admin", tenantId: tenant });
  if (authorized.kind === "denied") return authorized.response;
  const body = readBody(await request.text(), RevokeBody);
  if (body.kind === "wrong") return body.response;
  const { principal } = authorized;
  const log = contextLog(context);
  const { reason } = body.value;
  const result = await revoke(running.operate(log), {
    tenantId: tenant,
    grantId,
    reason,
    principal,
  });
  log.info("grant revoked", { tenantId: tenant, grantId, result });
  switch (result) {
    case "revoked":
      return { status: 200, jsonBody: { revoked: true } };
    case "revokedBefore":
      return problem({ status: 409, slug: "revoked-before", detail: "It was revoked before." });
    case "missing":
      return problem({ status: 404, slug: "no-such-grant", detail: "There is no such grant." });
  }
}

app.http("revoke-grant", {
  methods: ["POST"],
  route: "grants/{tenant}/{grant}/revoke",
  authLevel: "anonymous",
  handler: revokeGrant,
});
