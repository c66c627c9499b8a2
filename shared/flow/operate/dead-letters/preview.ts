// What another look at the case would do, read from its ledger: a dead letter is only a hint, so the case alone tells.
//
// The same decision that a turn makes, without carrying it out. It holds for the moment of the reading; whatever it says, a
// resubmit repeats no effect: the ledger stands between.
import { z } from "zod";
import { whyLeft } from "../../../domain/decisions/leave.ts";
import { next } from "../../../domain/decisions/next.ts";
import type { Step } from "../../../domain/decisions/step.ts";
import type { Book } from "../../../domain/definitions.ts";
import { caseKeyText, type CaseKey } from "../../../domain/identity.ts";
import { isOpenUnknown, type Effect } from "../../../domain/records/effect.ts";
import { findEffect, type Snapshot } from "../../../domain/records/snapshot.ts";
import type { CaseStore } from "../../../stores/ports.ts";

export const Preview = z.object({
  verdict: z.enum([
    "nothingToRepeat",
    "wouldDecide",
    "wouldSend",
    "wouldGoOn",
    "blockedByUnknown",
    "callUnderWay",
    "held",
    "newerCode",
    "caseNotFound",
    "noCase",
  ]),
  says: z.string().describe("The verdict in a sentence."),
  operationId: z.string().optional().describe("The effect that it is about."),
});
export type Preview = z.infer<typeof Preview>;

export interface PreviewPorts {
  cases: Pick<CaseStore, "read">;
  book: Book;
}

/** Reads each case once, however many letters name it. */
export function previewer(ports: PreviewPorts) {
  const known = new Map<string, Promise<Preview>>();
  return (key: CaseKey | undefined): Promise<Preview> => {
    if (key === undefined) {
      const says =
        "It is no hint of its session's case, so each look fails again: edit or archive it.";
      return Promise.resolve({ verdict: "noCase", says });
    }
    const text = caseKeyText(key);
    const preview = known.get(text) ?? previewOf(ports, key);
    known.set(text, preview);
    return preview;
  };
}

async function previewOf({ book, cases }: PreviewPorts, key: CaseKey): Promise<Preview> {
  const { snapshot, storeMs } = await cases.read(key);
  const left = whyLeft(snapshot, book, storeMs);
  if (left !== undefined) {
    return { verdict: "newerCode", says: `This code would leave it alone: ${left}.` };
  }
  const step = next(snapshot, book, { nowMs: storeMs });
  const standing = standingOf(snapshot, step);
  if (standing !== undefined) return standing;
  const unknown = snapshot.effects.find(isOpenUnknown);
  return unknown === undefined ? stepPreview(snapshot, step) : unknownPreview(unknown, step);
}

/** What keeps a look from doing anything. */
function standingOf(snapshot: Snapshot, step: Step): Preview | undefined {
  const record = snapshot.case;
  if (record === undefined) return undefined;
  if (record.erased !== undefined) {
    return {
      verdict: "nothingToRepeat",
      says: "The case is closed and erased: nothing to repeat.",
    };
  }
  if (record.held !== undefined) {
    const { detail, reason } = record.held;
    const says = `The case is held (${reason}): ${detail}. Resolve its review first.`;
    return { verdict: "held", says };
  }
  // Once its time is up the call is over, whatever became of its worker.
  if (record.claim === undefined || step.kind !== "wait") return undefined;
  const { operationId } = record.claim;
  const says = "A call is under way: a look would wait for its end and begin nothing.";
  return { verdict: "callUnderWay", says, operationId };
}

function unknownPreview({ action, operationId }: Effect, step: Step): Preview {
  return {
    verdict: "blockedByUnknown",
    says: `Blocked by unknown effect ${operationId} (${action}): ${unknownWords(step)}`,
    operationId,
  };
}

function unknownWords(step: Step): string {
  if (step.kind === "lookUp") return "a look would first ask the provider what became of it.";
  if (step.kind === "claim") {
    return "the provider's contract lets the same operation be sent again, under its own id.";
  }
  return "nothing is sent or decided before evidence or a person has settled it.";
}

function stepPreview(snapshot: Snapshot, step: Step): Preview {
  switch (step.kind) {
    case "nothing":
      return { verdict: "caseNotFound", says: "No case and no event is recorded under its key." };
    case "decide":
    case "bringForward":
      return {
        verdict: "wouldDecide",
        says: "Would decide again: this version of the case has not been decided on yet.",
      };
    case "claim": {
      const effect = findEffect(snapshot, step.operationId);
      const says = `Would send ${effect?.action ?? "an effect"}: it is intended, and nothing of it has left.`;
      return { verdict: "wouldSend", says, operationId: step.operationId };
    }
    case "wait":
    case "idle":
    case "draining":
    case "leave":
    case "foldErased":
      return {
        verdict: "nothingToRepeat",
        says: "Nothing to repeat: what was intended is settled, or waits for its own time.",
      };
    case "foldEvent":
    case "foldFindings":
      return {
        verdict: "wouldGoOn",
        says: "Would take in what has arrived since, and may then decide again.",
      };
    case "markUnknown":
      return {
        verdict: "wouldGoOn",
        says: "A call must be over and nobody recorded its end: a look would mark it unknown, and find out as its provider allows.",
      };
    case "endPlan":
    case "openReview":
    case "askApprovals":
    case "lookUp":
    case "commit":
    case "holdCase":
    case "awaitCode":
    case "liftHold":
    case "liftReview":
      return { verdict: "wouldGoOn", says: `Would go on where it stands (${step.kind}).` };
  }
}
