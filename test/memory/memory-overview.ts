// The counts of the overview, over the same documents as the memory cases. All that was written here is recent.
import type { Overview } from "../../shared/stores/operator-ports.ts";
import type { MemoryCases } from "./memory-cases.ts";

export function overviewOf(
  cases: MemoryCases,
  { nowMs, tenantId }: { tenantId: string; nowMs: number },
): Overview {
  const all = cases
    .changesSince(0)
    .documents.filter((document) => document["tenantId"] === tenantId);
  const of = (type: string) => all.filter((document) => document["type"] === type);
  const effects: Record<string, number> = {
    prepared: 0,
    started: 0,
    confirmed: 0,
    rejected: 0,
    unknown: 0,
    cancelled: 0,
  };
  for (const { status } of of("effect"))
    effects[String(status)] = (effects[String(status)] ?? 0) + 1;
  const unknown = of("effect")
    .filter(({ abandonedBy, status }) => status === "unknown" && abandonedBy === undefined)
    .map(({ unknownSinceMs }) => Number(unknownSinceMs));
  return {
    openReviews: of("review").filter(({ resolution }) => resolution === undefined).length,
    heldCases: of("case").filter(({ held }) => held !== undefined).length,
    openApprovals: of("approval").filter(
      ({ answer, expiresAtMs }) => answer === undefined && Number(expiresAtMs) > nowMs,
    ).length,
    unknown: {
      count: unknown.length,
      ...(unknown.length === 0 ? {} : { oldestSinceMs: Math.min(...unknown) }),
    },
    effects,
    confirmedAfterRetry: of("effect").filter(
      ({ attempts, status }) =>
        status === "confirmed" && Array.isArray(attempts) && attempts.length > 1,
    ).length,
    workDue: all.filter(({ dueAtMs }) => typeof dueAtMs === "number" && dueAtMs <= nowMs).length,
  };
}
