// What was learned about an effect outside its own attempt's batch: late ends, provider reports, statements (design.md 4). Pure.
//
// All findings of one effect are folded together, receipts first and statements last: a person's "no" must not be folded past a
// receipt that is already there. A confirmation counts from any attempt, a rejection only from the last one. What a receipt does:
//
//   not bound to this operation    the effect is held in an `EvidenceMismatch` review
//   started, unknown               confirmed
//   prepared                       confirmed and contradicted: an attempt that was judged "not sent" did leave
//   confirmed, same provider id    a later stage of the same thing
//   confirmed, another id          contradicted: it was done twice
//   rejected, cancelled            contradicted, and the status stays
import { repeatConsequence } from "../decisions/consequences.ts";
import {
  coreOf,
  deadlineMsOf,
  isFinal,
  lastAttempt,
  provesNothingLeft,
  type Attempt,
  type Effect,
} from "../records/effect.ts";
import type { Finding, Receipt } from "../records/evidence.ts";
import {
  caseOf,
  effectOf,
  findEffect,
  withEffect,
  withLine,
  type Snapshot,
} from "../records/snapshot.ts";
import { afterPlan } from "./after-plan.ts";
import { endOf, releaseClaim, settleAttempt } from "./attempt.ts";
import { contradict } from "./contradict.ts";
import { foldStatement, type FoldOptions } from "./fold-statement.ts";
import { foldStage } from "./fold-stage.ts";
import { holdForMismatch } from "./reviews.ts";
import { confirm } from "./settle.ts";
import { whyUnbound } from "./why-unbound.ts";

/** The store tells whole seconds, so the socket was closed before the end of the second that it tells. */
const wholeSecondMs = 1000;

/** As many as fit into one batch; the rest follow in the next one, in the same order. */
const findingsMax = 30;

/** `kept` takes from each finding what may not be kept of it; by default nothing. */
export function foldFindings(
  snapshot: Snapshot,
  operationId: string,
  options: FoldOptions,
  kept: (finding: Finding) => Finding = (finding) => finding,
): Snapshot {
  const unfolded = snapshot.findings
    .filter((finding) => finding.operationId === operationId && finding.folded === undefined)
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, findingsMax)
    .map(kept);
  let folded = snapshot;
  for (const finding of unfolded) {
    const after = foldOne(folded, finding, options);
    const verdict = typeof after === "string" ? after : verdictOf(folded, after, operationId);
    if (typeof after !== "string") folded = after;
    folded = markFolded(folded, finding, verdict, options.nowMs);
  }
  return folded;
}

/** What folding made of the effect, or of the case if there is no effect. */
function verdictOf(before: Snapshot, after: Snapshot, operationId: string): string {
  if (after === before) return "changes nothing";
  return findEffect(after, operationId)?.status ?? caseOf(after).status;
}

/** Receipts, then the ends of calls, then statements: a person's statement is judged by all that is known. */
function rankOf(finding: Finding): number {
  if (receiptOf(finding) !== undefined) return 0;
  return finding.content.kind === "statement" ? 2 : 1;
}

function receiptOf(finding: Finding): Receipt | undefined {
  const { content } = finding;
  if (content.kind === "providerReport") return content.receipt;
  if (content.kind === "attemptEnd" && content.answer.kind === "receipt")
    return content.answer.receipt;
  return undefined;
}

/** The snapshot with the finding folded, or a text that says why a statement was not taken. */
function foldOne(snapshot: Snapshot, finding: Finding, options: FoldOptions): Snapshot | string {
  const { content, operationId } = finding;
  if (content.kind === "statement") return foldStatement(snapshot, finding, options);
  if (findEffect(snapshot, operationId) === undefined) return snapshot;
  const receipt = receiptOf(finding);
  if (receipt !== undefined) return foldReceipt(snapshot, operationId, receipt, options);
  switch (content.kind) {
    case "attemptEnd":
      return foldAttemptEnd(snapshot, operationId, content, options);
    // A look-up was folded when it was made; a provider's report is a receipt and is handled above.
    case "erased":
    case "lookup":
    case "providerReport":
      return snapshot;
  }
}

