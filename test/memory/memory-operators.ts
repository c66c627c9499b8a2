// The operators' queries in memory, over the same documents as the cases; one contract suite holds both.
import { z } from "zod";
import { Approval } from "../../shared/domain/records/approval.ts";
import { ArchivedLetter } from "../../shared/domain/records/archived-letter.ts";
import { OperatorRecord } from "../../shared/domain/records/operator-record.ts";
import { Review } from "../../shared/domain/records/review.ts";
import { decode } from "../../shared/stores/case-documents.ts";
import { pageOf } from "../../shared/stores/cosmos/query-page.ts";
import { startedOf } from "../../shared/stores/cosmos/read-started.ts";
import {
  CaseRow,
  type OperatorStore,
  type PageBounds,
  type PageOf,
} from "../../shared/stores/operator-ports.ts";
import type { MemoryCases } from "./memory-cases.ts";
import { overviewOf } from "./memory-overview.ts";
import type { Stored } from "./partitions.ts";

const Held = z.looseObject({ held: z.looseObject({ reason: z.string() }).optional() });
const Workflow = z.looseObject({ workflow: z.looseObject({ type: z.string() }) });

export function memoryOperators(cases: MemoryCases): OperatorStore {
  const all = (tenantId: string, type: string): Stored[] =>
    cases
      .changesSince(0)
      .documents.filter((one) => one["tenantId"] === tenantId && one["type"] === type);

  function page<Row>(
    rows: readonly Stored[],
    bounds: PageBounds & { time: string; order: 1 | -1 },
    read: (row: unknown) => Row | undefined,
  ): PageOf<Row> {
    const { after, max, order, time } = bounds;
    const timeOf = (row: Stored) => Number(row[time]);
    const found = rows
      .filter((row) => after === undefined || (timeOf(row) - after.atMs) * order >= 0)
      .toSorted((a, b) => (timeOf(a) - timeOf(b)) * order)
      .slice(0, max + (after?.seen.length ?? 0) + 1);
    const cut = pageOf(found, { after, max, time });
    const shown = cut.rows.flatMap((row) => read(row) ?? []);
    return cut.next === undefined ? { rows: shown } : { rows: shown, next: cut.next };
  }

  return {
    overview: async (wanted) => overviewOf(cases, wanted),
    async searchCases(wanted) {
      const found = all(wanted.tenantId, "case").filter(
        (row) =>
          (wanted.status === undefined || row["status"] === wanted.status) &&
          (wanted.workflow === undefined ||
            Workflow.parse(row).workflow.type === wanted.workflow) &&
          (wanted.externalRef === undefined ||
            String(row["externalRef"]).startsWith(wanted.externalRef)) &&
          Number(row["openedAtMs"]) < (wanted.openedBeforeMs ?? Infinity) &&
          Number(row["openedAtMs"]) >= (wanted.openedAfterMs ?? 0) &&
          (wanted.held === undefined || (Held.parse(row).held !== undefined) === wanted.held),
      );
      return page(found, { ...wanted, time: "openedAtMs", order: -1 }, caseRow);
    },
    async caseRows(tenantId, caseIds) {
      return all(tenantId, "case")
        .filter(({ caseId }) => caseIds.includes(String(caseId)))
        .map(caseRow);
    },
    async openReviews({ kind, ...bounds }) {
      const open = all(bounds.tenantId, "review").filter(
        (row) => row["kind"] === kind && row["resolution"] === undefined,
      );
      return page(open, { ...bounds, time: "openedAtMs", order: 1 }, (row) => decode(Review, row));
    },
    async openApprovals({ nowMs, ...bounds }) {
      const open = all(bounds.tenantId, "approval").filter(
        (row) => row["answer"] === undefined && Number(row["expiresAtMs"]) > nowMs,
      );
      return page(open, { ...bounds, time: "askedAtMs", order: 1 }, (row) => decode(Approval, row));
    },
    async records(bounds) {
      const found = all(bounds.tenantId, "operatorRecord");
      return page(found, { ...bounds, time: "atMs", order: -1 }, (row) =>
        decode(OperatorRecord, row),
      );
    },
    async startedEffects(max) {
      return cases
        .changesSince(0)
        .documents.filter(({ status, type }) => type === "effect" && status === "started")
        .slice(0, max)
        .map((row) => startedOf(row));
    },
    async recordsOf({ caseId, tenantId }) {
      return all(tenantId, "operatorRecord")
        .filter((row) => row["caseId"] === caseId)
        .flatMap((row) => decode(OperatorRecord, row) ?? []);
    },
    async archiveLetter(letter) {
      if (cases.stored(letter).some(({ id }) => id === letter.id)) return "exists";
      cases.plant(letter, letter);
      return "created";
    },
    async archivedLetters(bounds) {
      const found = all(bounds.tenantId, "deadLetter");
      return page(found, { ...bounds, time: "atMs", order: -1 }, (row) =>
        decode(ArchivedLetter, row),
      );
    },
    async createRecord(record) {
      if (cases.stored(record).some(({ id }) => id === record.id)) return "exists";
      cases.plant(record, record);
      return "created";
    },
    async finishRecord(record) {
      const stored = cases.stored(record).find(({ id }) => id === record.id);
      const known = stored && decode(OperatorRecord, stored);
      if (known === undefined || known.outcome.kind === "done") return;
      const finished: OperatorRecord = { ...known, outcome: record.outcome };
      cases.plant(record, finished);
    },
  };
}

function caseRow(row: unknown): CaseRow {
  const { plan, ...rest } = z
    .looseObject({ plan: z.looseObject({ decidedOn: z.int() }).optional() })
    .parse(row);
  return CaseRow.parse(plan === undefined ? rest : { ...rest, decidedOn: plan.decidedOn });
}
