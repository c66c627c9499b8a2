// The steps that `next` can name. The executor carries them out; nothing else changes a case.
import type { Book, Workflow } from "../definitions.ts";
import type { ReviewKind } from "../records/review.ts";

export type Step =
  /** Written by newer code: no write, hint again later, report. */
  | { kind: "leave"; why: string }
  /** No case and no event: a hint for nothing. */
  | { kind: "nothing" }
  | { kind: "foldFindings"; operationId: string }
  | { kind: "foldEvent"; eventId: string }
  /** Something arrived for a case whose content was erased. */
  | { kind: "foldErased" }
  /** `untilMs` is undefined when the store told no time. */
  | { kind: "wait"; untilMs: number | undefined }
  | { kind: "markUnknown"; operationId: string; deadlineMs: number }
  | { kind: "endPlan"; why: string }
  | { kind: "openReview"; operationId: string; review: ReviewKind; why: string }
  | { kind: "askApprovals"; operationIds: string[] }
  | { kind: "lookUp"; operationId: string }
  | { kind: "claim"; operationId: string }
  | { kind: "commit" }
  | { kind: "decide" }
  | { kind: "holdCase"; reason: "NoProgress" | "RepeatedIntent"; why: string }
  /** Hold the case until code that fits is deployed; events that this code cannot fold are put off. */
  | { kind: "awaitCode"; reason: CodeHold; why: string }
  /** The code that was missing is deployed again. */
  | { kind: "liftHold"; why: string }
  | { kind: "liftReview"; operationId: string; why: string }
  /** Upcast the facts to this code's revision, as a new version. */
  | { kind: "bringForward" }
  | { kind: "draining" }
  | { kind: "idle" };

/** What holds a case until other code is deployed, and is lifted by that. */
export type CodeHold = "UnknownWorkflow" | "FactsInvalid" | "ActionRemoved";

/** Nothing to do now: the case waits, rests, or is left to others. */
type Rest = Extract<Step, { kind: "leave" | "nothing" | "wait" | "draining" | "idle" }>;

/** Whether somebody must act now. */
export function isWork(step: Step): step is Exclude<Step, Rest> {
  switch (step.kind) {
    case "leave":
    case "nothing":
    case "wait":
    case "draining":
    case "idle":
      return false;
    case "foldFindings":
    case "foldEvent":
    case "foldErased":
    case "markUnknown":
    case "endPlan":
    case "openReview":
    case "askApprovals":
    case "lookUp":
    case "claim":
    case "commit":
    case "decide":
    case "holdCase":
    case "awaitCode":
    case "liftHold":
    case "liftReview":
    case "bringForward":
      return true;
  }
}

/** Of two steps that only wait or rest, the one that needs the earlier look. */
export function soonest(a: Step, b: Step): Step {
  if (a.kind === "draining" || b.kind === "draining") return { kind: "draining" };
  if (a.kind !== "wait") return b;
  if (b.kind !== "wait") return a;
  if (a.untilMs === undefined) return b;
  if (b.untilMs === undefined) return a;
  return a.untilMs <= b.untilMs ? a : b;
}

export interface NextOptions {
  /** The store's time; undefined when the store gave none: then every call counts as running. */
  nowMs: number | undefined;
  /** Operation ids for which this turn found no grant or no payload: not claimed again within the turn. */
  withheld?: ReadonlySet<string>;
  /** Providers that are silent or busy, and until when this turn leaves each alone: it goes on with everything else. */
  paced?: ReadonlyMap<string, number>;
  /** A drain is on: no new decision and no new claim. */
  draining?: boolean;
}

/** What a lane is judged by. */
export interface LaneFacts extends NextOptions {
  book: Book;
  /** Undefined: its type is not registered in this code. */
  workflow: Workflow | undefined;
}