/** A provider's own proof, whether from an attempt, a look-up or a report. */
export function foldReceipt(
  snapshot: Snapshot,
  operationId: string,
  receipt: Receipt,
  options: FoldOptions,
): Snapshot {
  const effect = effectOf(snapshot, operationId);
  const { nowMs } = options;
  const unbound = whyUnbound(snapshot, effect, receipt);
  if (unbound !== undefined) {
    return holdForMismatch(snapshot, effect, {
      why: unbound,
      providerId: receipt.providerId,
      consequence: repeatConsequence(options.book, effect),
      nowMs,
    });
  }
  const told = { ...options, receipt, settledBy: "finding" } as const;
  switch (effect.status) {
    case "started":
    case "unknown": {
      const released = releaseClaim(snapshot, operationId);
      return afterPlan(confirm(released, coreOf(effect), told), effect, options);
    }
    case "prepared": {
      const confirmed = confirm(snapshot, coreOf(effect), told);
      const why = "it was judged not sent, and happened";
      return contradict(confirmed, operationId, { why, providerId: receipt.providerId }, options);
    }
    case "confirmed":
      if (effect.receipt.providerId === receipt.providerId)
        return foldStage(snapshot, effect, { receipt, options });
      return contradict(
        snapshot,
        operationId,
        { why: "two receipts with different provider ids", providerId: receipt.providerId },
        options,
      );
    case "rejected":
    case "cancelled": {
      // First refused, then reported as failed: the provider tells the same thing twice.
      if (effect.status === "rejected" && receipt.stage === "failed") return snapshot;
      const why = `it is ${effect.status}, and happened`;
      return contradict(snapshot, operationId, { why, providerId: receipt.providerId }, options);
    }
  }
}

function foldAttemptEnd(
  snapshot: Snapshot,
  operationId: string,
  content: Finding["content"] & { kind: "attemptEnd" },
  options: FoldOptions,
): Snapshot {
  const effect = effectOf(snapshot, operationId);
  const attempt = effect.attempts.find((candidate) => candidate.n === content.attempt);
  if (attempt === undefined || content.answer.kind === "receipt") return snapshot;
  // Its own worker has recorded an end already.
  if (attempt.end !== undefined && attempt.end.kind !== "orphaned") return snapshot;
  // After a person has given it up only a receipt settles it; the end of an attempt must not start it again.
  const isOpen = (effect.status === "started" || effect.status === "unknown") && !isFinal(effect);
  if (!isOpen || lastAttempt(effect)?.n !== attempt.n) {
    return endOnly(snapshot, effect, content, options);
  }
  const startedAtMs = snapshot.writtenAtMs[operationId] ?? options.nowMs;
  const deadlineMs = attempt.deadlineMs ?? deadlineMsOf(startedAtMs, attempt.callTimeoutMs);
  return settleAttempt(snapshot, {
    operationId,
    attempt: attempt.n,
    answer: content.answer,
    settledBy: "finding",
    book: options.book,
    nowMs: options.nowMs,
    // Its worker may have been frozen and have sent after the deadline; by now the socket is closed for certain.
    deadlineMs: Math.max(deadlineMs, options.nowMs + wholeSecondMs),
  });
}

/** An older attempt's end: it closes that attempt and says nothing of the operation. */
function endOnly(
  snapshot: Snapshot,
  effect: Effect,
  content: Finding["content"] & { kind: "attemptEnd" },
  options: FoldOptions,
): Snapshot {
  const { nowMs } = options;
  // Also while a later attempt runs, because what was told of the key must not be lost. This rewrites the document, so that the
  // running attempt's deadline comes later than it need.
  const attempts = effect.attempts.map((attempt) =>
    attempt.n === content.attempt
      ? {
          ...attempt,
          deadlineMs: Math.max(attempt.deadlineMs ?? 0, nowMs + wholeSecondMs),
          end: endOf(content.answer, attempt.end?.atMs ?? nowMs),
        }
      : attempt,
  );
  const ended = withEffect(snapshot, { ...effect, attempts });
  if (effect.status !== "confirmed" || !attempts.every(didNothing)) return ended;
  const why = `it is confirmed by ${effect.settledBy}, and no attempt of it did anything`;
  return contradict(ended, effect.operationId, { why }, options);
}

function didNothing(attempt: Attempt): boolean {
  return provesNothingLeft(attempt) || attempt.end?.kind === "refused";
}

function markFolded(
  snapshot: Snapshot,
  finding: Finding,
  verdict: string,
  nowMs: number,
): Snapshot {
  const folded: Finding = { ...finding, folded: { atMs: nowMs, verdict } };
  delete folded.dueAtMs;
  const findings = snapshot.findings.map((other) => (other.id === finding.id ? folded : other));
  return withLine({ ...snapshot, findings }, `finding by ${finding.by} folded: ${verdict}`);
}
