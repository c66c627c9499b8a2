// What the operators' API asks of the store beyond one case: pages over a tenant, and the record of what people did.
//
// A page goes on where the last one ended: at a time, and past the rows of that very time that were shown. So nothing is
// left out and nothing comes twice, however rows share a time, and no cursor is kept open in the store.
import { z } from "zod";
import type { CaseKey } from "../domain/identity.ts";
import type { Approval } from "../domain/records/approval.ts";
import type { ArchivedLetter } from "../domain/records/archived-letter.ts";
import { Case } from "../domain/records/case.ts";
import type { OperatorRecord } from "../domain/records/operator-record.ts";
import type { Review } from "../domain/records/review.ts";
import type { Created } from "./ports.ts";

export const Position = z.object({
  atMs: z.int(),
  /** Rows of that time that were shown. */
  seen: z.array(z.string().max(400)).max(200),
});
export type Position = z.infer<typeof Position>;

export interface PageOf<Row> {
  rows: readonly Row[];
  /** Absent on the last page. */
  next?: Position;
}

export interface PageBounds {
  tenantId: string;
  max: number;
  after?: Position | undefined;
}

/** The case's own document without what it holds of the business. */
export const CaseRow = Case.pick({
  tenantId: true,
  caseId: true,
  externalRef: true,
  workflow: true,
  status: true,
  version: true,
  held: true,
  contradictionsOpen: true,
  openedAtMs: true,
  dueAtMs: true,
  erased: true,
}).extend({ decidedOn: z.int().optional() });
export type CaseRow = z.infer<typeof CaseRow>;

export interface CaseSearch extends PageBounds {
  status?: string | undefined;
  workflow?: string | undefined;
  /** The beginning of the business reference. */
  externalRef?: string | undefined;
  openedBeforeMs?: number | undefined;
  openedAfterMs?: number | undefined;
  held?: boolean | undefined;
}

/** A call that is on its way, of any tenant. */
export const StartedEffect = z.object({
  tenantId: z.string(),
  caseId: z.string(),
  operationId: z.string(),
  action: z.string(),
  startedAtMs: z.int(),
  callTimeoutMs: z.int(),
});
export type StartedEffect = z.infer<typeof StartedEffect>;

/** How a tenant stands at one moment; `effects` and `confirmedAfterRetry` of what was written since a time. */
export interface Overview {
  openReviews: number;
  heldCases: number;
  openApprovals: number;
  unknown: { count: number; oldestSinceMs?: number };
  effects: Record<string, number>;
  confirmedAfterRetry: number;
  workDue: number;
}

export interface OperatorStore {
  /** At most `max` of all that are started, in no order. */
  startedEffects(max: number): Promise<StartedEffect[]>;
  overview(wanted: { tenantId: string; nowMs: number; sinceMs: number }): Promise<Overview>;
  /** Newest first. */
  searchCases(wanted: CaseSearch): Promise<PageOf<CaseRow>>;
  caseRows(tenantId: string, caseIds: readonly string[]): Promise<CaseRow[]>;
  /** Open ones of these kinds, oldest first. */
  openReviews(wanted: PageBounds & { kind: Review["kind"] }): Promise<PageOf<Review>>;
  /** Unanswered ones that expire after `nowMs`, oldest first. */
  openApprovals(wanted: PageBounds & { nowMs: number }): Promise<PageOf<Approval>>;
  /** Newest first. */
  records(wanted: PageBounds): Promise<PageOf<OperatorRecord>>;
  recordsOf(key: CaseKey): Promise<OperatorRecord[]>;
  /** Its id tells whether it is there already. */
  archiveLetter(letter: ArchivedLetter): Promise<Created>;
  /** Newest first. */
  archivedLetters(wanted: PageBounds): Promise<PageOf<ArchivedLetter>>;
  createRecord(record: OperatorRecord): Promise<Created>;
  /** The outcome of the last time that it was asked; what is done stays done. */
  finishRecord(record: OperatorRecord): Promise<void>;
}
