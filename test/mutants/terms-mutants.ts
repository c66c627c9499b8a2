// Rules of the terms under which a provider was called and looked at, and of plans that something speaks against.
import type { Mutant } from "./mutants.ts";

const apiVersion = "test/flow/api-version.test.ts";
const somethingElse = "test/flow/something-else-found.test.ts";
const terms = "shared/domain/decisions/terms.ts";

export const termsMutants: readonly Mutant[] = [
  {
    rule: "what was not found at another address is no absence",
    file: terms,
    find: "return absentUnder !== undefined && areSame(absentUnder, termsToday(facts))",
    replace:
      "return absentMs !== undefined || areSame(absentUnder ?? facts.effect, termsToday(facts))",
    killedBy: "what the new code did not find is no absence for the old code",
    testFile: apiVersion,
  },
  {
    rule: "an attempt that was forced elsewhere ends the old key's cover",
    file: terms,
    find: "attempt.underOtherTerms === true &&",
    replace: "attempt.underOtherTerms === true && attempt.n < 0 &&",
    killedBy: "a retry that two people forced at the new address is covered by no key",
    testFile: apiVersion,
  },
  {
    rule: "nothing of a plan that failed at its goal is sent again",
    file: "shared/domain/decisions/lanes.ts",
    find: 'approvals.kind === "refused" || effects.some(isFailed);',
    replace: 'approvals.kind === "refused" || (effects.some(isFailed) && isHeld === undefined);',
    killedBy: "what its plan's next effect sent is not sent again once the first has failed",
    testFile: "test/domain/delivery.test.ts",
  },
  {
    rule: "what is doubted in a plan comes before any order to send",
    file: "shared/domain/decisions/choices.ts",
    find: "if (openDoubt({ reviews }, restsOn(snapshot, ofPlan)) !== undefined)",
    replace: "if (openDoubt({ reviews: [] }, restsOn(snapshot, ofPlan)) !== undefined)",
    killedBy: "of a plan of which another effect is doubted is sent by no word of a person",
    testFile: "test/domain/choices.test.ts",
  },
  {
    rule: "a mismatch does not hide the silence about a delivery",
    file: "shared/domain/transitions/reviews.ts",
    find: 'if (effect.status === "started" || hasEnded(effect)) return told;',
    replace: 'if (effect.status === "started" || (hasEnded(effect) && !told.case)) return told;',
    killedBy: "is visible although something else was told of it meanwhile",
    testFile: "test/domain/delivery.test.ts",
  },
  {
    rule: "what was denied is not done again before what else was found has been seen",
    file: "shared/domain/decisions/choices.ts",
    find: "if (mismatch !== undefined && mismatch.id !== review.id)",
    replace: "if (mismatch !== undefined && mismatch.id === '')",
    killedBy: "is seen before anything is done again",
    testFile: somethingElse,
  },
  {
    rule: "a person's word is of what that person was shown",
    file: "shared/domain/transitions/fold-statement.ts",
    find: "if (toldIds !== undefined && toldIds !== ",
    replace: "if (toldIds !== undefined && toldIds > ",
    killedBy: "was not seen by that person",
    testFile: somethingElse,
  },
  {
    rule: "words that could not be compared speak against a denial",
    file: "shared/domain/transitions/why-unbound.ts",
    find: "if (!isKnown && !isDenied)",
    replace: "if (!isKnown || !isDenied)",
    killedBy: "of what was denied, contradict that",
    testFile: somethingElse,
  },
  {
    rule: "a plan does not end before what else was done under its operations has been seen",
    file: "shared/domain/decisions/lanes.ts",
    find: 'if (openDoubt(snapshot, undone, ["EvidenceMismatch"]) !== undefined) return undefined;',
    replace: 'if (openDoubt(snapshot, [], ["EvidenceMismatch"]) !== undefined) return undefined;',
    killedBy: "keeps its case from deciding the same anew",
    testFile: somethingElse,
  },
];
