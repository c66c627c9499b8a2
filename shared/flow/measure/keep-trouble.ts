// Of a case in trouble every turn is told, whatever share of traces is: a held case, an open review, an effect that is unknown,
// rejected or contradicted, or one of whose attempts ended without a receipt. The ledger says so, so each worker knows it by itself.
import type { Effect } from "../../domain/records/effect.ts";
import type { Snapshot } from "../../domain/records/snapshot.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";

export function keepTrouble(telemetry: Telemetry, snapshot: Snapshot): void {
  const { case: record, effects, reviews } = snapshot;
  if (record?.held !== undefined || reviews.length > 0 || effects.some(isTroubled)) {
    telemetry.keep();
  }
}

function isTroubled({ attempts, contradicted, status }: Effect): boolean {
  return (
    status === "unknown" ||
    status === "rejected" ||
    contradicted !== undefined ||
    attempts.some(({ end }) => end !== undefined && end.kind !== "receipt")
  );
}
