// What a person states about an unknown effect, after looking (design.md 4). Pure.
//
// A statement ends the unknown only while there is nothing better; it is kept as `settledBy: person` and counted
// apart. Later evidence may contradict it. Abandoning settles nothing: the effect stays unknown, counted, and
// open to findings.
import type { Book } from "../definitions.ts";
import { coreOf, type Effect } from "../records/effect.ts";
import type { Finding, Receipt } from "../records/evidence.ts";
import { caseOf, effectOf, withCase, withEffect, type Snapshot } from "../records/snapshot.ts";
import { confirm, reject } from "./attempt.ts";
import { resolveReview } from "./reviews.ts";

export interface FoldOptions {
  book: Book;
  nowMs: number;
}

export function foldStatement(
  snapshot: Snapshot,
  finding: Finding,
  options: FoldOptions,
): Snapshot {
  const { content } = finding;
  if (content.kind !== "statement") return snapshot;
  const effect = effectOf(snapshot, finding.operationId);
  const { nowMs, book } = options;
  const { statement } = content;
  if (effect.status !== "unknown") return snapshot;
  switch (statement.kind) {
    case "happened": {
      const receipt: Receipt = {
        stage: "accepted",
        providerId: statement.providerId,
        boundTo: {
          operationId: effect.operationId,
          target: effect.target,
          payloadDigest: effect.payloadDigest,
        },
        content: { statedBy: finding.by, reason: content.reason },
      };
      return afterPlan(
        confirm(snapshot, coreOf(effect), { receipt, settledBy: "person", nowMs }),
        effect,
      );
    }
    case "didNotHappen": {
      const reason = `stated by ${finding.by}: ${content.reason}`;
      return afterPlan(
        reject(snapshot, coreOf(effect), { reason, settledBy: "person", nowMs, book }),
        effect,
      );
    }
    case "abandon": {
      const resolved = resolveReview(snapshot, effect.reviewRef, {
        how: "abandoned",
        by: finding.by,
        atMs: nowMs,
        reason: content.reason,
      });
      return withEffect(resolved, { ...effect, reviewRef: undefined, abandonedBy: finding.by });
    }
  }
}

/** An abandoned effect settled after its plan had ended is a new fact. */
export function afterPlan(snapshot: Snapshot, before: Effect): Snapshot {
  const record = caseOf(snapshot);
  if (before.origin !== "plan") return snapshot;
  if (record.plan?.operationIds.includes(before.operationId) === true) return snapshot;
  return withCase(snapshot, { version: record.version + 1 });
}
