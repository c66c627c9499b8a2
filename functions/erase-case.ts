// Erases the content of a closed case: ids, digests, statuses and times stay. It cannot be undone.
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
import { eraseCase as erase, type EraseResult } from "../shared/flow/operate/erase-case.ts";
import { readBody } from "../shared/flow/operate/read-body.ts";
import { problem } from "../shared/flow/problem.ts";
import { runtime } from "../shared/runtime.ts";

/** The case id once more, by hand: a wrong link erases nothing. */
const EraseBody = z.strictObject({ caseId: z.string() });

export async function eraseCase(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const running = await runtime();
  const { tenant = "", case: caseId = "" } = request.params;
  const authorized = authorize(callerOf(request, running), { role: "admin", tenantId: tenant });
  if (authorized.kind === "denied") return authorized.response;
  const body = readBody(await request.text(), EraseBody);
  if (body.kind === "wrong") return body.response;
  const key = parseCaseKey(`${tenant}:${caseId}`);
  if (key === undefined) return responseTo({ kind: "missing" });
  if (body.value.caseId !== caseId) {
    return responseTo({ kind: "refused", why: "caseId in the body must be the case's own id" });
  }
  const log = contextLog(context);
  const { principal } = authorized;
  const result = await erase(running.operate(log), { key, principal });
  log.info("case erased", { caseKey: `${tenant}:${caseId}`, result: result.kind });
  return responseTo(result);
}

function responseTo(result: EraseResult): HttpResponseInit {
  switch (result.kind) {
    case "erased":
      return { status: 200, jsonBody: { erasedDocuments: result.documents } };
    case "missing":
      return problem({
        status: 404,
        slug: "no-such-case",
        detail: "No case is recorded under this id.",
      });
    case "refused":
      return problem({ status: 409, slug: "not-erasable", detail: `${result.why}.` });
    case "again": {
      const detail = "It is erased in part; send the same request again.";
      return problem({ status: 503, slug: "unavailable", detail, retryAfterSeconds: 2 });
    }
  }
}

app.http("erase-case", {
  methods: ["POST"],
  route: "cases/{tenant}/{case}/erase",
  authLevel: "anonymous",
  handler: eraseCase,
});
