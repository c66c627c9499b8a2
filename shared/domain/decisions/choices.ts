// What a person may state about a review now (design.md 4). Pure. One policy: for showing the choices, for taking the answer,
// and for the turn that folds it.
//
//   an unknown effect    happened | didNotHappen, after the horizon | retry, as the contract covers it | lookAgain | abandon
//   a prepared effect    retry, if only the bounds on attempts stopped it | abandon, which cancels it
//   a held case          release
//   anything settled     acknowledge
//
// Some of what is not permitted may be forced by two people: a denial before the horizon, and a retry that the contract does
// not cover. Nobody forces a send past the version gate, a grant or an approval.
import { isFinal, type EffectOf } from "../records/effect.ts";
import type { Statement } from "../records/evidence.ts";
import type { Review } from "../records/review.ts";
import { findEffect, type Snapshot } from "../records/snapshot.ts";
import { consequenceOf } from "./consequences.ts";
import {
  denialVerdict,
  lookVerdict,
  permitted,
  releaseVerdict,
  retryVerdict,
  type ChoiceFacts,
  type Reviewed,
  type Verdict,
} from "./verdicts.ts";

export type ChoiceKind = Statement["kind"];

export interface Choice extends Verdict {
  kind: ChoiceKind;
  /** What choosing it does, in a sentence. */
  consequence: string;
}

export function choicesOf(
  snapshot: Snapshot,
  review: Pick<Review, "id" | "kind" | "subject">,
  facts: ChoiceFacts,
): Choice[] {
  const effect = findEffect(snapshot, review.subject);
  const choice = (kind: ChoiceKind, verdict: Verdict): Choice => ({
    kind,
    ...verdict,
    consequence: consequenceOf(kind, { snapshot, effect, book: facts.book }),
  });
  // Of an erased case nothing is sent or settled any more; a person can only see that something was told of it.
  if (snapshot.case?.erased !== undefined) return [choice("acknowledge", permitted)];
  if (review.kind === "CaseHeld") return [choice("release", releaseVerdict(snapshot, review.id))];
  // A person cannot change a final status, nor evidence against one; only acknowledge it.
  if (effect === undefined || isFinal(effect) || review.kind === "Contradiction") {
    return [choice("acknowledge", permitted)];
  }
  switch (effect.status) {
    case "unknown":
      return unknownChoices(snapshot, { effect, review }, facts).map(([kind, verdict]) =>
        choice(kind, verdict),
      );
    case "prepared":
      return [
        choice("retry", retryVerdict(snapshot, { effect, review }, facts)),
        choice("abandon", permitted),
      ];
    case "started":
    case "confirmed":
    case "rejected":
    case "cancelled":
      return [];
  }
}

function unknownChoices(
  snapshot: Snapshot,
  reviewed: Reviewed<EffectOf<"unknown">>,
  facts: ChoiceFacts,
): [ChoiceKind, Verdict][] {
  return [
    ["happened", permitted],
    ["didNotHappen", denialVerdict(snapshot, reviewed, facts)],
    ["retry", retryVerdict(snapshot, reviewed, facts)],
    ["lookAgain", lookVerdict(snapshot, reviewed, facts)],
    ["abandon", permitted],
  ];
}

/** Why this statement may not be taken; undefined when it may. That a forced one has two authors, the caller checks. */
export function whyNotTaken(
  choices: readonly Choice[],
  statement: Statement,
): { why: string; fromMs?: number; mayBeForced: boolean } | undefined {
  const choice = choices.find(({ kind }) => kind === statement.kind);
  if (choice === undefined) return { why: "this review has no such choice", mayBeForced: false };
  const { fromMs, isPermitted, mayBeForced, why = "it is not permitted" } = choice;
  if (isPermitted) return undefined;
  const isForced = "forced" in statement && statement.forced;
  if (isForced && mayBeForced) return undefined;
  return { why, mayBeForced, ...(fromMs === undefined ? {} : { fromMs }) };
}
