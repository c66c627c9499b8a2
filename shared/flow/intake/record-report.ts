// A provider's own webhook about one of our operations: it becomes a finding, which decides nothing until a turn folds it
// (design.md 5, rule 3; 7).
//
// What names no effect that is known here may only be early: it is kept in a partition of its own, and the sweep looks for
// its effect again (retry-reports.ts). Its sender hears 202 either way, once it is durable. What is no report of an
// operation at all is `notOurs`.
import { TransientFault } from "../../domain/faults.ts";
import type { Provider } from "../../domain/definitions.ts";
import { schemaVersion } from "../../domain/records/evidence.ts";
import type { Report } from "../../domain/records/report.ts";
import { matchReport, type MatchPorts } from "./match-report.ts";
import { documentIdPart } from "./document-id-part.ts";
import { readReport } from "./read-report.ts";

export interface ReportDelivery {
  provider: Provider;
  source: { name: string; tenantId: string };
  eventId: string;
  content: Buffer;
  /** Of the content. */
  digest: string;
  receivedAtMs: number;
}

export type ReportRecorded =
  | { kind: "recorded"; duplicate: boolean }
  | { kind: "kept"; duplicate: boolean }
  | { kind: "notOurs" }
  | { kind: "notKnown" };

/** No case has it: case ids have 26 characters. */
export const reportsCaseId = "reports";
export const firstRetryMs = 15_000;
const createsMax = 3;

export async function recordReport(
  ports: MatchPorts,
  delivery: ReportDelivery,
): Promise<ReportRecorded> {
  const told = readReport(delivery.provider, delivery.content);
  if (told === undefined) return { kind: "notOurs" };
  const report = { ...documentOf(delivery), ...told };
  try {
    const matched = await matchReport(ports, report);
    switch (matched.kind) {
      case "matched":
        return { kind: "recorded", duplicate: matched.duplicate };
      case "unmatched":
        return await keep(ports, report);
      case "notKnown":
        return matched;
    }
  } catch (error) {
    if (error instanceof TransientFault) return { kind: "notKnown" };
    throw error;
  }
}

function documentOf(delivery: ReportDelivery) {
  const { digest, eventId, provider, receivedAtMs, source } = delivery;
  return {
    id: `report:${source.name}:${documentIdPart(eventId)}:${digest}`,
    type: "report",
    schemaVersion,
    tenantId: source.tenantId,
    caseId: reportsCaseId,
    provider: provider.name,
    source: source.name,
    eventId,
    bodyDigest: digest,
    receivedAtMs,
    looks: 1,
    retryAtMs: receivedAtMs + firstRetryMs,
  } as const;
}

/** The same delivery is one document, however often it comes. */
async function keep({ reports }: MatchPorts, report: Report): Promise<ReportRecorded> {
  for (let n = 1; n <= createsMax; n += 1) {
    const created = await reports.create(report);
    if (created !== "uncertain") return { kind: "kept", duplicate: created === "exists" };
  }
  return { kind: "notKnown" };
}
