// The routes about approvals: which wait for an answer, what one would do, and the answer.
import { z } from "zod";
import type { Book } from "../../../domain/definitions.ts";
import { thawPayload, type Thawed } from "../../../domain/frozen-payload.ts";
import { Approval } from "../../../domain/records/approval.ts";
import { requestersOf } from "../../../domain/decisions/requesters.ts";
import type { Effect } from "../../../domain/records/effect.ts";
import type { CaseKey } from "../../../domain/identity.ts";
import type { CaseRow, OperatorStore } from "../../../stores/operator-ports.ts";
import type { CaseStore } from "../../../stores/ports.ts";
import { hasRole, isSamePrincipal, mayReadContent, type Principal } from "../access/principal.ts";
import { Cursor, cursorText, Max, Next } from "../page.ts";
import { CaseId, DecisionId, getRoute, postRoute, Tenant } from "../route.ts";
import type { Reply } from "../serve.ts";
import { findEffect } from "../../../domain/records/snapshot.ts";
import { ShownEffect, showEffect } from "../shown.ts";
import type { AnswerResult } from "./answer-approval.ts";

const Params = z.strictObject({
  tenant: Tenant,
  case: CaseId,
  approval: z.string().regex(/^approval:\d{1,9}:\d{1,9}$/, "use the id of an approval"),
});

const Listed = Approval.omit({ type: true, schemaVersion: true, target: true }).extend({
  target: z.string().optional().describe("For operators, approvers and admins."),
  externalRef: z.string(),
  workflow: z.string(),
  stands: z.boolean().describe("False: the case has moved on, and an answer would be void."),
  mayAnswer: z
    .boolean()
    .describe(
      "False for whoever requested it, and for what is no person. A list knows only who did so last.",
    ),
});
type Listed = z.infer<typeof Listed>;

const Page = z.object({ approvals: z.array(Listed), next: Next });
const PageQuery = z.strictObject({ max: Max, cursor: Cursor });

export const listApprovalsRoute = getRoute({
  name: "list-approvals",
  path: "approvals/{tenant}",
  summary: "The approvals of a tenant that nobody has answered, oldest first.",
  role: "reader",
  params: z.strictObject({ tenant: Tenant }),
  query: PageQuery,
  answer: { schema: Page, says: "One page." },
  problems: [],
});

const Shown = z.object({
  approval: Listed,
  effect: ShownEffect.describe(
    "What exactly would be sent; approvers see a sensitive payload, too.",
  ),
  withheld: z
    .string()
    .optional()
    .describe("Why a sensitive payload cannot be shown to an approver."),
  facts: z.record(z.string(), z.unknown()).optional(),
  version: z.int(),
});

export const showApprovalRoute = getRoute({
  name: "show-approval",
  path: "approvals/{tenant}/{case}/{approval}",
  summary: "One approval: the frozen payload, the facts that it rests on, and what it would do.",
  role: "reader",
  params: Params,
  answer: { schema: Shown, says: "The question as it stands now." },
  problems: [404],
});

export const answerApprovalRoute = postRoute({
  name: "answer-approval",
  path: "cases/{tenant}/{case}/approvals/{approval}/answer",
  summary: "Answers one approval, once, on facts that are read again first.",
  role: "approver",
  params: Params,
  body: z.strictObject({
    answerId: DecisionId,
    decision: z.enum(["approve", "refuse"]),
    reason: z.string().max(2000).optional(),
  }),
  answer: { status: 200, schema: z.object({ answered: z.literal(true) }), says: "It stands." },
  problems: [404, 409],
  record: ({ body, params }) => ({
    subject: params.approval,
    decisionId: body.answerId,
    reason: body.reason,
    details: { decision: body.decision },
  }),
});

export async function listApprovals(
  ports: { operators: OperatorStore; nowMs(): number },
  wanted: { tenantId: string; principal: Principal; query: z.output<typeof PageQuery> },
): Promise<Reply<z.infer<typeof Page>>> {
  const { principal, query, tenantId } = wanted;
  const { cursor: after, max } = query;
  const page = await ports.operators.openApprovals({ tenantId, max, after, nowMs: ports.nowMs() });
  const caseIds = page.rows.map(({ caseId }) => caseId);
  const rows = await ports.operators.caseRows(tenantId, caseIds);
  const cases = new Map(rows.map((row) => [row.caseId, row]));
  const approvals = page.rows.map((approval) =>
    shown(approval, cases.get(approval.caseId), principal),
  );
  return { kind: "done", body: { approvals, ...cursorText(page.next) } };
}

