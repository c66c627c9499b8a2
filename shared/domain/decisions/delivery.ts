// Accepted is not delivered, and no news is no good news: silence past the contract's limit goes to a person.
//
// Only where the contract promises reports of delivery (`deliverySilenceMs`); it changes no status and sends nothing.
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

/** From when on silence about its delivery is a person's; undefined where no report is waited for. */
export function silentAtMsOf(effect: Effect, book: Book): number | undefined {
  if (effect.status !== "confirmed" || effect.receipt.stage !== "accepted") return undefined;
  const silenceMs = book.provider(effect.provider)?.contract.deliverySilenceMs;
  if (silenceMs === undefined || effect.reviewRef !== undefined) return undefined;
  return effect.settledAtMs + silenceMs;
}
