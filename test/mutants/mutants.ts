// One safety rule removed at a time: what to patch, and which claim about the world must then fail.
export interface Mutant {
  /** The rule that is gone. */
  rule: string;
  file: string;
  find: string;
  replace: string;
  /** The test that must fail, and its file. */
  killedBy: string;
  testFile: string;
}

const counterexamples = "test/flow/counterexamples.test.ts";
const turns = "test/flow/advance-case.test.ts";
const removedCode = "test/flow/removed-code.test.ts";
const revisions = "test/flow/revisions.test.ts";
const byModel = "test/agent/decide-by-model.test.ts";
const payloads = "test/flow/payloads.test.ts";
const rollingDeploy = "test/flow/rolling-deploy.test.ts";

export const mutants: readonly Mutant[] = [
  {
    rule: "a stale plan ends",
    file: "shared/domain/decisions/lanes.ts",
    find: "if (record.version !== plan.decidedOn) {",
    replace: "if (record.version < plan.decidedOn) {",
    killedBy: "1: a plan that went stale",
    testFile: counterexamples,
  },
  {
    rule: "a repeated intent is held",
    file: "shared/domain/decisions/repeated-intent.ts",
    find: "if (earlier === undefined) return undefined;",
    replace: "if (earlier !== undefined || earlier === undefined) return undefined;",
    killedBy: "2: a new decision that asks for the same intent again",
    testFile: counterexamples,
  },
  {
    rule: "nothing is decided while an effect is unknown",
    file: "shared/domain/decisions/lanes.ts",
    find: 'effect.status === "started" || (effect.status === "unknown" && !isFinal(effect)),\n  );\n  if (onItsWay) return undefined;',
    replace: 'effect.status === "started",\n  );\n  if (onItsWay) return undefined;',
    killedBy: "2: nothing is decided while an effect",
    testFile: counterexamples,
  },
  {
    rule: "the outbox is exempt from the version gate",
    file: "shared/domain/decisions/lanes.ts",
    find: 'if (effect.origin !== "outbox" || isFinal(effect)) continue;',
    replace:
      'if (effect.origin !== "outbox" || effect.justifiedBy !== snapshot.case?.version) continue;',
    killedBy: "3: an outbox effect tells of its commit",
    testFile: counterexamples,
  },
  {
    rule: "a rejected notification is reviewed",
    file: "shared/domain/transitions/attempt.ts",
    find: 'if (effect.origin === "plan") return settled;',
    replace: "if (effect.origin.length > 0) return settled;",
    killedBy: "4: a refused notification opens a review",
    testFile: counterexamples,
  },
  {
    rule: "the timer is looked at before the send",
    file: "shared/flow/turn/send-effect.ts",
    find: "  const elapsedMs = ports.monotonicMs() - claimed.timerStartedMs;",
    replace: "  const elapsedMs = 0 * (ports.monotonicMs() - claimed.timerStartedMs);",
    killedBy: "5: a worker that stalls",
    testFile: counterexamples,
  },
  {
    rule: "the key's retention is looked at before the send",
    file: "shared/flow/turn/send-effect.ts",
    find: "if (pruned !== undefined && !absenceCovers(scope)) return pruned;",
    replace: "if (pruned === 'never' && !absenceCovers(scope)) return pruned;",
    killedBy: "6: a key that is pruned",
    testFile: counterexamples,
  },
  {
    rule: "the grant is read again before the send",
    file: "shared/flow/turn/send-effect.ts",
    find: "    grant === undefined ||\n    !covers(grant,",
    replace: "    grant === undefined &&\n    subject === undefined &&\n    !covers(grant,",
    killedBy: "7: a grant that is revoked",
    testFile: counterexamples,
  },
  {
    rule: "not sent speaks for its own attempt only",
    file: "shared/domain/transitions/attempt.ts",
    find: "      return attempt.leftBefore\n        ? becomeUnknown(released, ended, { ...settlement, reason: answer.reason })\n        : prepareAgain",
    replace:
      "      return settlement.nowMs < 0\n        ? becomeUnknown(released, ended, { ...settlement, reason: answer.reason })\n        : prepareAgain",
    killedBy: "8: not sent proves nothing",
    testFile: counterexamples,
  },
  {
    rule: "a refusal speaks for its own attempt only",
    file: "shared/domain/transitions/attempt.ts",
    find: "return attempt.leftBefore && !answer.speaksForOperation",
    replace: "return attempt.leftBefore && answer.speaksForOperation",
    killedBy: "9: a refusal of a second attempt",
    testFile: counterexamples,
  },
  {
    rule: "success on a final status is a contradiction",
    file: "shared/domain/transitions/fold-findings.ts",
    find: "return contradict(snapshot, operationId, `it is ${effect.status}, and happened`, options);",
    replace:
      "return options.nowMs < 0 ? contradict(snapshot, operationId, '', options) : snapshot;",
    killedBy: "12: a receipt for a rejected effect",
    testFile: counterexamples,
  },
  {
    rule: "a plan's end is a new version",
    file: "shared/domain/transitions/plan.ts",
    find: "withCase(snapshot, { plan: undefined, version: record.version + 1 })",
    replace: "withCase(snapshot, { plan: undefined, version: record.version + 0 })",
    killedBy: "13: a rejection is a new fact",
    testFile: counterexamples,
  },
  {
    rule: "claims that are turned away are bounded",
    file: "shared/domain/decisions/recover.ts",
    find: "if (notSent >= attemptLimits.notSentMax)",
    replace: "if (notSent >= 1000 * attemptLimits.notSentMax)",
    killedBy: "14: claims that are turned away are bounded",
    testFile: counterexamples,
  },
  {
    rule: "the case's ETag is looked at before the send",
    file: "shared/flow/turn/send-effect.ts",
    find: "if (head.caseEtag !== turn.caseEtag)",
    replace: "if (head.caseEtag === undefined)",
    killedBy: "a receipt that is folded between the claim and the call",
    testFile: counterexamples,
  },
  {
    rule: "an uncertain write is sent again under its own name",
    file: "shared/flow/turn/write-draft.ts",
    find: '  return "written";\n}\n\nfunction batchOf',
    replace: '  return "overtaken";\n}\n\nfunction batchOf',
    killedBy: "that is uncertain is settled by sending the same batch again",
    testFile: turns,
  },
  {
    rule: "evidence survives being overtaken",
    file: "shared/flow/turn/keep-evidence.ts",
    find: "if (turn.evidence === undefined) return;",
    replace: "if (turn.evidence === undefined || turn.evidence !== undefined) return;",
    killedBy: "survives its worker being overtaken",
    testFile: turns,
  },
  {
    rule: "not even a crash is counted on what newer code wrote",
    file: "shared/flow/turn/advance-case.ts",
    find: "if (whyLeft(turn.draft, book, nowMs) !== undefined) return false;",
    replace: "if (nowMs < 0) return false;",
    killedBy: "its effect is left alone however often",
    testFile: rollingDeploy,
  },
  {
    rule: "a type that nobody here knows is left to whoever does",
    file: "shared/domain/decisions/leave.ts",
    find: "return isYoung ?",
    replace: "return isYoung && sinceMs < 0 ?",
    killedBy: "is left unfolded by the older worker",
    testFile: rollingDeploy,
  },
  {
    rule: "nothing is sent of an action that this code does not have",
    file: "shared/domain/decisions/lanes.ts",
    find: 'return missingStep(effect, facts.book, "send") ?? claimStep(effect, facts);',
    replace: "return claimStep(effect, facts);",
    killedBy: "and only its action was removed is not sent again",
    testFile: removedCode,
  },
  {
    rule: "what this code cannot fold waits, and is not refused",
    file: "shared/domain/transitions/fold-event.ts",
    find: 'if (forwarded.kind === "broken" && hasFacts(record)) {',
    replace: 'if (forwarded.kind === "broken" && record.version < 0) {',
    killedBy: "are lifted by code that fits",
    testFile: revisions,
  },
  {
    rule: "facts in a new shape say so, and older code keeps its hands off",
    file: "shared/domain/transitions/fold-event.ts",
    find: "    workflow: { type: record.workflow.type, revision: workflow.revision },\n",
    replace: "",
    killedBy: "are brought forward by the next event",
    testFile: revisions,
  },
  {
    rule: "another version of an action is no other intent",
    file: "shared/domain/decisions/repeated-intent.ts",
    find: "familyOf(effect.action) === familyOf(intent.action) &&",
    replace: "effect.action === intent.action &&",
    killedBy: "what v1 of an action did",
    testFile: revisions,
  },
  {
    rule: "a sensitive payload is sent only under its own digest",
    file: "shared/domain/frozen-payload.ts",
    find: "if (keys.digest(opened.text) !== payloadDigest) return mismatch;",
    replace: 'if (keys.digest(opened.text) === "") return mismatch;',
    killedBy: "because another payload stands in its place",
    testFile: payloads,
  },
  {
    rule: "a plain payload is sent only under its own digest",
    file: "shared/domain/frozen-payload.ts",
    find: 'return digestOf(payload, "payload") === payloadDigest ?',
    replace: 'return digestOf(payload, "payload") !== "" || payloadDigest === "" ?',
    killedBy: "a plain payload that was changed in the store",
    testFile: payloads,
  },
  {
    rule: "a ciphertext opens in its own place only",
    file: "shared/domain/payload-keys.ts",
    find: 'lengthPrefixed(["payload", key.id, tenantId, caseId, operationId])',
    replace: 'lengthPrefixed(["payload", key.id, tenantId + caseId + operationId].slice(0, 2))',
    killedBy: "moved to another operation does not open",
    testFile: "test/domain/payload-keys.test.ts",
  },
  {
    rule: "a payload begins to end with its effect's outcome, and not before",
    file: "shared/domain/records/effect.ts",
    find: 'return status === "confirmed" || status === "rejected" || status === "cancelled";',
    replace: 'return status !== "prepared" && status !== "started";',
    killedBy: "begins to end in the batch",
    testFile: payloads,
  },
  {
    rule: "a payload does not stay for ever",
    file: "shared/flow/turn/write-draft.ts",
    find: "amends: endedPayloads(turn.base, turn.draft).map(",
    replace: "amends: endedPayloads(turn.base, turn.draft).slice(0, 0).map(",
    killedBy: "begins to end in the batch",
    testFile: payloads,
  },
  {
    rule: "a payload that cannot be read costs no attempt",
    file: "shared/flow/turn/claim-and-send.ts",
    find: '  if (payload === undefined) return "goOn";\n  const grantRef = await findGrant(ports, turn, operationId, payload);',
    replace: "  const grantRef = await findGrant(ports, turn, operationId, payload ?? {});",
    killedBy: "because it is gone is held and never sent",
    testFile: payloads,
  },
  {
    rule: "what a provider repeats of a sensitive payload is not kept",
    file: "shared/flow/turn/send-effect.ts",
    find: "return withoutEcho(effect, payload, answer);",
    replace: "return answer.kind.length > 0 ? answer : withoutEcho(effect, payload, answer);",
    killedBy: "an echo of a sensitive payload",
    testFile: payloads,
  },
  {
    rule: "what is kept beside a case is erased with it",
    file: "shared/flow/operate/cases/erase-case.ts",
    find: "const beside = await ports.cases.passing(key);",
    replace: "const beside = (await ports.cases.passing(key)).slice(0, 0);",
    killedBy: "in none once it is erased",
    testFile: "test/flow/erase.test.ts",
  },
  {
    rule: "a model claims no more than the rules permit",
    file: "shared/workflows/invoice-exception/decide-by-model.ts",
    find: "cents > toleranceCents && cents <= varianceCents",
    replace: "cents > toleranceCents",
    killedBy: "claims more than the variance",
    testFile: byModel,
  },
  {
    rule: "a model's answer is memoised",
    file: "shared/workflows/invoice-exception/decide-by-model.ts",
    find: 'context.memo("proposal", proposalOf(question.answer), () =>',
    replace:
      '((_name: string, _schema: unknown, ask: () => ReturnType<typeof model.ask<Answer>>) => ask())("proposal", proposalOf(question.answer), () =>',
    killedBy: "is not asked again after a crash",
    testFile: byModel,
  },
  {
    rule: "a model's refusal is for a person",
    file: "shared/agent/chat-endpoint.ts",
    find: "if (refusal) return",
    replace: "if (refusal === content) return",
    killedBy: "is a refusal beside an answer",
    testFile: byModel,
  },
  {
    rule: "the model's key follows no redirect",
    file: "shared/agent/chat-endpoint.ts",
    find: 'redirect: "manual"',
    replace: 'redirect: "follow"',
    killedBy: "by a redirect (308)",
    testFile: "test/agent/silent-endpoint.test.ts",
  },
  {
    rule: "what arrives after an erasing is not kept",
    file: "shared/domain/decisions/next.ts",
    find: 'return isNew ? { kind: "foldErased" } : { kind: "idle" };',
    replace: 'return isNew ? { kind: "idle" } : { kind: "idle" };',
    killedBy: "an event that still arrives changes nothing",
    testFile: "test/flow/erase.test.ts",
  },
];
