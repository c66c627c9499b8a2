// Rules of what people do, taken away one by one: approvals, compensation, erasure.
import { one, type SafetyMutant } from "./mutant.ts";

const domain = "shared/domain";
const approvals = `${domain}/decisions/approvals.ts`;
const answer = "shared/flow/operate/approvals/answer-approval.ts";
const erase = "shared/flow/operate/cases/erase-case.ts";
const sendEffect = "shared/flow/turn/send-effect.ts";

export const peopleMutants: readonly SafetyMutant[] = [
  {
    without: "the question about one effect of an action that asks nobody",
    patches: one(
      "shared/domain/transitions/decide.ts",
      "decision.actions[ordinal]?.asksFirst === true ||",
      "",
    ),
    seenBy: ["approvalHeldAtGate", "approvalsComeFirst"],
  },
  {
    without: "a person's yes",
    patches: [
      ...one(
        `${domain}/decisions/lanes.ts`,
        'approvals.kind === "given") return step;',
        'approvals.kind !== "ask") return step;',
      ),
      ...one(
        sendEffect,
        'approvalState(turn.draft, plan, nowMs).kind !== "given"',
        'approvalState(turn.draft, plan, nowMs).kind === "refused"',
      ),
    ],
    seenBy: ["approvalHeldAtGate"],
  },
  {
    // The payload's own digest never changes; so the question shows another one, as a defect of the asking would.
    without: "the digest in an approval",
    patches: [
      ...one(approvals, "approval.payloadDigest === payloadDigest", 'payloadDigest !== ""'),
      ...one(
        `${domain}/transitions/ask-approvals.ts`,
        "payloadDigest: effect.payloadDigest",
        "payloadDigest: record.factsDigest",
      ),
    ],
    seenBy: ["approvalHeldAtGate"],
  },
  {
    without: "an approval's expiry at the gate",
    patches: one(
      sendEffect,
      "approvalState(turn.draft, plan, nowMs)",
      "approvalState(turn.draft, plan, 0)",
    ),
    seenBy: ["approvalHeldAtGate"],
  },
  {
    without: "an approval's expiry",
    patches: one(approvals, " || approval.expiresAtMs <= nowMs;", " || nowMs < 0;"),
    seenBy: ["approvalHeldAtGate"],
  },
  {
    without: "a refusal",
    patches: one(
      approvals,
      'approval.answer?.decision === "refuse");',
      'approval.answer?.decision === "refuse" && nowMs < 0);',
    ),
    seenBy: ["approvalHeldAtGate"],
  },
  {
    without: "all approvals before the first claim",
    patches: one(
      approvals,
      '.status !== "confirmed",\n  );',
      '.status !== "confirmed",\n  ).slice(0, 1);',
    ),
    seenBy: ["approvalsComeFirst"],
  },
  {
    without: "the rule against self-approval",
    patches: one(
      answer,
      "if (askers.some((asker) => isSamePrincipal(asker, principal.id))) {",
      'if (principal.id === "") {',
    ),
    seenBy: ["approverIsAnother"],
  },
  {
    without: "the memory of who asked before",
    patches: one(
      answer,
      "[approval.requestedBy, ...requestersOf(history.snapshot)]",
      "[approval.requestedBy]",
    ),
    seenBy: ["approverIsAnother"],
  },
  {
    without: "the rule that only a person answers",
    patches: one(answer, "if (!principal.isPerson) return", 'if (principal.id === "") return'),
    seenBy: ["approverIsAnother"],
  },
  {
    without: "the first answer of two",
    patches: one(
      "test/memory/memory-cases.ts",
      "if (approval.answer !== undefined) return answeredBefore(approval, answer);",
      "if (approval.answer?.answerId === answer.answerId) return answeredBefore(approval, answer);",
    ),
    seenBy: ["answeredOnce"],
  },
  {
    without: "the facts of record, read again",
    patches: one(
      answer,
      "if (workflow?.refresh === undefined) return undefined;",
      'if (workflow?.type !== "") return undefined;',
    ),
    seenBy: ["answersAreCurrent"],
  },
  {
    without: "the end of a question",
    patches: one(answer, "if (approval.expiresAtMs <= nowMs) return", "if (nowMs < 0) return"),
    seenBy: ["answersAreCurrent"],
  },
  {
    without: "a confirmation to make good",
    patches: one(
      `${domain}/decisions/refused-plan.ts`,
      'return named?.status === "confirmed"',
      "return named !== undefined",
    ),
    seenBy: ["compensationHasCause"],
  },
  {
    without: "a compensation's own grant",
    patches: [
      ...one(
        "shared/flow/turn/claim-and-send.ts",
        "grants.find((grant) => covers(",
        "grants.find((grant) => effect.compensates !== undefined || covers(",
      ),
      ...one(
        sendEffect,
        "    !covers(grant,",
        "    effect.compensates === undefined && !covers(grant,",
      ),
    ],
    seenBy: ["grantHeldAtGate"],
  },
  {
    without: "the closing before an erasure",
    patches: one(
      erase,
      "if (workflow?.statuses[record.status]?.final !== true) return",
      "if (workflow === undefined) return",
    ),
    seenBy: ["erasedForGood"],
  },
  {
    without: "the settling before an erasure",
    patches: one(
      erase,
      "if (open !== undefined) return",
      "if (open !== undefined && open.action === '') return",
    ),
    seenBy: ["erasedForGood"],
  },
  {
    without: "what arrives after an erasure",
    patches: one(
      `${domain}/decisions/next.ts`,
      'return isNew ? { kind: "foldErased" } : { kind: "idle" };',
      'return { kind: "idle" };',
    ),
    seenBy: ["noCaseLost"],
  },
];
