// What must happen next in a case: the one decision of the whole app (design.md 5). Pure.
//
// Any worker may ask at any time, any number of times, after any crash: the answer depends on the records
// and the store's clock alone. Messages, timers and the feed only make somebody ask.
//
// Order: what is newer than this code; what was learned; the call in flight; code that is missing; what arrived; then the two
// lanes, the outbox first. One lane's wait, hold or unknown never stops the other.
import { effectOf, unfoldedEvents, type Snapshot } from "../records/snapshot.ts";
import type { Book } from "../definitions.ts";
import { isWork, soonest, type LaneFacts, type NextOptions, type Step } from "./step.ts";
import { deliveryStep } from "./delivery.ts";
import { whyLeft } from "./leave.ts";
import { caseCodeStep, eventToFold } from "./missing-code.ts";
import { outboxLane, planLane } from "./lanes.ts";

/** After this long a started call is over for certain: `_ts` is in whole seconds, hence the second. */
export function deadlineMsOf(startedAtMs: number, callTimeoutMs: number): number {
  return startedAtMs + 1000 + callTimeoutMs;
}

export function next(snapshot: Snapshot, book: Book, options: NextOptions): Step {
  const left = whyLeft(snapshot, book, options.nowMs);
  if (left !== undefined) return { kind: "leave", why: left };
  // Nothing of an erased case is decided or told again; what still arrives must not lie there with its content.
  if (snapshot.case?.erased !== undefined) {
    const isNew = [...snapshot.events, ...snapshot.findings].some(
      (one) => one.folded === undefined,
    );
    return isNew ? { kind: "foldErased" } : { kind: "idle" };
  }
  const finding = snapshot.findings.find((candidate) => candidate.folded === undefined);
  if (finding !== undefined) return { kind: "foldFindings", operationId: finding.operationId };
  // Whatever killed worker after worker is not tried again before a person has looked; evidence is still taken.
  if (snapshot.case?.held?.reason === "Poison") return parkedStep(snapshot, options.nowMs);
  const type = snapshot.case?.workflow.type ?? unfoldedEvents(snapshot)[0]?.workflow;
  if (type === undefined) return { kind: "nothing" };
  const inFlight = inFlightStep(snapshot, options.nowMs);
  if (inFlight !== undefined) return inFlight;
  const workflow = book.workflow(type);
  const code = caseCodeStep(snapshot, type, { book, workflow });
  if (code !== undefined) return code;
  const event = workflow && eventToFold(snapshot, workflow);
  if (event !== undefined) return { kind: "foldEvent", eventId: event.id };
  return laneStep(snapshot, { ...options, book, workflow });
}

/** The call that was out is over at its deadline all the same, and a person must see that nobody knows its end. */
function parkedStep(snapshot: Snapshot, nowMs: number | undefined): Step {
  const inFlight = inFlightStep(snapshot, nowMs);
  if (inFlight !== undefined) return inFlight;
  const unknown = snapshot.effects.find(
    (effect) =>
      effect.status === "unknown" &&
      effect.abandonedBy === undefined &&
      effect.reviewRef === undefined,
  );
  if (unknown === undefined) return { kind: "idle" };
  const why = "its case is parked, and nobody looks or sends for it";
  const recovery = { kind: "review", review: "UnknownEffect", why } as const;
  return { kind: "openReview", operationId: unknown.operationId, recovery };
}

/** The one that the case's claim names; after a restore perhaps one that is started without it: it, too, ends some time. */
function inFlightStep(snapshot: Snapshot, nowMs: number | undefined): Step | undefined {
  const operationId =
    snapshot.case?.claim?.operationId ??
    snapshot.effects.find(({ status }) => status === "started")?.operationId;
  if (operationId === undefined) return undefined;
  const effect = effectOf(snapshot, operationId);
  const startedAtMs = snapshot.writtenAtMs[operationId];
  const attempt = effect.attempts.at(-1);
  if (effect.status !== "started") return { kind: "markUnknown", operationId, deadlineMs: 0 };
  if (startedAtMs === undefined || attempt === undefined || nowMs === undefined) {
    return { kind: "wait", untilMs: undefined };
  }
  const deadlineMs = deadlineMsOf(startedAtMs, attempt.callTimeoutMs);
  if (nowMs < deadlineMs) return { kind: "wait", untilMs: deadlineMs };
  return { kind: "markUnknown", operationId, deadlineMs };
}

function laneStep(snapshot: Snapshot, facts: LaneFacts): Step {
  const outbox = outboxLane(snapshot, facts);
  if (isWork(outbox)) return outbox;
  const plan = planLane(snapshot, facts);
  if (isWork(plan)) return plan;
  const delivery = deliveryStep(snapshot, facts);
  if (delivery.kind === "openReview") return delivery;
  return soonest(soonest(outbox, plan), delivery);
}
