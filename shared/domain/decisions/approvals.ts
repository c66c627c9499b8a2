// Where a plan stands with its approvals. Pure.
//
// All that a plan needs must be given before its first claim, and must hold again at every later one. An approval speaks for one
// operation, one payload digest and one case version, until it expires. An effect needs one if it did when the plan was
// decided, or if today's code and settings ask for it and nothing of it has left yet.
import type { Book } from "../definitions.ts";
import type { Plan } from "../records/case.ts";
import type { Approval } from "../records/approval.ts";
import { effectOf, type Snapshot } from "../records/snapshot.ts";

export type ApprovalState =
  | { kind: "given" }
  | { kind: "refused"; by: string }
  /** These operations have no open question that could still be answered. */
  | { kind: "ask"; operationIds: string[] }
  | { kind: "waiting"; untilMs: number };

/** The plan with those effects added that today's code and settings ask about, as long as nothing of them has left. */
export function withNewQuestions(snapshot: Snapshot, plan: Plan, book: Book): Plan {
  const needed = new Set(plan.needsApproval);
  for (const operationId of plan.operationIds) {
    const { action, mayHaveLeft, status, tenantId } = effectOf(snapshot, operationId);
    if (status === "prepared" && !mayHaveLeft && book.asksFirst(tenantId, action)) {
      needed.add(operationId);
    }
  }
  return needed.size === 0 ? plan : { ...plan, needsApproval: [...needed] };
}

export function approvalState(snapshot: Snapshot, plan: Plan, nowMs: number): ApprovalState {
  const { needsApproval = [] } = plan;
  const questions = needsApproval.flatMap((operationId) =>
    questionsFor(snapshot, plan, operationId),
  );
  // A no is to the plan. It stands although its question ran out while it was on the way, or its effect was done after all.
  const refused = questions.find((approval) => approval.answer?.decision === "refuse");
  if (refused?.answer !== undefined) return { kind: "refused", by: refused.answer.by };
  const needed = needsApproval.filter(
    (operationId) => effectOf(snapshot, operationId).status !== "confirmed",
  );
  const asked = needed.map((operationId) => questionsFor(snapshot, plan, operationId).at(-1));
  const missing = needed.filter((_operationId, index) => isMissing(asked[index], nowMs));
  if (missing.length > 0) return { kind: "ask", operationIds: missing };
  const open = asked.flatMap((approval) =>
    approval !== undefined && approval.answer === undefined ? [approval.expiresAtMs] : [],
  );
  return open.length > 0 ? { kind: "waiting", untilMs: Math.min(...open) } : { kind: "given" };
}

/** All questions about this operation with this payload, on the version that was decided on; the latest comes last. */
function questionsFor(snapshot: Snapshot, plan: Plan, operationId: string): Approval[] {
  const { payloadDigest } = effectOf(snapshot, operationId);
  return snapshot.approvals
    .filter(
      (approval) =>
        approval.version === plan.decidedOn &&
        approval.operationId === operationId &&
        approval.payloadDigest === payloadDigest,
    )
    .toSorted((a, b) => a.n - b.n);
}

function isMissing(approval: Approval | undefined, nowMs: number): boolean {
  return approval === undefined || approval.expiresAtMs <= nowMs;
}

/** Who refused the plan of the version before this one. New facts, or a request to investigate, make one version more. */
export function refusedJustBefore({ approvals, case: record }: Snapshot): string | undefined {
  const refused = approvals.find(
    ({ answer, version }) => answer?.decision === "refuse" && version + 1 === record?.version,
  );
  return refused?.answer?.by;
}
