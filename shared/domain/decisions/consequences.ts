// What a choice does to the world, in a sentence for the person who must choose at three in the morning. Pure.
import type { Book } from "../definitions.ts";
import type { HeldReason } from "../records/case.ts";
import type { Effect } from "../records/effect.ts";
import type { Statement } from "../records/evidence.ts";
import type { Snapshot } from "../records/snapshot.ts";

/** What a repeat of this effect would do to the world, in its action's own words; "" when the action is not registered. */
export function repeatConsequence(book: Book, effect: Pick<Effect, "action"> | undefined): string {
  return (effect && book.action(effect.action)?.consequence) ?? "";
}

export function consequenceOf(
  kind: Statement["kind"],
  { book, effect, snapshot }: { snapshot: Snapshot; effect: Effect | undefined; book: Book },
): string {
  const twice = repeatConsequence(book, effect);
  switch (kind) {
    case "happened":
      return "It is recorded as confirmed by you, and the case goes on as if the provider had said so; nothing is sent. If it did not happen, it never will.";
    case "didNotHappen":
      return `It is recorded as rejected by you, and the case is decided anew, which may do it again; as long as a call of it may still land, only after a person's approval. If it did happen, it then happens twice: ${twice}`;
    case "retry":
      return `The same operation is sent once more, with the same bytes and the same key. If it did happen and the provider does not know the key any more, it happens twice: ${twice}`;
    case "lookAgain":
      return "The provider is asked again what it knows. What it shows settles this. What it does not show sends it again only where its contract covers that; else the review comes back.";
    case "abandon":
      return effect?.status === "prepared"
        ? "It is cancelled: nothing of it was sent, and nothing will be. If it was to tell somebody, that person stays untold."
        : "It stays unknown and is counted so; nobody looks for it any more, and its plan ends. Evidence that still comes is taken.";
    case "acknowledge":
      return "It is recorded that you have seen this; nothing is sent by that, and what is settled stays as it is. A case that waits for this then goes on, or is decided anew.";
    case "release":
      return releaseConsequence(snapshot.case?.held?.reason);
  }
}

function releaseConsequence(reason: HeldReason | undefined): string {
  switch (reason) {
    case "Poison":
      return "The case is worked on again. If it kills its workers again, it is parked again after four.";
    case "DeciderFailing":
      return "The decider is asked again on the same facts. If it fails again, the case is held again.";
    case "EventRefused":
      return "The case goes on with the facts as they were; the event that did not fit stays out of them. A corrected event does this by itself.";
    case "RepeatedIntent":
      return "The case is decided anew. The same intent is held again unless the decision names what it means to repeat; releasing never lets it through.";
    case "PayloadMismatch":
    case "DecisionHeld":
      return "The case is decided anew, on the same facts. A decision that comes out the same holds it again.";
    case "NoProgress":
      return "The case may be decided three more times. Each decision may ask for effects again.";
    case "UnknownWorkflow":
    case "FactsInvalid":
    case "ActionRemoved":
      return "Nothing: the case goes on by itself once code that fits it is deployed.";
    case undefined:
      return "Nothing: the case is not held.";
  }
}
