// Asks a person about each effect that needs an approval. After an expiry it is asked again, as a new document. Pure.
import { whyMayStillLand } from "../decisions/repeated-intent.ts";
import type { Book } from "../definitions.ts";
import type { Approval } from "../records/approval.ts";
import { schemaVersion } from "../records/evidence.ts";
import { caseOf, effectOf, withCase, withLine, type Snapshot } from "../records/snapshot.ts";

/** Three days: long enough for a week-end, short enough that somebody looks again. */
const approvalMsDefault = 72 * 3_600_000;

export function askApprovals(
  snapshot: Snapshot,
  operationIds: readonly string[],
  options: { book: Book; nowMs: number },
): Snapshot {
  const record = caseOf(snapshot);
  // Only an approval of the version that was decided on counts; any other would be asked for again and again.
  const version = record.plan?.decidedOn ?? record.version;
  let n = Math.max(0, ...snapshot.approvals.map((approval) => approval.n));
  const asked = operationIds.map((operationId): Approval => {
    const effect = effectOf(snapshot, operationId);
    const action = options.book.action(effect.action);
    n += 1;
    return {
      id: `approval:${version}:${n}`,
      type: "approval",
      schemaVersion,
      tenantId: snapshot.tenantId,
      caseId: snapshot.caseId,
      version,
      n,
      operationId,
      payloadDigest: effect.payloadDigest,
      factsDigest: record.factsDigest,
      action: effect.action,
      target: effect.target,
      consequence: [action?.consequence, whyMayStillLand(snapshot, effect, options)]
        .filter((says) => says !== undefined)
        .join(" "),
      requestedBy: record.requestedBy ?? "",
      askedAtMs: options.nowMs,
      expiresAtMs: options.nowMs + (action?.approvalMs ?? approvalMsDefault),
    };
  });
  const next = {
    ...withQuestions(snapshot, operationIds),
    approvals: [...snapshot.approvals, ...asked],
  };
  return withLine(next, `approval asked for ${asked.map(({ action }) => action).join(", ")}`);
}

/** Records in the plan what was asked about, so that the gate, and other code that looks next, needs the answer, too. */
function withQuestions(snapshot: Snapshot, operationIds: readonly string[]): Snapshot {
  const { plan } = caseOf(snapshot);
  const known = plan?.needsApproval ?? [];
  const added = operationIds.filter((operationId) => !known.includes(operationId));
  if (plan === undefined || added.length === 0) return snapshot;
  return withCase(snapshot, { plan: { ...plan, needsApproval: [...known, ...added] } });
}
