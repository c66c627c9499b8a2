// One case as one read showed it, and the draft of the next batch (design.md 1).
//
// Transitions are pure: snapshot in, snapshot out; documents are replaced and never mutated. So the batch to write is the
// difference between two snapshots by identity, and several steps are fused into one write by not writing in between.
import type { Approval } from "./approval.ts";
import type { Case } from "./case.ts";
import type { CaseKey } from "../identity.ts";
import type { Effect } from "./effect.ts";
import type { Finding } from "./evidence.ts";
import type { Event } from "./inbox.ts";
import type { Payload } from "./payload.ts";
import type { Review } from "./review.ts";

export interface Snapshot extends CaseKey {
  case?: Case;
  /** All effects of the case, in the order of their decisions and ordinals. */
  effects: readonly Effect[];
  /** Unfolded when read; a transition folds them. */
  events: readonly Event[];
  findings: readonly Finding[];
  /** Open when read; a transition resolves them. */
  reviews: readonly Review[];
  /** All approvals ever asked for; an answered one is never rewritten. */
  approvals: readonly Approval[];
  /** Sensitive payloads that the next batch creates; reading a case brings none. */
  payloads: readonly Payload[];
  /** Operation id -> the store's `_ts` in ms: for a started effect the attempt's start. */
  writtenAtMs: Readonly<Record<string, number>>;
  /** True when newer code wrote a document of this case: then it is left alone. */
  newerSchema: boolean;
  /** Lines of history that the next batch will carry. */
  did: readonly string[];
}

export type CaseDocument = Case | Effect | Event | Finding | Review | Approval | Payload;

export function emptySnapshot(key: CaseKey): Snapshot {
  return {
    tenantId: key.tenantId,
    caseId: key.caseId,
    effects: [],
    events: [],
    findings: [],
    reviews: [],
    approvals: [],
    payloads: [],
    writtenAtMs: {},
    newerSchema: false,
    did: [],
  };
}

export function documentsOf(snapshot: Snapshot): CaseDocument[] {
  const { approvals, effects, events, findings, payloads, reviews } = snapshot;
  const documents: CaseDocument[] = [
    ...effects,
    ...events,
    ...findings,
    ...reviews,
    ...approvals,
    ...payloads,
  ];
  if (snapshot.case !== undefined) documents.unshift(snapshot.case);
  return documents;
}

/** By order key, the oldest first: of two events of which one overtook the other both are then folded in their true order. */
export function unfoldedEvents(snapshot: Snapshot): Event[] {
  return snapshot.events
    .filter((event) => event.folded === undefined)
    .toSorted((a, b) => compareText(a.orderKey, b.orderKey) || compareText(a.id, b.id));
}

/** The case's, or before there is one that of the event that will open it; undefined: there is nothing at all. */
export function workflowTypeOf(snapshot: Snapshot): string | undefined {
  return snapshot.case?.workflow.type ?? unfoldedEvents(snapshot)[0]?.workflow;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function findEffect(
  { effects }: Pick<Snapshot, "effects">,
  operationId: string | undefined,
): Effect | undefined {
  return effects.find((effect) => effect.operationId === operationId);
}

/** For an effect that must be there: throws if it is not. */
export function effectOf(snapshot: Snapshot, operationId: string): Effect {
  const effect = findEffect(snapshot, operationId);
  if (effect === undefined) throw new Error(`no effect ${operationId} in the snapshot`);
  return effect;
}

export function caseOf(snapshot: Snapshot): Case {
  if (snapshot.case === undefined) throw new Error("the snapshot has no case");
  return snapshot.case;
}

/** The effects of the current plan, in the order in which they are sent. */
export function planEffects(snapshot: Snapshot): Effect[] {
  const ids = snapshot.case?.plan?.operationIds ?? [];
  return ids.map((operationId) => effectOf(snapshot, operationId));
}

export function withEffect(snapshot: Snapshot, effect: Effect): Snapshot {
  const known = snapshot.effects.some((other) => other.id === effect.id);
  const effects = known
    ? snapshot.effects.map((other) => (other.id === effect.id ? effect : other))
    : [...snapshot.effects, effect];
  return { ...snapshot, effects };
}

export function withEvent(snapshot: Snapshot, event: Event): Snapshot {
  const events = snapshot.events.map((other) => (other.id === event.id ? event : other));
  return { ...snapshot, events };
}

export function withCase(snapshot: Snapshot, change: Partial<Case>): Snapshot {
  return { ...snapshot, case: { ...caseOf(snapshot), ...change } };
}

export function withLine(snapshot: Snapshot, line: string): Snapshot {
  return { ...snapshot, did: [...snapshot.did, line] };
}
