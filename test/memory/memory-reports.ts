// Providers' reports in memory, beside the effects of a memory store; the contract suite holds both this and Cosmos DB.
import type { CaseKey } from "../../shared/domain/identity.ts";
import { Report } from "../../shared/domain/records/report.ts";
import { readable } from "../../shared/stores/case-documents.ts";
import type { ReportStore } from "../../shared/stores/ports.ts";
import type { Partitions, Stored } from "./partitions.ts";

export function memoryReports({ partitions }: { partitions: Partitions }): ReportStore {
  const all = (): { key: CaseKey; document: Stored }[] =>
    partitions
      .keys()
      .flatMap((key) => partitions.documents(key, 0).map((document) => ({ key, document })));
  const reports = () =>
    all().flatMap(({ document }) => {
      const report = document["type"] === "report" ? readable(Report, document) : undefined;
      return report === undefined ? [] : [{ report, etag: document._etag }];
    });
  return {
    effectsByProviderKey: async ({ provider, providerKey, tenantId }) =>
      all()
        .filter(({ document, key }) => document["type"] === "effect" && key.tenantId === tenantId)
        .filter(({ document }) => document["providerKey"] === providerKey)
        .filter(({ document }) => document["provider"] === provider)
        .map(({ document, key }) => ({ ...key, operationId: String(document["operationId"]) })),
    async create(report) {
      const { kind } = partitions.transact(keyOf(report), [{ kind: "create", document: report }]);
      return kind === "committed" ? "created" : "exists";
    },
    due: async ({ max, nowMs }) =>
      reports()
        .filter(({ report }) => (report.retryAtMs ?? Infinity) <= nowMs)
        .toSorted((a, b) => (a.report.retryAtMs ?? 0) - (b.report.retryAtMs ?? 0))
        .slice(0, max),
    async replace(report, etag) {
      const operation = { kind: "replace", document: report, ifMatch: etag } as const;
      const { kind } = partitions.transact(keyOf(report), [operation]);
      return kind === "committed" ? "replaced" : "superseded";
    },
    list: async ({ max, tenantId }) =>
      reports()
        .map(({ report }) => report)
        .filter((report) => report.tenantId === tenantId && report.outcome?.kind !== "matched")
        .slice(0, max)
        .toSorted((a, b) => a.receivedAtMs - b.receivedAtMs),
  };
}

function keyOf({ tenantId, caseId }: CaseKey): CaseKey {
  return { tenantId, caseId };
}
