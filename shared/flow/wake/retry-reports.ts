// A provider's report that named no effect is looked at again: it may have been early, or what it means may have been behind.
//
// Each look comes later than the one before, for about an hour. Then it is `unmatched`: an alert, shown to
// operators, and kept for ninety days. Two sweeps at once make the same finding, and the ETag lets one of them write it down.
// One bad document stops no other.
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

/** A case that cannot be read, for whatever reason, must not bring its reports to the front of each sweep. */
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
    // What it said is in the finding now.
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
