// What is unresolved now, told once a minute by the sweep: unknown effects, open reviews, and the cases that have either.
//
// One query, bounded: beyond `max` the counts mean "at least". An abandoned effect stays unknown and is counted; its age is
// not told, because a person has ended it. A completion rate is never told without this beside it.
import type { CaseStore, Unresolved } from "../../stores/ports.ts";
import { silentTelemetry, type Telemetry } from "../../telemetry/telemetry.ts";

const unresolvedMax = 2000;

export async function measureLedger(
  ports: { cases: CaseStore; telemetry: Telemetry },
  nowMs: number,
): Promise<void> {
  const { telemetry } = ports;
  // Where nobody listens, nothing is asked of the store either.
  if (telemetry === silentTelemetry) return;
  const found = await ports.cases.unresolved({ max: unresolvedMax });
  const unknown = found.filter(({ kind }) => kind === "unknown");
  const reviews = found.filter(({ kind }) => kind === "review");
  const cases = new Set(found.map(({ tenantId, caseId }) => `${tenantId}:${caseId}`));
  telemetry.gauge("countersign.unknown.count", unknown.length);
  telemetry.gauge("countersign.unknown.oldest_age", oldestAge(unknown, nowMs));
  telemetry.gauge("countersign.reviews.open", reviews.length);
  telemetry.gauge("countersign.reviews.oldest_age", oldestAge(reviews, nowMs));
  telemetry.gauge("countersign.cases.unresolved", cases.size);
}

/** In seconds; 0 when there is none. */
function oldestAge(found: readonly Unresolved[], nowMs: number): number {
  const waiting = found.filter(({ abandoned }) => !abandoned);
  const oldestMs = Math.min(nowMs, ...waiting.map(({ sinceMs }) => sinceMs));
  return (nowMs - oldestMs) / 1000;
}
