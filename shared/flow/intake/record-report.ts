// A provider's own webhook about one of our operations: it becomes a finding, which decides nothing until a turn folds it
// (design.md 5, rule 3; 7).
//
// The case is found by the key that the provider echoes, and only in the tenant of the source that signed it. The
// finding's id is made of the delivery's id, so that the same report twice is one. What names no effect of ours is kept, and
// told apart.
import { z } from "zod";
import type { Book, Provider, ProviderReport } from "../../domain/definitions.ts";
import { caseKeyText, findingIdOf, hintIdOf, parseCaseKey } from "../../domain/identity.ts";
import type { Effect } from "../../domain/records/effect.ts";
import { schemaVersion, type Finding } from "../../domain/records/evidence.ts";
import type { CaseStore, HintQueue } from "../../stores/ports.ts";
import { readJson } from "./read-json.ts";

export interface ReportPorts {
  cases: CaseStore;
  hints: HintQueue;
  book: Book;
  random(): string;
}

export interface ReportDelivery {
  provider: Provider | undefined;
  source: { name: string; tenantId: string };
  eventId: string;
  content: Buffer;
  receivedAtMs: number;
}

export type ReportRecorded =
  | { kind: "recorded"; duplicate: boolean }
  | { kind: "unmatched" }
  | { kind: "notKnown" };

const Envelope = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });
const graceMs = 15_000;
const createsMax = 3;

export async function recordReport(
  ports: ReportPorts,
  delivery: ReportDelivery,
): Promise<ReportRecorded> {
  const report = reportIn(delivery);
  const key = report && parseCaseKey(report.caseKey);
  if (key === undefined || key.tenantId !== delivery.source.tenantId) return { kind: "unmatched" };
  const { snapshot } = await ports.cases.read(key);
  const effect = snapshot.effects.find(
    ({ operationId, provider }) =>
      operationId === report?.operationId && provider === delivery.provider?.name,
  );
  if (report === undefined || effect === undefined) return { kind: "unmatched" };
  const finding = findingOf(delivery, report, effect);
  for (let n = 1; n <= createsMax; n += 1) {
    const created = await ports.cases.createFinding(finding);
    if (created === "uncertain") continue;
    await hint(ports, finding);
    return { kind: "recorded", duplicate: created === "exists" };
  }
  return { kind: "notKnown" };
}

function reportIn({ content, provider }: ReportDelivery): ProviderReport | undefined {
  const json = readJson(content);
  if (json.kind === "broken") return undefined;
  const envelope = Envelope.safeParse(json.value).data;
  return envelope && provider?.report?.(envelope);
}

/** Bound to what the report itself names; what it does not name it cannot contradict. */
function findingOf(delivery: ReportDelivery, report: ProviderReport, effect: Effect): Finding {
  const { tenantId, caseId, operationId, payloadDigest } = effect;
  const { eventId, receivedAtMs, source } = delivery;
  return {
    id: findingIdOf(operationId, "report", source.name, eventId),
    type: "finding",
    schemaVersion,
    tenantId,
    caseId,
    operationId,
    content: {
      kind: "providerReport",
      receipt: {
        stage: report.stage,
        providerId: report.providerId,
        boundTo: { operationId, target: report.target ?? effect.target, payloadDigest },
        content: { deliveryId: eventId },
      },
    },
    by: `source:${source.name}`,
    foundAtMs: receivedAtMs,
    dueAtMs: receivedAtMs + graceMs,
  };
}

/** The finding is durable and due: a lost hint loses nothing. */
async function hint(ports: ReportPorts, finding: Finding): Promise<void> {
  const { tenantId, caseId } = finding;
  const key = { tenantId, caseId };
  const hintId = hintIdOf(key, finding.id, ports.random());
  await ports.hints
    .send("cases", { ...key, hintId, reason: `report: ${caseKeyText(key)}` })
    .catch(() => {});
}
