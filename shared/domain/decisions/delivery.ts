// Accepted is not delivered: an effect whose delivery nobody has reported by the contract's limit is shown to a person. Pure.
//
// Only where the contract promises such reports (`deliverySilenceMs`). It changes no status and sends nothing.
import type { Book } from "../definitions.ts";
import type { Effect } from "../records/effect.ts";
import type { Snapshot } from "../records/snapshot.ts";
import type { LaneFacts, Step } from "./step.ts";

export function deliveryStep(snapshot: Snapshot, { book, nowMs }: LaneFacts): Step {
  if (nowMs === undefined) return { kind: "idle" };
  let untilMs = Infinity;
  for (const effect of snapshot.effects) {
    const silentAtMs = silentAtMsOf(effect, book);
    if (silentAtMs === undefined) continue;
    if (nowMs >= silentAtMs) {
      const why = `${effect.action} was accepted, and nobody reported its delivery`;
      return { kind: "openReview", operationId: effect.operationId, review: "DeliverySilent", why };
    }
    untilMs = Math.min(untilMs, silentAtMs);
  }
  return untilMs === Infinity ? { kind: "idle" } : { kind: "wait", untilMs };
}

/** When its delivery must have been reported; undefined where no report is waited for. */
export function silentAtMsOf(effect: Effect, book: Book): number | undefined {
  if (effect.status !== "confirmed" || effect.receipt.stage !== "accepted") return undefined;
  const silenceMs = book.provider(effect.provider)?.contract.deliverySilenceMs;
  if (silenceMs === undefined || effect.reviewRef !== undefined) return undefined;
  return effect.settledAtMs + silenceMs;
}
