// From a request to a ledger entry: the payload is frozen, the identity derived, the entry prepared (design.md 3, 4). Pure.
//
// A notification is frozen when it is decided and prepared when its plan commits; a plan effect is both at once.
import type { Book } from "../definitions.ts";
import { freezePayload, keptPayload } from "../frozen-payload.ts";
import { operationIdOf } from "../identity.ts";
import type { ActionRequest, PlannedAction } from "../records/case.ts";
import type { EffectOf } from "../records/effect.ts";
import { schemaVersion } from "../records/evidence.ts";
import type { Payload } from "../records/payload.ts";
import { findEffect, withEffect, type Snapshot } from "../records/snapshot.ts";
import { termsOf } from "./claim.ts";

/** What makes an operation's id, beside its case and action. `basis`: the version decided on, or the one that the commit makes. */
export interface Place {
  book: Book;
  origin: "plan" | "outbox";
  basis: number;
  ordinal: number;
}

/**
 * Adds the entry, unless the ledger has one under this id. Ids contain the version, so that happens only after a restore set
 * the case back behind its effects; to prepare such an effect anew would send again what was sent.
 */
export function withPrepared(snapshot: Snapshot, effect: EffectOf<"prepared">): Snapshot {
  const known = findEffect(snapshot, effect.operationId);
  return known === undefined ? withEffect(snapshot, effect) : snapshot;
}

/** Copies field by field: anything else that a decider hands over is ignored. */
export function freezeRequest(
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
