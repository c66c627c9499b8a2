// Looks again for the effect of a provider's report that named none: the report may have been early, or the effect's record late.
//
// Each look comes later than the one before, for about an hour. Then the report is `unmatched`: an alert is raised, operators see
// it, and it is kept for ninety days. Two sweeps at once create the same finding, and the report's ETag lets one of them record
// that. One bad report stops no other.
import type { Report } from "../../domain/records/report.ts";
import { firstRetryMs } from "../intake/record-report.ts";
import { matchReport, type Matched, type MatchPorts } from "../intake/match-report.ts";
import type { TurnPorts } from "../turn/turn.ts";

export interface RetriedReports {
  matched: number;
  unmatched: number;
  waiting: number;
}

export type RetryPorts = MatchPorts & Pick<TurnPorts, "control" | "log" | "telemetry">;

const pageMax = 50;
const looksMax = 9;
const ttlSeconds = 90 * 24 * 60 * 60;

export async function retryReports(
  ports: RetryPorts,
  options: { wallClockMs: number },
): Promise<RetriedReports> {
  const { storeMs } = await ports.control.read();
  const nowMs = storeMs ?? options.wallClockMs;
  const retried: RetriedReports = { matched: 0, unmatched: 0, waiting: 0 };
  for (const { report, etag } of await ports.reports.due({ nowMs, max: pageMax })) {
    const { eventId, source, tenantId } = report;
    try {
      const next = reportAfter(report, await lookAgain(ports, report), nowMs);
      const replaced = await ports.reports.replace(next, etag);
      const kind = next.outcome?.kind ?? "waiting";
      retried[kind] += 1;
      if (kind !== "unmatched" || replaced !== "replaced") continue;
      ports.telemetry.count("countersign.reports.unmatched");
      const why = "a provider's report names no effect that is known here";
      ports.log.error(why, { tenantId, source, eventId });
    } catch (error) {
      const why = error instanceof Error ? error.name : "unknown";
      ports.log.error("a look at a report could not be recorded", {
        tenantId,
        source,
        eventId,
        why,
      });
    }
  }
  return retried;
}

/** A look that fails counts as one: else a case that cannot be read would fill the front of every sweep with its reports. */
async function lookAgain(ports: RetryPorts, report: Report): Promise<Matched> {
  try {
    return await matchReport(ports, report);
  } catch (error) {
    const { eventId, source, tenantId } = report;
    const why = error instanceof Error ? error.name : "unknown";
    ports.log.error("a report could not be matched", { tenantId, source, eventId, why });
    return { kind: "notKnown" };
  }
}

function reportAfter(report: Report, matched: Matched, nowMs: number): Report {
  const { retryAtMs: _past, ...kept } = report;
  const looks = report.looks + 1;
  if (matched.kind === "matched") {
    // The finding has its content now.
    const { echoed: _echoed, target: _target, ...ids } = kept;
    const { caseId, operationId } = matched.effect;
    const outcome = { kind: "matched", atMs: nowMs, caseId, operationId } as const;
    return { ...ids, looks, outcome, ttl: ttlSeconds };
  }
  if (matched.kind === "notKnown" || looks < looksMax) {
    return { ...kept, looks, retryAtMs: nowMs + firstRetryMs * 2 ** Math.min(looks, looksMax) };
  }
  const outcome = { kind: "unmatched", atMs: nowMs, found: matched.found } as const;
  return { ...kept, looks, outcome, ttl: ttlSeconds };
}
