// Rules of calls that may land late, and of what was done or said meanwhile, that neither a schedule nor a crash comes upon.
import type { Mutant } from "./mutants.ts";

const meanwhile = "test/flow/done-meanwhile.test.ts";
const approvals = "test/domain/approvals.test.ts";
const askedLater = "test/flow/asked-later.test.ts";

export const landingMutants: readonly Mutant[] = [
  {
    rule: "what was refused and happened all the same has happened",
    file: "shared/domain/decisions/repeated-intent.ts",
    find: "if (effect.contradicted !== undefined) return true;",
    replace: "",
    killedBy: "what was refused and happened all the same is not done again",
    testFile: meanwhile,
  },
  {
    rule: "what a notification is still to tell will have been told",
    file: "shared/domain/decisions/repeated-intent.ts",
    find: 'return effect.origin === "outbox";',
    replace: "return false;",
    killedBy: "what a notification is still to tell is not told by the next plan as well",
    testFile: meanwhile,
  },
  {
    rule: "a call that ended early may land as late as any",
    file: "shared/flow/turn/claim-and-send.ts",
    find: "deadlineMs: Math.max(deadlineMs, endedAtMs + 1000),",
    replace: "deadlineMs: Math.min(deadlineMs, endedAtMs + 1000),",
    killedBy: "a call that was cut off at once may land until its deadline and horizon have passed",
    testFile: meanwhile,
  },
  {
    rule: "an older attempt's late end moves the horizon",
    file: "shared/domain/transitions/fold-findings.ts",
    find: "deadlineMs: Math.max(attempt.deadlineMs ?? 0, nowMs + wholeSecondMs),",
    replace: "deadlineMs: attempt.deadlineMs ?? nowMs,",
    killedBy: "of an older attempt that is told late moves the horizon",
    testFile: "test/domain/settle.test.ts",
  },
  {
    rule: "an error that comes from a key's store says so",
    file: "shared/domain/records/effect.ts",
    find: 'silenceMarks = ["replayedError", ',
    replace: "silenceMarks = [",
    killedBy: "Stripe is not asked again once it repeats a stored error",
    testFile: "test/providers/presets.test.ts",
  },
  {
    rule: "an approval is for one operation",
    file: "shared/domain/decisions/approvals.ts",
    find: "approval.operationId === operationId &&\n",
    replace: "\n",
    killedBy: "is approved once both are given, and not by one of them for both",
    testFile: approvals,
  },
  {
    rule: "an approval is for these bytes",
    file: "shared/domain/decisions/approvals.ts",
    find: "approval.payloadDigest === payloadDigest,",
    replace: 'approval.payloadDigest !== "" && payloadDigest !== "",',
    killedBy: "is not approved by a yes to other bytes",
    testFile: approvals,
  },
  {
    rule: "a review that a person has just resolved takes no second word",
    file: "shared/domain/transitions/fold-statement.ts",
    find: "review.subject === operationId && review.resolution === undefined,",
    replace: "review.subject === operationId,",
    killedBy: "that lay beside another when its turn came is not taken as well",
    testFile: "test/flow/operate/reviews.test.ts",
  },
  {
    rule: "a payload that is frozen and not yet written is kept",
    file: "shared/domain/transitions/decide.ts",
    find: "payloads: [...snapshot.payloads, ...payloads]",
    replace: "payloads",
    killedBy: "because nobody grants it, a notification keeps its payload",
    testFile: "test/flow/payloads.test.ts",
  },
  {
    rule: "what a decision asked about stays asked about",
    file: "shared/domain/transitions/ask-approvals.ts",
    find: "needsApproval: [...known, ...added]",
    replace: "needsApproval: added",
    killedBy: "still waits for the yes that its own decision asked for",
    testFile: askedLater,
  },
  {
    rule: "what newer code asked about stays asked about",
    file: "shared/domain/transitions/ask-approvals.ts",
    find: "if (plan === undefined || added.length === 0) return snapshot;",
    replace: "if (plan === undefined || added.length >= 0) return snapshot;",
    killedBy: "still waits for that yes when the code that asked is rolled back",
    testFile: askedLater,
  },
  {
    rule: "one contradiction that was seen leaves the other open",
    file: "shared/domain/transitions/fold-statement.ts",
    find: "Math.max(0, record.contradictionsOpen - 1)",
    replace: "0",
    killedBy: "of two leaves the other one open",
    testFile: "test/flow/odd-providers.test.ts",
  },
  {
    rule: "what a lost call becomes finds the doubt about it again",
    file: "shared/domain/transitions/attempt.ts",
    find: "    ...(reviewRef === undefined ? {} : { reviewRef }),\n    notBeforeMs: notBeforeMs(effect, { nowMs, retryAfterMs: retryAfterMsOf(answer) }),",
    replace:
      "    notBeforeMs: notBeforeMs(effect, { nowMs, retryAfterMs: retryAfterMsOf(answer) }),",
    killedBy: "to somebody who is told of a commit, and is then lost, is not sent again by its key",
    testFile: "test/flow/something-else-found.test.ts",
  },
];
