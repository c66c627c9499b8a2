// A person's answer to one approval: POST only, so that no link, prefetch or GET can ever approve.
import {
  app,
  type HttpRequest,
  type HttpResponseInit,
  type InvocationContext,
} from "@azure/functions";
import { z } from "zod";
import { parseCaseKey } from "../shared/domain/identity.ts";
import { contextLog } from "../shared/flow/context-log.ts";
import { answerApproval as answer } from "../shared/flow/operate/answer-approval.ts";
import type { AnswerResult } from "../shared/flow/operate/answer-approval.ts";
import { authorize, callerOf } from "../shared/flow/operate/authorize.ts";
import { readBody } from "../shared/flow/operate/read-body.ts";
import { problem } from "../shared/flow/problem.ts";
import { runtime } from "../shared/runtime.ts";

const AnswerBody = z.strictObject({
  decision: z.enum(["approve", "refuse"]),
  answerId: z.string().min(8).max(100),
  reason: z.string().max(2000).optional(),
});

export async function answerApproval(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const running = await runtime();
  const { tenant = "", case: caseId = "", approval: approvalId = "" } = request.params;
  const authorized = authorize(callerOf(request, running), { role: "approver", tenantId: tenant });
  if (authorized.kind === "denied") return authorized.response;
  const body = readBody(await request.text(), AnswerBody);
  if (body.kind === "wrong") return body.response;
  const key = parseCaseKey(`${tenant}:${caseId}`);
  if (key === undefined) return responseTo({ kind: "missing" });
  const { principal } = authorized;
  const log = contextLog(context);
  const result = await answer(running.operate(log), { key, approvalId, principal, ...body.value });
  log.info("approval answered", {
    caseKey: `${tenant}:${caseId}`,
    approvalId,
    result: result.kind,
  });
  return responseTo(result);
}

function responseTo(result: AnswerResult): HttpResponseInit {
  switch (result.kind) {
    case "answered":
      return { status: 200, jsonBody: { answered: true } };
    case "missing":
      return problem({
        status: 404,
        slug: "no-such-approval",
        detail: "There is no such approval.",
      });
    case "refused":
      return problem({ status: 403, slug: "may-not-answer", detail: `${result.why}.` });
    case "void":
      return problem({ status: 409, slug: "approval-void", detail: `${result.why}.` });
    case "answeredBefore": {
      const when = new Date(result.atMs).toISOString();
      const detail = `It was answered before: ${result.decision} by ${result.by} at ${when}.`;
      return problem({ status: 409, slug: "answered-before", detail });
    }
    case "unavailable":
      return problem({
        status: 503,
        slug: "facts-unavailable",
        detail: `${result.why}.`,
        retryAfterSeconds: 30,
      });
  }
}

app.http("answer-approval", {
  methods: ["POST"],
  route: "cases/{tenant}/{case}/approvals/{approval}/answer",
  authLevel: "anonymous",
  handler: answerApproval,
});
