// What operators look for across the cases of a tenant, and the record of what they did: container `cases`, by the first
// part of its key. Every condition and order here has its path in the indexing policy (infra/entities.json).
import type { Container, SqlParameter } from "@azure/cosmos";
import type { z } from "zod";
import type { CaseKey } from "../domain/identity.ts";
import { TransientFault } from "../domain/faults.ts";
import { Approval } from "../domain/records/approval.ts";
import { ArchivedLetter } from "../domain/records/archived-letter.ts";
import { OperatorRecord } from "../domain/records/operator-record.ts";
import { Review } from "../domain/records/review.ts";
import { decode } from "./case-documents.ts";
import { failureOf, refusalOf } from "./cosmos/answers.ts";
import { createOnce } from "./cosmos/create-once.ts";
import { queryPage, type PageQuery, type RowsPage } from "./cosmos/query-page.ts";
import { idsOf, partitionOf, queryPages } from "./cosmos/query-pages.ts";
import { readDocument } from "./cosmos/read-document.ts";
import { readOverview } from "./cosmos/read-overview.ts";
import { withinBudget, type Source } from "./cosmos/source.ts";
import { readStarted } from "./cosmos/read-started.ts";
import {
  CaseRow,
  type CaseSearch,
  type OperatorStore,
  type PageBounds,
  type PageOf,
} from "./operator-ports.ts";

const caseColumns = `c.id, c.tenantId, c.caseId, c.externalRef, c.workflow, c.status, c.version, c.held,
  c.contradictionsOpen, c.openedAtMs, c.dueAtMs, c.erased, c.plan.decidedOn`;

export function cosmosOperators(
  container: Container,
  options: Omit<Source, "container"> = {},
): OperatorStore {
  const source: Source = { ...options, container };
  return {
    overview: (wanted) => readOverview(source, wanted),
    searchCases: async (wanted) =>
      rowsOf(await queryPage(source, caseQuery(wanted)), (row) => CaseRow.parse(row)),
    caseRows: (tenantId, caseIds) => readCaseRows(source, tenantId, caseIds),
    openReviews: async ({ kind, ...bounds }) =>
      rowsOf(
        await queryPage(source, {
          ...bounds,
          select: "*",
          where: `c.type = "review" AND c.kind = @kind AND NOT IS_DEFINED(c.resolution)`,
          parameters: [{ name: "@kind", value: kind }],
          time: "openedAtMs",
          order: "ASC",
          what: "the query for open reviews",
        }),
        decoder(Review),
      ),
    openApprovals: async ({ nowMs, ...bounds }) =>
      rowsOf(
        await queryPage(source, {
          ...bounds,
          select: "*",
          where: `c.type = "approval" AND c.expiresAtMs > @nowMs AND NOT IS_DEFINED(c.answer.answerId)`,
          parameters: [{ name: "@nowMs", value: nowMs }],
          time: "askedAtMs",
          order: "ASC",
          what: "the query for open approvals",
        }),
        decoder(Approval),
      ),
    records: async (bounds) =>
      rowsOf(
        await queryPage(source, {
          ...bounds,
          select: "*",
          where: `c.type = "operatorRecord"`,
          parameters: [],
          time: "atMs",
          order: "DESC",
          what: "the query for operator records",
        }),
        decoder(OperatorRecord),
      ),
    startedEffects: (max) => readStarted(source, max),
    recordsOf: (key) => readRecordsOf(source, key),
    archiveLetter: (letter) => createOnce(source, letter),
    archivedLetters: (bounds) => readArchived(source, bounds),
    createRecord: (record) => createOnce(source, record),
    finishRecord: (record) => finishRecord(source, record),
  };
}

/** A row that newer code wrote is left out: it cannot be shown by this one. */
function decoder<Row extends object>(schema: z.ZodType<Row>): (row: unknown) => Row | undefined {
  return (row) => decode(schema, row);
}

function rowsOf<Row>(page: RowsPage, read: (row: unknown) => Row | undefined): PageOf<Row> {
  const rows = page.rows.flatMap((row) => read(row) ?? []);
  return page.next === undefined ? { rows } : { rows, next: page.next };
}

async function readArchived(source: Source, bounds: PageBounds): Promise<PageOf<ArchivedLetter>> {
  const found = await queryPage(source, {
    ...bounds,
    select: "*",
    where: `c.type = "deadLetter"`,
    parameters: [],
    time: "atMs",
    order: "DESC",
    what: "the query for archived dead letters",
  });
  return rowsOf(found, decoder(ArchivedLetter));
}

function caseQuery(wanted: CaseSearch): PageQuery {
  const conditions = [`c.type = "case"`];
  const parameters: SqlParameter[] = [];
  const where = (condition: string, name: string, value: string | number | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    parameters.push({ name, value });
  };
  where("c.status = @status", "@status", wanted.status);
  where("c.workflow.type = @workflow", "@workflow", wanted.workflow);
  where("STARTSWITH(c.externalRef, @ref)", "@ref", wanted.externalRef);
  where("c.openedAtMs < @before", "@before", wanted.openedBeforeMs);
  where("c.openedAtMs >= @since", "@since", wanted.openedAfterMs);
  if (wanted.held !== undefined) {
    conditions.push(`${wanted.held ? "" : "NOT "}IS_DEFINED(c.held.reason)`);
  }
  return {
    tenantId: wanted.tenantId,
    max: wanted.max,
    after: wanted.after,
    select: caseColumns,
    where: conditions.join(" AND "),
    parameters,
    time: "openedAtMs",
    order: "DESC",
    what: "the search for cases",
  };
}

async function readCaseRows(
  source: Source,
  tenantId: string,
  caseIds: readonly string[],
): Promise<CaseRow[]> {
  if (caseIds.length === 0) return [];
  const query = `SELECT ${caseColumns} FROM c WHERE c.type = "case" AND ARRAY_CONTAINS(@caseIds, c.caseId)`;
  const { pages } = await queryPages(
    source,
    { query, parameters: [{ name: "@caseIds", value: [...new Set(caseIds)] }] },
    { partitionKey: [tenantId], ids: { tenantId }, what: "the query for some cases" },
  );
  return pages.flat().map((row) => CaseRow.parse(row));
}

async function readRecordsOf(source: Source, key: CaseKey): Promise<OperatorRecord[]> {
  const { pages } = await queryPages(
    source,
    { query: `SELECT * FROM c WHERE c.type = "operatorRecord"` },
    { partitionKey: partitionOf(key), ids: idsOf(key), what: "the operator records of a case" },
  );
  return pages.flat().flatMap((row) => decode(OperatorRecord, row) ?? []);
}

/** A replace that went unanswered is no loss: the record still says that it was asked. */
async function finishRecord(source: Source, record: OperatorRecord): Promise<void> {
  const { id } = record;
  const partitionKey = partitionOf(record);
  const ids = { ...idsOf(record), documentId: id };
  const { document, etag } = await readDocument(source, id, { partitionKey, ids });
  const stored = document === undefined ? undefined : decode(OperatorRecord, document);
  if (stored === undefined || stored.outcome.kind === "done" || etag === undefined) return;
  try {
    await source.container
      .item(id, partitionKey)
      .replace(
        { ...stored, outcome: record.outcome },
        { ...withinBudget(source), accessCondition: { type: "IfMatch", condition: etag } },
      );
  } catch (error) {
    if (failureOf(error).status === 412) return;
    throw refusalOf(error, ids) ?? new TransientFault("An outcome could not be recorded.", { ids });
  }
}
