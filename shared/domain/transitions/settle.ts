// The three outcomes of an effect: confirmed, rejected, cancelled (design.md 4). Pure.
//
// An outcome resolves the reviews of what the effect waited for. It opens one if somebody was not told: a notification was rejected,
// or the effect was accepted and then failed at its goal.
import { repeatConsequence } from "../decisions/consequences.ts";
import type { Book } from "../definitions.ts";
import { coreOf, type Effect, type EffectCore } from "../records/effect.ts";
import type { Receipt } from "../records/evidence.ts";
import { withCase, withEffect, withLine, type Snapshot } from "../records/snapshot.ts";
import { holdEffect, resolveHolds, reviewFailure, unheld } from "./reviews.ts";

interface Settled {
  settledBy: "attempt" | "finding" | "person";
  nowMs: number;
  book: Book;
}

export function confirm(
  snapshot: Snapshot,
  effect: EffectCore,
  evidence: Settled & { receipt: Receipt },
): Snapshot {
  const { receipt, settledBy, nowMs } = evidence;
  const resolved = resolveHolds(snapshot, effect, {
    how: `settled: confirmed by ${settledBy}`,
    by: settledBy,
    atMs: nowMs,
  });
  const { lookups: _settled, ...core } = unheld(effect);
  const confirmed: Effect = {
    ...core,
    status: "confirmed",
    receipt,
    settledBy,
    settledAtMs: nowMs,
  };
  // A notification is no progress: else a decider that only notifies would be asked for ever.
  const settled = withCase(
    withEffect(resolved, confirmed),
    effect.origin === "plan" ? { decisionsWithoutProgress: 0 } : {},
  );
  const line = `confirmed ${effect.action}: ${receipt.providerId} (${receipt.stage})`;
  return reviewFailure(withLine(settled, line), effect.operationId, evidence);
}

export function reject(
  snapshot: Snapshot,
  effect: EffectCore,
  evidence: Settled & { reason: string },
): Snapshot {
  const { reason, settledBy, nowMs } = evidence;
  const resolved = resolveHolds(snapshot, effect, {
    how: `settled: rejected by ${settledBy}`,
    by: settledBy,
    atMs: nowMs,
  });
  const rejected: Effect = {
    ...unheld(effect),
    status: "rejected",
    reason,
    settledBy,
    settledAtMs: nowMs,
  };
  const settled = withLine(withEffect(resolved, rejected), `rejected ${effect.action}: ${reason}`);
  if (effect.origin === "plan") return settled;
  return holdEffect(settled, rejected, {
    kind: "NotificationFailed",
    why: `${effect.action} was refused, so somebody was not told: ${reason}`,
    consequence: repeatConsequence(evidence.book, effect),
    nowMs,
  });
}

/** It was never sent, and never will be. */
export function cancelled(effect: Effect, reason: string, nowMs: number): Effect {
  return { ...unheld(coreOf(effect)), status: "cancelled", reason, settledAtMs: nowMs };
}
