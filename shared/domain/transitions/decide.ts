// A decision becomes a plan of frozen effects, or a hold (design.md 5, rule 7). Pure.
//
// The payload is frozen here, with its digest, under an id that is the same on every replay. An existing id with
// another digest is a defect of the decider and is held; what an earlier effect may already have done is
// held too, unless the decision names it.
import { whyNotJson } from "../canonical-json.ts";
import type { Book, Decision } from "../definitions.ts";
import { freezePayload, keptPayload } from "../frozen-payload.ts";
import { operationIdOf } from "../identity.ts";
import { whyNoDecision } from "../decisions/no-decision.ts";
import { whyMayStillLand, whyNotAgain } from "../decisions/repeated-intent.ts";
import type { ActionRequest, Case, PlannedAction } from "../records/case.ts";
import type { EffectOf } from "../records/effect.ts";
import { schemaVersion } from "../records/evidence.ts";
import type { Payload } from "../records/payload.ts";
import { caseOf, withCase, withEffect, withLine, type Snapshot } from "../records/snapshot.ts";
import { termsOf } from "./claim.ts";
import { holdCase } from "./reviews.ts";

export const planEffectsMax = 40;
/** With its case in one transaction of 2 MB. */
const planBytesMax = 512 * 1024;

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
  const refused =
    whyNoStatus(record, decision, book) ??
    whyRefused(decision, book) ??
    whyNoCompensation(snapshot, decision);
  if (refused !== undefined) {
    return holdCase(snapshot, { reason: "DecisionHeld", why: refused, nowMs });
  }
  const frozen = decision.actions.map((request, ordinal) => {
    const place = { book, origin: "plan", basis: record.version, ordinal } as const;
    return freezeRequest(snapshot, request, place);
  });
  // The commit that would justify them makes the next version, so their ids are known by now.
  const told = decision.notifications.map((request, ordinal) => {
    const place = { book, origin: "outbox", basis: record.version + 1, ordinal } as const;
    return freezeRequest(snapshot, request, place);
  });
  const effects = frozen.map(({ planned }, ordinal) =>
    prepareEffect(snapshot, planned, { book, origin: "plan", basis: record.version, ordinal }),
  );
  const notifications = told.map(({ planned }) => planned);
  const repeated = whyNotAgain(snapshot, effects, notifications);
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

/**
 * What the ledger has under this id stays as it is. Ids hold the version, so this is a case document that was set back, by a
 * restore, behind its effects: to prepare them anew would send again what was sent.
 */
export function withPrepared(snapshot: Snapshot, effect: EffectOf<"prepared">): Snapshot {
  const isKnown = snapshot.effects.some(({ operationId }) => operationId === effect.operationId);
  return isKnown ? snapshot : withEffect(snapshot, effect);
}

/** A case in a status that its workflow does not have would rest there for good, and nobody would be told. */
function whyNoStatus(
  { workflow }: Case,
  { nextStatus }: Decision & { kind: "plan" },
  book: Book,
): string | undefined {
  const statuses = book.workflow(workflow.type)?.statuses ?? {};
  return Object.hasOwn(statuses, nextStatus)
    ? undefined
    : `${nextStatus} is no status of ${workflow.type}`;
}

/** What a decider may not ask for; a model's ids, keys and grants are never read at all. */
function whyRefused(decision: Decision & { kind: "plan" }, book: Book): string | undefined {
  const { actions, notifications } = decision;
  if (actions.length > planEffectsMax || notifications.length > planEffectsMax) {
    return `a plan has at most ${planEffectsMax} effects`;
  }
  const requests = [...actions, ...notifications];
  const sealedCount = requests.filter(({ action }) => book.action(action)?.sensitive).length;
  if (actions.length + sealedCount > planEffectsMax) {
    return `a plan has at most ${planEffectsMax} effects, and each sensitive payload counts as one more`;
  }
  for (const request of requests) {
    const action = book.action(request.action);
    if (action === undefined) return `no action ${request.action} is defined`;
    const parsed = action.payload.safeParse(request.payload);
    if (!parsed.success) {
      const fields = parsed.error.issues.map((issue) => issue.path.join(".")).join(", ");
      return `the payload of ${request.action} is not valid in: ${fields}`;
    }
    const notJson = whyNotJson(request.payload, `the payload of ${request.action}`);
    if (notJson !== undefined) return notJson;
  }
  const asking = notifications.find(
    ({ action, asksFirst }) => asksFirst === true || book.action(action)?.autonomy !== "auto",
  );
  if (asking !== undefined) {
    return `${asking.action} needs an approval, and a notification asks for none: plan it as an action`;
  }
  const payloads = [...decision.actions, ...decision.notifications].map(({ payload }) => payload);
  if (Buffer.byteLength(JSON.stringify(payloads)) > planBytesMax) {
    return `the payloads of a plan have at most ${planBytesMax} bytes`;
  }
  return undefined;
}

/** Nothing compensates because a confirmation is missing: only what is confirmed can be made good. */
function whyNoCompensation(
  snapshot: Snapshot,
  decision: Decision & { kind: "plan" },
): string | undefined {
  for (const { action, compensates } of [...decision.actions, ...decision.notifications]) {
    if (compensates === undefined) continue;
    const named = snapshot.effects.find(({ operationId }) => operationId === compensates);
    if (named?.status !== "confirmed") {
      return `${action} would compensate an effect that is ${named?.status ?? "not there"}`;
    }
  }
  return undefined;
}

interface Place {
  book: Book;
  origin: "plan" | "outbox";
  basis: number;
  ordinal: number;
}

/** Field by field: whatever else a decider hands over is none of ours. */
function freezeRequest(
  snapshot: Snapshot,
  request: ActionRequest,
  place: Place,
): { planned: PlannedAction; document?: Payload | undefined } {
  const { action, compensates, payload, repeats, target } = request;
  const operationId = operationIdOf(snapshot, { ...place, action });
  const { tenantId, caseId } = snapshot;
  const at = { tenantId, caseId, operationId };
  const { document, kept } = freezePayload(at, { action, payload }, place.book);
  const planned: PlannedAction = { action, target, ...kept };
  if (repeats !== undefined) planned.repeats = repeats;
  if (compensates !== undefined) planned.compensates = compensates;
  return { planned, document };
}

/** The ledger entry for one planned action, with its payload as it was frozen. */
export function prepareEffect(
  snapshot: Snapshot,
  request: PlannedAction,
  options: Place,
): EffectOf<"prepared"> {
  const { book, origin, basis, ordinal } = options;
  const action = book.action(request.action);
  const provider = action && book.provider(action.provider);
  if (action === undefined || provider === undefined) {
    throw new Error(`action ${request.action} is not defined`);
  }
  const operationId = operationIdOf(snapshot, { origin, basis, action: request.action, ordinal });
  return {
    id: `effect:${operationId}`,
    type: "effect",
    schemaVersion,
    tenantId: snapshot.tenantId,
    caseId: snapshot.caseId,
    operationId,
    action: request.action,
    target: request.target,
    provider: provider.name,
    ...termsOf(provider, { tenantId: snapshot.tenantId, operationId }),
    ...keptPayload(request),
    origin,
    ...(origin === "plan" ? { decidedOn: basis } : { justifiedBy: basis }),
    ordinal,
    ...(request.repeats === undefined ? {} : { repeats: request.repeats }),
    ...(request.compensates === undefined ? {} : { compensates: request.compensates }),
    attempts: [],
    mayHaveLeft: false,
    status: "prepared",
  };
}
