// The first record of a case. Pure.
//
// Code that does not have the case's workflow opens it with revision 0: nothing is folded yet, and the code that folds the first
// event gives the case its first status.
import { digestOf } from "../canonical-json.ts";
import type { Workflow } from "../definitions.ts";
import type { Case } from "../records/case.ts";
import { schemaVersion } from "../records/evidence.ts";
import type { Event } from "../records/inbox.ts";
import { caseOf, withCase, withLine, type Snapshot } from "../records/snapshot.ts";

/** The record of the case that an event names; the event itself is not folded yet. */
export function openCase(
  snapshot: Snapshot,
  event: Event,
  workflow: Workflow | undefined,
  nowMs: number,
): Snapshot {
  const record: Case = {
    id: "case",
    type: "case",
    schemaVersion,
    tenantId: snapshot.tenantId,
    caseId: snapshot.caseId,
    externalRef: event.externalRef,
    workflow: { type: event.workflow, revision: workflow?.revision ?? 0 },
    facts: {},
    factsDigest: digestOf({}),
    status: workflow?.initialStatus ?? "open",
    version: 0,
    fence: 0,
    decisionsWithoutProgress: 0,
    contradictionsOpen: 0,
    reviewCount: 0,
    orderKeys: {},
    openedAtMs: nowMs,
    lastWriteId: "",
  };
  return withLine({ ...snapshot, case: record }, "case opened");
}

/** Sets the status and revision of a case that was opened without its workflow. */
export function adoptCase(snapshot: Snapshot, workflow: Workflow): Snapshot {
  const { type, revision } = caseOf(snapshot).workflow;
  if (revision > 0) return snapshot;
  return withCase(snapshot, {
    status: workflow.initialStatus,
    workflow: { type, revision: workflow.revision },
  });
}
