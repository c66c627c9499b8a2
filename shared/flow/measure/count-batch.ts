// What a batch made true is counted once the batch stands, from the difference that it wrote.
//
// So nothing is counted that a crash undid, and what is written in one batch or in several counts the same. A worker that
// dies between the write and this line takes its counts along: the ledger is the truth, these are its echo.
import { isCommitted } from "../../domain/transitions/plan.ts";
import type { Effect } from "../../domain/records/effect.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { Turn } from "../turn/turn.ts";
import { keepTrouble } from "./keep-trouble.ts";

export function countBatch(telemetry: Telemetry, turn: Turn, nowMs: number): void {
  const { base, draft } = turn;
  telemetry.wrote();
  telemetry.count("countersign.batches");
  keepTrouble(telemetry, draft);
  const before = new Map(base.effects.map((effect) => [effect.operationId, effect]));
  for (const effect of draft.effects) {
    const earlier = before.get(effect.operationId);
    if (earlier !== effect) countEffect(telemetry, earlier, effect);
  }
  if (isCommitted(draft)) countCommit(telemetry, draft.case?.eventReceivedAtMs, nowMs);
}

function countEffect(telemetry: Telemetry, earlier: Effect | undefined, effect: Effect): void {
  const { attempts, provider, status } = effect;
  for (const [index, { end }] of attempts.entries()) {
    if (end === undefined || earlier?.attempts[index]?.end !== undefined) continue;
    telemetry.count("countersign.attempts", { answer: end.kind, provider });
  }
  if (earlier?.status === status || status === "prepared" || status === "started") return;
  if (status === "confirmed" && isRepeatConfirmed(effect)) {
    telemetry.count("countersign.duplicates.absorbed", { place: "provider" });
  }
  telemetry.count("countersign.effects.settled", { outcome: status, provider });
}

/** Sent once more under its key after a call that may have left: by the provider's contract both are one. */
function isRepeatConfirmed({ attempts, providerKey }: Effect): boolean {
  const last = attempts.at(-1);
  return providerKey !== undefined && last?.leftBefore === true && last.end?.kind === "receipt";
}

function countCommit(telemetry: Telemetry, receivedAtMs: number | undefined, nowMs: number): void {
  telemetry.count("countersign.cases.completed");
  if (receivedAtMs !== undefined) {
    // Two clocks, intake's and the store's.
    const tookMs = Math.max(0, nowMs - receivedAtMs);
    telemetry.measure("countersign.commit.duration", tookMs / 1000);
  }
}

/** Somebody else wrote first: if this was a claim, the ledger has kept a second call from leaving. */
export function countSuperseded(telemetry: Telemetry, { base, draft }: Turn): void {
  const { claim } = draft.case ?? {};
  if (claim === undefined || claim === base.case?.claim) return;
  telemetry.count("countersign.duplicates.absorbed", { place: "claim" });
}
