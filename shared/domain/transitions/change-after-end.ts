// The facts of a closed case have changed: its workflow may reopen it, else a person must see it (design.md 5, rule 3). Pure.
//
// A reopened case is decided anew on its new version. What was done before stays done: the decider sees it, and must name what it
// means to repeat.
import { whyThrown } from "../decisions/forward-facts.ts";
import type { Facts, Workflow } from "../definitions.ts";
import type { Event } from "../records/inbox.ts";
import { caseOf, withCase, withLine, type Snapshot } from "../records/snapshot.ts";
import { openReview, releaseHold } from "./reviews.ts";

interface Change {
  event: Event;
  workflow: Workflow;
  before: Facts;
  nowMs: number;
}

export function changeAfterEnd(snapshot: Snapshot, change: Change): Snapshot {
  const { facts, status } = caseOf(snapshot);
  const answer = askWorkflow(change.workflow, { before: change.before, after: facts, status });
  if (answer.kind === "stays") return withReview(snapshot, change, answer.why);
  const reopened = withCase(snapshot, { status: answer.status });
  const told = withLine(reopened, `reopened: ${status} -> ${answer.status}`);
  return releaseHold(told, "new facts arrived", change.nowMs);
}

type Reopening = { kind: "reopens"; status: string } | { kind: "stays"; why: string };

/** If the team's `reopenAs` throws or names no open status, the case stays closed and the review says why. */
function askWorkflow(
  { reopenAs, statuses }: Workflow,
  closed: { before: Facts; after: Facts; status: string },
): Reopening {
  let status: unknown;
  try {
    status = reopenAs?.(structuredClone(closed));
  } catch (error) {
    return { kind: "stays", why: `; reopenAs ${whyThrown(error)}` };
  }
  if (status === undefined) return { kind: "stays", why: "" };
  if (typeof status === "string" && statuses[status]?.final === false) {
    return { kind: "reopens", status };
  }
  return { kind: "stays", why: "; reopenAs named no status that is open" };
}

/** One open review, however often a chatty source tells of changes: the case's history has all of them. */
function withReview(snapshot: Snapshot, { event, nowMs }: Change, why: string): Snapshot {
  const isShown = snapshot.reviews.some(
    ({ kind, resolution }) => kind === "FactsChangedAfterEnd" && resolution === undefined,
  );
  if (isShown) return snapshot;
  const [after] = openReview(snapshot, {
    subject: "case",
    kind: "FactsChangedAfterEnd",
    why: `${event.eventType} (${event.eventId}) changed the facts after the case had ended${why}`,
    consequence: "What was done and told before rests on the earlier facts.",
    nowMs,
  });
  return after;
}
