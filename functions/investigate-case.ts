// "Investigate": a person's wish to have a case looked at again. Twice is one.
import {
  app,
  type HttpRequest,
  type HttpResponseInit,
  type InvocationContext,
} from "@azure/functions";
import { z } from "zod";
import { parseCaseKey } from "../shared/domain/identity.ts";
import { contextLog } from "../shared/flow/context-log.ts";
import { authorize, callerOf } from "../shared/flow/operate/authorize.ts";
import { investigateCase as investigate } from "../shared/flow/operate/investigate-case.ts";
import { readBody } from "../shared/flow/operate/read-body.ts";
import { problem } from "../shared/flow/problem.ts";
import { runtime } from "../shared/runtime.ts";

const InvestigateBody = z.strictObject({
  requestId: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,100}$/)
    .optional(),
});

export async function investigateCase(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const running = await runtime();
  const { tenant = "", case: caseId = "" } = request.params;
  const authorized = authorize(callerOf(request, running), { role: "operator", tenantId: tenant });
  if (authorized.kind === "denied") return authorized.response;
  const body = readBody(await request.text(), InvestigateBody);
  if (body.kind === "wrong") return body.response;
  const key = parseCaseKey(`${tenant}:${caseId}`);
  const missing = problem({
    status: 404,
    slug: "no-such-case",
    detail: "No case is recorded under this id.",
  });
  if (key === undefined) return missing;
  const { requestId } = body.value;
  const { principal } = authorized;
  const ports = running.operate(contextLog(context));
  const result = await investigate(ports, { key, requestId, principal });
  switch (result.kind) {
    case "recorded":
      return { status: 202, jsonBody: { eventId: result.eventId, duplicate: result.duplicate } };
    case "missing":
      return missing;
    case "unavailable":
      return problem({
        status: 503,
        slug: "unavailable",
        detail: "Send the same request again.",
        retryAfterSeconds: 5,
      });
  }
}

app.http("investigate-case", {
  methods: ["POST"],
  route: "cases/{tenant}/{case}/investigate",
  authLevel: "anonymous",
  handler: investigateCase,
});
