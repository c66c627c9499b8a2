// A decision becomes a plan of frozen effects, or a hold (design.md 5, rule 7). Pure.
//
// Each payload is frozen with its digest, under an operation id that is the same on every replay. The case is held instead
// when what was decided is no decision or no plan that can be carried out, when it would freeze a known operation with another
// payload, and when it would repeat what an earlier effect may already have done, unless it names that effect.
import type { Book, Decision } from "../definitions.ts";
import { whyNoDecision } from "../decisions/no-decision.ts";
import { whyPlanRefused } from "../decisions/refused-plan.ts";
import { whyMayStillLand, whyPlanRepeats } from "../decisions/repeated-intent.ts";
import { caseOf, withCase, withLine, type Snapshot } from "../records/snapshot.ts";
import { freezeRequest, prepareEffect, withPrepared } from "./prepare-effect.ts";
import { holdCase } from "./reviews.ts";

export function applyDecision(
  snapshot: Snapshot,
  decision: Decision,
  options: { book: Book; nowMs: number },
): Snapshot {
  const record = caseOf(snapshot);
  const decided = withCase(snapshot, {
    decidedVersion: record.version,
    decideRetry: undefined,
    workflow: {
      ...record.workflow,
      revision: options.book.workflow(record.workflow.type)?.revision ?? record.workflow.revision,
    },
  });
  const none = whyNoDecision(decision);
  if (none !== undefined) {
    return holdCase(decided, { reason: "DecisionHeld", why: none, nowMs: options.nowMs });
  }
  switch (decision.kind) {
    case "wait":
      return withLine(decided, `decided on v${record.version} to wait: ${decision.why}`);
    case "hold":
      return holdCase(decided, { reason: "DecisionHeld", why: decision.why, nowMs: options.nowMs });
    case "plan":
      return applyPlan(decided, decision, options);
  }
}

function applyPlan(
  snapshot: Snapshot,
  decision: Decision & { kind: "plan" },
  options: { book: Book; nowMs: number },
): Snapshot {
  const record = caseOf(snapshot);
  const { book, nowMs } = options;
  const refused = whyPlanRefused(snapshot, decision, book);
  if (refused !== undefined) {
    return holdCase(snapshot, { reason: "DecisionHeld", why: refused, nowMs });
  }
  const frozen = decision.actions.map((request, ordinal) => {
    const place = { book, origin: "plan", basis: record.version, ordinal } as const;
    return freezeRequest(snapshot, request, place);
  });
  // The commit that justifies notifications makes the next version, so their ids are known by now.
  const told = decision.notifications.map((request, ordinal) => {
    const place = { book, origin: "outbox", basis: record.version + 1, ordinal } as const;
    return freezeRequest(snapshot, request, place);
  });
  const effects = frozen.map(({ planned }, ordinal) =>
    prepareEffect(snapshot, planned, { book, origin: "plan", basis: record.version, ordinal }),
  );
  const notifications = told.map(({ planned }) => planned);
  const repeated = whyPlanRepeats(snapshot, effects, notifications);
  if (repeated !== undefined) return holdCase(snapshot, { ...repeated, nowMs });
  const needsApproval = effects
    .filter(
      (effect, ordinal) =>
        book.asksFirst(snapshot.tenantId, effect.action) ||
        decision.actions[ordinal]?.asksFirst === true ||
        whyMayStillLand(snapshot, effect, options) !== undefined,
    )
    .map(({ operationId }) => operationId);
  const payloads = [...frozen, ...told].flatMap(({ document }) => document ?? []);
  const sealed = { ...snapshot, payloads: [...snapshot.payloads, ...payloads] };
  let planned = withCase(sealed, {
    plan: {
      decidedOn: record.version,
      operationIds: effects.map((effect) => effect.operationId),
      nextStatus: decision.nextStatus,
      ...(needsApproval.length > 0 ? { needsApproval } : {}),
      notifications,
    },
    decisionsWithoutProgress: record.decisionsWithoutProgress + 1,
  });
  for (const effect of effects) planned = withPrepared(planned, effect);
  const actions = effects.map((effect) => effect.action).join(", ") || "no action";
  return withLine(planned, `decided on v${record.version}: ${actions} (${decision.why})`);
}
