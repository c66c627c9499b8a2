// The steps that need nothing but the record: each is one transition of the draft. Pure.
import { repeatConsequence } from "../decisions/consequences.ts";
import type { Step } from "../decisions/step.ts";
import type { Book } from "../definitions.ts";
import { effectOf, type Snapshot } from "../records/snapshot.ts";
import { askApprovals } from "./ask-approvals.ts";
import { awaitCode, bringForward, freshEvent, liftReview } from "./await-code.ts";
import { markOrphaned } from "./claim.ts";
import { foldErased } from "./fold-erased.ts";
import { foldEvent } from "./fold-event.ts";
import { foldFindings } from "./fold-findings.ts";
import { endPlan } from "./plan.ts";
import { holdCase, holdEffect, releaseHold } from "./reviews.ts";

type PureStep = Extract<
  Step,
  {
    kind:
      | "foldFindings"
      | "foldEvent"
      | "foldErased"
      | "markUnknown"
      | "endPlan"
      | "askApprovals"
      | "openReview"
      | "holdCase"
      | "awaitCode"
      | "liftHold"
      | "liftReview"
      | "bringForward";
  }
>;

/** The draft after the step. */
export function applied(
  draft: Snapshot,
  step: PureStep,
  { book, nowMs }: { book: Book; nowMs: number },
): Snapshot {
  switch (step.kind) {
    case "foldFindings":
      return foldFindings(draft, step.operationId, { book, nowMs });
    case "askApprovals":
      return askApprovals(draft, step.operationIds, { book, nowMs });
    case "foldEvent":
      return foldEvent(draft, step.eventId, { book, nowMs });
    case "foldErased":
      return foldErased(draft, { book, nowMs });
    case "markUnknown":
      return markOrphaned(draft, step.operationId, { deadlineMs: step.deadlineMs, nowMs });
    case "endPlan":
      return endPlan(draft, { why: step.why, nowMs });
    case "holdCase":
      return holdCase(draft, { reason: step.reason, why: step.why, nowMs });
    case "awaitCode":
      return awaitCode(draft, freshEvent(draft), { reason: step.reason, why: step.why, nowMs });
    case "liftHold":
      return releaseHold(draft, step.why, nowMs);
    case "liftReview":
      return liftReview(draft, step.operationId, { how: step.why, nowMs });
    case "bringForward":
      return bringForward(draft, { book });
    case "openReview": {
      const effect = effectOf(draft, step.operationId);
      const consequence = repeatConsequence(book, effect);
      return holdEffect(draft, effect, { kind: step.review, why: step.why, consequence, nowMs });
    }
  }
}
