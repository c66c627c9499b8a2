// Providers' reports in Cosmos DB: in container `cases`, in one partition a tenant, beside the effects that they may mean.
import type { Container } from "@azure/cosmos";
import { z } from "zod";
import { Report } from "../domain/records/report.ts";
import { decode, readable } from "./case-documents.ts";
import { failureOf, refusalOf } from "./cosmos/answers.ts";
import { createOnce } from "./cosmos/create-once.ts";
import { queryPages } from "./cosmos/query-pages.ts";
import { readKeyedEffects } from "./cosmos/read-keyed-effects.ts";
import { withinBudget, type Source } from "./cosmos/source.ts";
import type { ReportStore } from "./ports.ts";

const Stored = z.looseObject({ _etag: z.string() });

export function cosmosReports(
  container: Container,
  options: Omit<Source, "container"> = {},
): ReportStore {
  const source: Source = { ...options, container };
  return {
    effectsByProviderKey: (wanted) => readKeyedEffects(source, wanted),
    create: (report) => createOnce(source, report),
    async due({ max, nowMs }) {
      const query = `SELECT * FROM c WHERE c.type = "report" AND c.retryAtMs <= @nowMs
        ORDER BY c.retryAtMs OFFSET 0 LIMIT ${Math.trunc(max)}`;
      const parameters = [{ name: "@nowMs", value: nowMs }];
      const { pages } = await queryPages(
        { pageSize: max, ...source },
        { query, parameters },
        { what: "the query for reports that are due", ids: {} },
      );
      return pages.flat().flatMap((document) => {
        const report = readable(Report, document);
        return report === undefined ? [] : [{ report, etag: Stored.parse(document)._etag }];
      });
    },
    async replace(report, etag) {
      const { ttl, ...document } = report;
      const { id, tenantId, caseId } = report;
      try {
        await container
          .item(id, [tenantId, caseId])
          .replace(
            { ...document, ...(ttl === undefined ? {} : { ttl }) },
            { ...withinBudget(source), accessCondition: { type: "IfMatch", condition: etag } },
          );
        return "replaced";
      } catch (error) {
        if (failureOf(error).status === 412) return "superseded";
        const refusal = refusalOf(error, { tenantId, caseId, documentId: id });
        if (refusal !== undefined) throw refusal;
        return "uncertain";
      }
    },
    async list({ max, tenantId }) {
      const query = `SELECT * FROM c WHERE c.type = "report"
        AND (NOT IS_DEFINED(c.outcome) OR c.outcome.kind = "unmatched") OFFSET 0 LIMIT ${Math.trunc(max)}`;
      const { pages } = await queryPages(
        source,
        { query },
        { partitionKey: [tenantId], ids: { tenantId }, what: "the list of reports" },
      );
      return pages
        .flat()
        .flatMap((document) => decode(Report, document) ?? [])
        .toSorted((a, b) => a.receivedAtMs - b.receivedAtMs);
    },
  };
}