function shown(
  { type: _type, schemaVersion: _version, target, ...approval }: Approval,
  row: CaseRow | undefined,
  principal: Principal,
  askers: Iterable<string> = [],
): Listed {
  const isAsker = [approval.requestedBy, ...askers].some((asker) =>
    isSamePrincipal(asker, principal.id),
  );
  return {
    ...approval,
    ...(mayReadContent(principal, approval.tenantId) ? { target } : {}),
    externalRef: row?.externalRef ?? "",
    workflow: row?.workflow.type ?? "",
    stands: row?.version === approval.version && row.decidedOn === approval.version,
    mayAnswer: principal.isPerson && !isAsker,
  };
}

const noSuchApproval = {
  kind: "problem",
  problem: { status: 404, slug: "no-such-approval", detail: "There is no such approval." },
} as const satisfies Reply<never>;

export async function showApproval(
  ports: { cases: CaseStore; operators: OperatorStore; book: Book },
  wanted: { key: CaseKey; approvalId: string; principal: Principal },
): Promise<Reply<z.infer<typeof Shown>>> {
  const { approvalId, key, principal } = wanted;
  const [history, [row]] = await Promise.all([
    ports.cases.history(key),
    ports.operators.caseRows(key.tenantId, [key.caseId]),
  ]);
  if (history === undefined) return noSuchApproval;
  const { snapshot } = history;
  const approval = snapshot.approvals.find(({ id }) => id === approvalId);
  const effect = findEffect(snapshot, approval?.operationId);
  if (approval === undefined || effect === undefined) return noSuchApproval;
  const mayRead = mayReadContent(principal, key.tenantId);
  const facts = mayRead ? snapshot.case?.facts : undefined;
  const listed = shown(approval, row, principal, requestersOf(snapshot));
  const isAsked = listed.mayAnswer && approval.answer === undefined;
  const sealed = isAsked ? await sealedPayload(ports, effect, wanted) : undefined;
  const opened = sealed?.kind === "payload" ? { payload: sealed.payload } : {};
  const body = {
    approval: listed,
    effect: { ...showEffect(effect, mayRead), ...opened },
    ...(sealed?.kind === "withheld" ? { withheld: sealed.why } : {}),
    version: snapshot.case?.version ?? 0,
    ...(facts === undefined ? {} : { facts }),
  };
  return { kind: "done", body };
}

/** Nobody may be asked to approve what he cannot read: the one place where a sensitive payload is shown, to whom it asks alone. */
async function sealedPayload(
  { book, cases }: { cases: CaseStore; book: Book },
  effect: Effect,
  { key, principal }: { key: CaseKey; principal: Principal },
): Promise<Thawed | undefined> {
  if (effect.payloadRef === undefined) return undefined;
  if (!hasRole(principal, "approver", key.tenantId)) return undefined;
  return thawPayload(effect, await cases.readPayload(key, effect.payloadRef), book.payloadKeys);
}

export function answerReply(result: AnswerResult): Reply<{ answered: true }> {
  switch (result.kind) {
    case "answered":
      return { kind: "done", body: { answered: true } };
    case "missing":
      return noSuchApproval;
    case "refused":
      return refusal(403, "may-not-answer", `${result.why}.`);
    case "void":
      return refusal(409, "approval-void", `${result.why}.`);
    case "answeredBefore": {
      const when = new Date(result.atMs).toISOString();
      const detail = `It was answered before: ${result.decision} by ${result.by} at ${when}.`;
      return refusal(409, "answered-before", detail);
    }
    case "unavailable": {
      const problem = { status: 503, slug: "facts-unavailable", detail: `${result.why}.` } as const;
      return { kind: "problem", problem: { ...problem, retryAfterSeconds: 30 } };
    }
  }
}

function refusal(status: 403 | 409, slug: string, detail: string): Reply<never> {
  return { kind: "problem", problem: { status, slug, detail } };
}
