// The facts of a closed case have changed: its workflow may reopen it, else a person must see it (design.md 5, rule 3). Pure.
//
// A reopened case is decided anew on its new version. What was done before stays done: the decider sees it, and what would repeat
// it must say so.
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
  const said = asked(change.workflow, { before: change.before, after: facts, status });
  if (said.kind === "stays") return reviewed(snapshot, change, said.why);
  const reopened = withCase(snapshot, { status: said.status });
  const told = withLine(reopened, `reopened: ${status} -> ${said.status}`);
  return releaseHold(told, "new facts arrived", change.nowMs);
}

type Said = { kind: "reopens"; status: string } | { kind: "stays"; why: string };

/** A team's own code: what it gets wrong leaves the case closed, and is told in the review. */
function asked(
  { reopenAs, statuses }: Workflow,
  closed: { before: Facts; after: Facts; status: string },
): Said {
  let status: unknown;
  try {
    status = reopenAs?.(structuredClone(closed));
  } catch (error) {
    return { kind: "stays", why: `; reopenAs ${whyThrown(error)}` };
  }
  if (status === undefined) return { kind: "stays", why: "" };
  if (typeof status === "string" && Object.hasOwn(statuses, status)) {
    if (statuses[status]?.final === false) return { kind: "reopens", status };
  }
  return { kind: "stays", why: "; reopenAs named no status that is open" };
}

/** One review while a person has not seen it, however much a chatty source tells: all of it is in the case's history. */
function reviewed(snapshot: Snapshot, { event, nowMs }: Change, why: string): Snapshot {
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
