// One case as JSON, by its id or by the business reference that it came from.
import {
  app,
  type HttpRequest,
  type HttpResponseInit,
  type InvocationContext,
} from "@azure/functions";
import {
  caseIdOf,
  parseCaseKey,
  tenantIdPattern,
  type CaseKey,
} from "../shared/domain/identity.ts";
import { contextLog } from "../shared/flow/context-log.ts";
import { problem } from "../shared/flow/problem.ts";
import { showCase as show } from "../shared/flow/show-case.ts";
import { runtime } from "../shared/runtime.ts";

export async function showCase(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const running = await runtime();
  const key = keyOf(request, running.caseIdKey);
  if (typeof key === "string") return problem({ status: 400, slug: "bad-request", detail: key });
  const view = await show(running.turn(contextLog(context)), key);
  if (view === undefined) {
    return problem({
      status: 404,
      slug: "no-such-case",
      detail: "No case is recorded under this id.",
    });
  }
  return { jsonBody: view, headers: { "cache-control": "no-store" } };
}

/** The case's key, or what is wrong with the request. */
function keyOf(request: HttpRequest, caseIdKey: Uint8Array): CaseKey | string {
  const { tenant = "", case: caseId } = request.params;
  if (!tenantIdPattern.test(tenant)) return "tenant: use 1 to 64 of a-z, 0-9 and -.";
  if (caseId !== undefined) {
    const key = parseCaseKey(`${tenant}:${caseId}`);
    return key ?? "case: use the 26 characters of a case id, or ?externalRef=... instead.";
  }
  const externalRef = request.query.get("externalRef");
  if (externalRef === null || externalRef === "") {
    return "externalRef: give the business reference, like ?externalRef=INV-20931.";
  }
  return { tenantId: tenant, caseId: caseIdOf(caseIdKey, tenant, externalRef) };
}

app.http("show-case", {
  methods: ["GET"],
  route: "cases/{tenant}/{case?}",
  authLevel: "function",
  handler: showCase,
});
