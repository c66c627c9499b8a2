// Accepted is not delivered, and no news is no good news: silence past the contract's limit goes to a person.
//
// Only where the contract promises reports of delivery (`deliverySilenceMs`); it changes no status and sends nothing.
import { caseOf, type Snapshot } from "../records/snapshot.ts";
import type { LaneFacts, Step } from "./step.ts";

export function deliveryStep(snapshot: Snapshot, { book, nowMs }: LaneFacts): Step {
  // A call in flight has its own due time; nothing here is urgent.
  if (nowMs === undefined || caseOf(snapshot).claim !== undefined) return { kind: "idle" };
  let untilMs = Infinity;
  for (const effect of snapshot.effects) {
    if (effect.status !== "confirmed" || effect.receipt.stage !== "accepted") continue;
    const silenceMs = book.provider(effect.provider)?.contract.deliverySilenceMs;
    if (silenceMs === undefined || effect.reviewRef !== undefined) continue;
    const silentAtMs = effect.settledAtMs + silenceMs;
    if (nowMs >= silentAtMs) {
      const why = `${effect.action} was accepted, and nobody reported its delivery`;
      const recovery = { kind: "review", review: "DeliverySilent", why } as const;
      return { kind: "openReview", operationId: effect.operationId, recovery };
    }
    untilMs = Math.min(untilMs, silentAtMs);
  }
  return untilMs === Infinity ? { kind: "idle" } : { kind: "wait", untilMs };
}
