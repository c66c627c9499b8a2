// The auditor's own test: one safety rule of the app is removed, and the auditor's rule of that name must speak.
//
// A patch that no longer fits is an error, so the list follows the code.
import { one, type SafetyMutant } from "./mutant.ts";
import { evidenceMutants } from "./evidence-mutants.ts";
import { peopleMutants } from "./people-mutants.ts";
import { payloadMutants } from "./payload-mutants.ts";
import { workerMutants } from "./worker-mutants.ts";

const domain = "shared/domain";
const lanes = `${domain}/decisions/lanes.ts`;
const recover = `${domain}/decisions/recover.ts`;
const sendCover = `${domain}/decisions/send-cover.ts`;
const attempt = `${domain}/transitions/attempt.ts`;
const sendEffect = "shared/flow/turn/send-effect.ts";
const claimAndSend = "shared/flow/turn/claim-and-send.ts";

const protocolMutants: readonly SafetyMutant[] = [
  {
    without: "the version gate",
    patches: one(lanes, "if (version !== plan.decidedOn) {", "if (version < plan.decidedOn) {"),
    seenBy: ["claimsAreCurrent"],
  },
  {
    without: "the case's ETag in every batch",
    patches: one(
      "test/memory/memory-cases.ts",
      "document: caseDocument, ifMatch: caseEtag }",
      "document: caseDocument }",
    ),
    seenBy: ["noLostUpdate"],
  },
  {
    without: "one key for all attempts",
    patches: one(
      sendEffect,
      "...(providerKey === undefined ? {} : { providerKey }),",
      "...(providerKey === undefined ? {} : { providerKey: `${providerKey}${effect.attempts.length}` }),",
    ),
    seenBy: ["appliedOnce"],
  },
  {
    without: "the key's retention",
    patches: one(
      sendCover,
      "return firstUseMs + idempotency.retentionMs -",
      "return firstUseMs + 1000 * idempotency.retentionMs -",
    ),
    seenBy: ["appliedOnce"],
  },
  {
    without: "a contract behind each retry",
    patches: one(
      recover,
      'return unknownReview(keyRefused ?? "the provider offers no look-up");',
      "return retryWhenDue(facts);",
    ),
    seenBy: ["appliedOnce"],
  },
  {
    without: "the finding of an overtaken worker",
    patches: one(
      "shared/flow/turn/keep-evidence.ts",
      "if (turn.evidence === undefined) return;",
      "if (turn.evidence === undefined || turn.evidence !== undefined) return;",
    ),
    seenBy: ["receiptIsKept"],
  },
  {
    without: "the send gate",
    patches: one(sendEffect, "  if (closed !== undefined) {", "  if (closed === 'never') {"),
    seenBy: ["grantHeldAtGate"],
  },
  {
    without: "the grant at the gate",
    patches: one(
      sendEffect,
      "grant === undefined ||\n    !covers(",
      "grant === undefined &&\n    !covers(",
    ),
    seenBy: ["grantHeldAtGate"],
  },
  {
    without: "the timer at the gate, and the store's time beside it",
    patches: one(
      sendEffect,
      "ports.monotonicMs() - claimed.timerStartedMs;",
      "0 * (ports.monotonicMs() - claimed.timerStartedMs);",
    ).concat(
      one(sendEffect, "if (nowMs >= deadlineMsOf(", "if (nowMs < 0 && nowMs >= deadlineMsOf("),
    ),
    seenBy: ["sendsInTime"],
  },
  {
    without: "the outbox's exemption from the version gate",
    patches: one(
      lanes,
      'if (effect.origin !== "outbox" || isFinal(effect)) continue;',
      'if (effect.origin !== "outbox" || effect.justifiedBy !== snapshot.case?.version) continue;',
    ),
    seenBy: ["commitTells"],
  },
  {
    without: "the outbox in the batch of its commit",
    patches: one(
      `${domain}/transitions/plan.ts`,
      "of plan.notifications.entries()) {",
      "of plan.notifications.slice(0, 0).entries()) {",
    ),
    seenBy: ["commitTells"],
  },
  {
    without: "the unknown, called rejected instead",
    patches: one(
      attempt,
      '    case "noAnswer":\n      return becomeUnknown(',
      '    case "noAnswer":\n      return reject(',
    ),
    seenBy: ["deniedWasNotApplied"],
  },
  {
    without: "the difference between an attempt's refusal and the operation's",
    patches: one(
      attempt,
      "return attempt.leftBefore && !answer.speaksForOperation",
      "return attempt.leftBefore && answer.speaksForOperation",
    ),
    seenBy: ["statusesFollowTable", "deniedWasNotApplied"],
  },
  {
    without: "the difference between an attempt's not-sent and the operation's",
    patches: one(
      attempt,
      '    case "notSent":\n      return attempt.leftBefore',
      '    case "notSent":\n      return settlement.nowMs < 0',
    ),
    seenBy: ["statusesFollowTable", "deniedWasNotApplied"],
  },
  {
    without: "the horizon before an absence counts",
    patches: one(
      sendCover,
      "return absentMs !== undefined && absentMs > horizonEndMs(",
      "return absentMs !== undefined && 0 < horizonEndMs(",
    ),
    seenBy: ["appliedOnce"],
  },
  {
    without: "the doubt about an orphaned attempt",
    patches: one(
      sendCover,
      'end === undefined || end.kind === "orphaned")',
      'end === undefined || end.kind === "receipt")',
    ),
    seenBy: ["appliedOnce"],
  },
  {
    without: "RepeatedIntent",
    patches: one(
      `${domain}/decisions/repeated-intent.ts`,
      "if (earlier === undefined) return undefined;",
      "if (earlier !== undefined || earlier === undefined) return undefined;",
    ),
    seenBy: ["appliedOnce"],
  },
  {
    without: "the digest in a receipt's binding",
    patches: one(
      `${domain}/transitions/why-unbound.ts`,
      "if (boundTo.payloadDigest !== payloadDigest)",
      "if (boundTo.payloadDigest === '')",
    ),
    seenBy: ["confirmedWasApplied"],
  },
  {
    without: "contradictions",
    patches: one(
      `${domain}/transitions/contradict.ts`,
      "if (contradicted !== undefined && !isNew) return snapshot;",
      "if (nowMs > 0) return snapshot;",
    ),
    seenBy: ["contradictionShows"],
  },
  {
    without: "a new version for a plan's end, so that one is decided twice",
    patches: [
      {
        file: `${domain}/transitions/plan.ts`,
        find: "withCase(snapshot, { plan: undefined, version: record.version + 1 })",
        replace: "withCase(snapshot, { plan: undefined, version: record.version })",
      },
      {
        file: `${domain}/decisions/decide-step.ts`,
        find: "if (record.decidedVersion === record.version) return",
        replace: "if (record.decidedVersion === -1) return",
      },
    ],
    seenBy: ["versionDecidedOnce"],
  },
  {
    without: "a new version for new facts",
    patches: one(
      `${domain}/transitions/fold-event.ts`,
      "    requestedBy: requesterOf(record, event),\n    version: record.version + 1,",
      "    version: record.version,",
    ),
    seenBy: ["versionDecidedOnce"],
  },
  {
    without: "doubt about an ambiguous write, taken for ours",
    patches: one(
      "shared/flow/turn/write-draft.ts",
      '      case "uncertain":\n',
      '      case "uncertain":\n        if (pauseMs !== undefined) return "written";\n',
    ),
    seenBy: ["claimStandsAtSend"],
  },
  {
    without: "waiting for the claim before the call",
    patches: one(
      claimAndSend,
      "  const flushed = await flush(ports, turn);\n",
      '  void flush(ports, { ...turn });\n  const flushed = "written" as Awaited<ReturnType<typeof flush>>;\n',
    ),
    seenBy: ["claimStandsAtSend"],
  },
  {
    without: "the frozen payload",
    patches: one(
      sendEffect,
      "        payload: structuredClone(payload),\n        caseKey",
      "        payload: { ...payload, again: effect.attempts.length },\n        caseKey",
    ),
    seenBy: ["bytesAsFrozen"],
  },
  {
    without: "the rising fence",
    patches: one(
      `${domain}/transitions/claim.ts`,
      "const fence = record.fence + 1;",
      "const fence = Math.max(1, record.fence);",
    ),
    seenBy: ["fencesRise"],
  },
  {
    without: "the review of an unknown",
    patches: one(
      `${domain}/transitions/reviews.ts`,
      "return withEffect(opened, { ...effect, reviewRef });",
      "return withEffect({ ...opened, reviews: snapshot.reviews }, { ...effect, reviewRef });",
    ),
    seenBy: ["unknownIsVisible"],
  },
  {
    without: "the review of a refused notification",
    patches: one(
      `${domain}/transitions/settle.ts`,
      'if (effect.origin === "plan") return settled;',
      "if (effect.origin.length > 0) return settled;",
    ),
    seenBy: ["commitTells"],
  },
  {
    without: "waiting with a new decision while an effect is unknown",
    patches: one(
      lanes,
      '(effect) => effect.status === "started" || isOpenUnknown(effect)',
      '(effect) => effect.status === "started"',
    ),
    seenBy: ["unknownIsVisible"],
  },
  {
    without: "events after a case has ended",
    patches: one(
      `${domain}/decisions/next.ts`,
      "  if (event !== undefined) return {",
      '  if (event !== undefined && snapshot.case?.status !== "done") return {',
    ),
    seenBy: ["noCaseLost"],
  },
  {
    without: "the due time of a call in flight",
    patches: one(
      `${domain}/due.ts`,
      "return nowMs + (attempt?.callTimeoutMs ?? graceMs) + deadlineSlackMs;",
      "return attempt === undefined ? nowMs : undefined;",
    ),
    seenBy: ["progress"],
  },
  {
    without: "the answers of a search that gave none, taken for an absence",
    patches: one(
      recover,
      "if ((absentStartedAtMs(facts) ?? 0) > settledMs) {",
      "if ((effect.lookups?.lastStartedAtMs ?? 0) > settledMs) {",
    ),
    seenBy: ["progress"],
  },
];

export const safetyMutants: readonly SafetyMutant[] = [
  ...protocolMutants,
  ...evidenceMutants,
  ...peopleMutants,
  ...payloadMutants,
  ...workerMutants,
];

/**
 * A rule whose absence costs only needless unknowns (the model says so): nobody may be alarmed by it. An ambiguous write
 * that is taken for lost is read again, and what was claimed is found claimed. Only a count of crashes that lands after its
 * worker has looked again stays, and its rule may say so.
 */
export const harmless: SafetyMutant = {
  without: "doubt about an ambiguous write, taken for lost",
  patches: one(
    "shared/flow/turn/write-draft.ts",
    '      case "uncertain":\n',
    '      case "uncertain":\n        if (pauseMs !== undefined) return "superseded";\n',
  ),
  seenBy: ["crashesAreReal"],
};
