// Rules of deploys, checkpoints, pacing, parking and systems' reports, taken away one by one.
import { one, type SafetyMutant } from "./mutant.ts";

const memo = "shared/flow/deciding/memo.ts";
const pacing = "shared/flow/turn/pacing.ts";
const claimAndSend = "shared/flow/turn/claim-and-send.ts";

export const workerMutants: readonly SafetyMutant[] = [
  {
    without: "a frozen plan's right to be finished by new code",
    patches: one(
      "shared/domain/decisions/lanes.ts",
      "const ended = whyPlanEnded(",
      'const ended = facts.workflow.revision > record.workflow.revision ? "new code" : whyPlanEnded(',
    ),
    seenBy: ["plansEndForCause"],
  },
  {
    without: "leaving what newer code wrote",
    patches: one(
      "shared/domain/decisions/leave.ts",
      "const isNewer = record !== undefined &&",
      "const isNewer = record !== undefined && record.version < 0 &&",
    ),
    seenBy: ["newerIsLeft"],
  },
  {
    without: "leaving a call to the code whose contract it was made under",
    patches: one(
      "shared/domain/decisions/leave.ts",
      "return effect.contractRevision > known && isYoung(",
      "return effect.contractRevision > known + 9 && isYoung(",
    ),
    seenBy: ["progress"],
  },
  {
    without: "the revision in a checkpoint",
    patches: one(
      memo,
      "if (type !== step.workflow.type || revision !== step.workflow.revision) {",
      "if (type !== step.workflow.type) {",
    ),
    seenBy: ["decidedByOwnCode"],
  },
  {
    without: "the use of a checkpoint",
    patches: one(
      memo,
      'if (restored.kind === "restored") return',
      'if (restored.kind === "restored" && step.name === "") return',
    ),
    seenBy: ["adviceIsKept"],
  },
  {
    without: "a provider's places",
    patches: one(pacing, "if (gauge.running >= limits.concurrencyMax)", "if (gauge.running >= 99)"),
    seenBy: ["placesAreKept"],
  },
  {
    without: "the breaker",
    patches: one(
      pacing,
      "const inMs = gauge.openUntilMs - clockMs();",
      "const inMs = 0 * gauge.openUntilMs;",
    ),
    seenBy: ["placesAreKept"],
  },
  {
    without: "asking for a place",
    patches: [
      ...one(
        claimAndSend,
        'if (admission?.kind === "later") {',
        'if (admission?.kind === "later" && operationId === "") {',
      ),
      ...one(claimAndSend, "admission?.done(heard);", "admission?.done?.(heard);"),
    ],
    seenBy: ["sendsAreAdmitted"],
  },
  {
    without: "a system's word on when to come again",
    patches: one(
      "shared/domain/decisions/back-off.ts",
      "options.nowMs + Math.max(waitMs, askedMs)",
      "options.nowMs + Math.max(waitMs, 0 * askedMs)",
    ),
    seenBy: ["backOffIsKept"],
  },
  {
    without: "the end of a crash count by a worker that lives",
    patches: one(
      "shared/flow/turn/write-draft.ts",
      "if (turn.draft === turn.base && mustShow) {",
      "if (turn.draft === turn.base && mustShow && crashes > 9) {",
    ),
    seenBy: ["crashesAreReal"],
  },
  {
    without: "a reason to count a crash",
    patches: one(
      "shared/flow/turn/advance-case.ts",
      "if (!isCounted && (options.redelivered === true || isLate(ports, turn))) {",
      "if (!isCounted) {",
    ),
    seenBy: ["crashesAreReal"],
  },
  {
    without: "the keeping of a report that names no effect yet",
    patches: one(
      "shared/flow/intake/record-report.ts",
      "const created = await reports.create(report);",
      'const created = reports === undefined ? await reports.create(report) : ("created" as const);',
    ),
    seenBy: ["reportsAreHeard"],
  },
  {
    without: "the key in a report's match",
    patches: [
      ...one(
        "shared/flow/intake/match-report.ts",
        "if (candidate === undefined || candidates.length > 1) {",
        "if (candidate === undefined) {",
      ),
      ...one(
        "test/memory/memory-reports.ts",
        '.filter(({ document }) => document["providerKey"] === providerKey)',
        '.filter(({ document }) => providerKey !== "" && document["providerKey"] !== undefined)',
      ),
    ],
    seenBy: ["reportsAreHeard"],
  },
  {
    without: "the planned time in a schedule's run",
    patches: one(
      "shared/flow/wake/schedules.ts",
      "new Date(startsAtMs + count * everyMs)",
      "new Date(count < 0 ? everyMs : nowMs)",
    ),
    seenBy: ["runsAreOne"],
  },
];
