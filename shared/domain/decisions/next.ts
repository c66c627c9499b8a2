// What must happen next in a case: the one decision of the whole app (design.md 5). Pure.
//
// Any worker may ask at any time, any number of times, after any crash: the answer depends on the records and the store's
// clock alone. Messages, timers and the change feed only make somebody ask. The first row that applies names the step:
//
//   0  newer code wrote something here    leave it alone (leave.ts)
//      the case was erased                empty what still arrives; nothing is decided or told again
//   1  unfolded findings                  fold them
//      the case is parked (`Poison`)      row 2, and show what is unknown; nothing else before a person has looked
//   2  a call in flight                   wait for its deadline, then mark the effect unknown
//      code that the case needs is gone   hold it until that code is deployed (missing-code.ts)
//   3  an unfolded event                  fold it into the facts
//   4  to 7: the two lanes                the outbox first; neither lane stops the other (lanes.ts)
//      a delivery that nobody reported    show it to a person (delivery.ts)
//   8  else                               wait until something is due, or idle
import type { Book } from "../definitions.ts";
import { deadlineMsOf, isOpenUnknown, lastAttempt } from "../records/effect.ts";
import { effectOf, workflowTypeOf, type Snapshot } from "../records/snapshot.ts";
import { isWork, soonest, type LaneFacts, type NextOptions, type Step } from "./step.ts";
import { deliveryStep } from "./delivery.ts";
import { pacedStep } from "./effect-step.ts";
import { whyLeft } from "./leave.ts";
import { caseCodeStep, eventToFold } from "./missing-code.ts";
import { outboxLane, planLane } from "./lanes.ts";

export function next(snapshot: Snapshot, book: Book, options: NextOptions): Step {
  const { nowMs } = options;
  const left = whyLeft(snapshot, book, nowMs);
  if (left !== undefined) return { kind: "leave", why: left };
  if (snapshot.case?.erased !== undefined) return erasedStep(snapshot);
  const finding = snapshot.findings.find(({ folded }) => folded === undefined);
  if (finding !== undefined) return { kind: "foldFindings", operationId: finding.operationId };
  if (snapshot.case?.held?.reason === "Poison") return parkedStep(snapshot, nowMs);
  const type = workflowTypeOf(snapshot);
  if (type === undefined) return { kind: "nothing" };
  const inFlight = inFlightStep(snapshot, nowMs);
  if (inFlight !== undefined) return inFlight;
  const workflow = book.workflow(type);
  const code = caseCodeStep(snapshot, type, { book, workflow });
  if (code !== undefined) return code;
  const event = workflow && eventToFold(snapshot, workflow);
  if (event !== undefined) return { kind: "foldEvent", eventId: event.id };
  return laneStep(snapshot, { ...options, book, workflow });
}

/** What arrives for an erased case must not lie there with its content. */
function erasedStep({ events, findings }: Snapshot): Step {
  const isNew = [...events, ...findings].some(({ folded }) => folded === undefined);
  return isNew ? { kind: "foldErased" } : { kind: "idle" };
}

/**
 * What killed worker after worker is not tried again before a person has looked. A call in flight is over at its deadline
 * all the same, and a person must see that nobody knows how it ended.
 */
function parkedStep(snapshot: Snapshot, nowMs: number | undefined): Step {
  const inFlight = inFlightStep(snapshot, nowMs);
  if (inFlight !== undefined) return inFlight;
  const unknown = snapshot.effects.find(
    (effect) => isOpenUnknown(effect) && effect.reviewRef === undefined,
  );
  if (unknown === undefined) return { kind: "idle" };
  const why = "its case is parked, and nobody looks or sends for it";
  return { kind: "openReview", operationId: unknown.operationId, review: "UnknownEffect", why };
}

/** The call that the case's claim names. After a restore an effect may be started without a claim: its call ends, too. */
function inFlightStep(snapshot: Snapshot, nowMs: number | undefined): Step | undefined {
  const operationId =
    snapshot.case?.claim?.operationId ??
    snapshot.effects.find(({ status }) => status === "started")?.operationId;
  if (operationId === undefined) return undefined;
  const effect = effectOf(snapshot, operationId);
  const startedAtMs = snapshot.writtenAtMs[operationId];
  const attempt = lastAttempt(effect);
  // A claim on an effect that is not started: marking it drops the claim (claim.ts).
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
  const plan = pacedStep(snapshot, planLane(snapshot, facts), facts);
  if (isWork(plan)) return plan;
  const delivery = deliveryStep(snapshot, facts);
  if (delivery.kind === "openReview") return delivery;
  return soonest(soonest(outbox, plan), delivery);
}
