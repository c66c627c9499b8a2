// One case in time: what arrived, what was asked, tried, learned, held and told, in one list, each entry in its lane.
//
// A picture draws the lanes; a table reads the list. Times are the store's, as the records have them, so an entry never stands
// before what caused it; only what people asked for carries the clock of the worker that took it.
import { z } from "zod";
import type { CaseKey } from "../../../domain/identity.ts";
import type { Approval } from "../../../domain/records/approval.ts";
import type { Effect } from "../../../domain/records/effect.ts";
import type { Event } from "../../../domain/records/inbox.ts";
import type { OperatorRecord } from "../../../domain/records/operator-record.ts";
import type { LogEntry, Review } from "../../../domain/records/review.ts";
import type { OperatorStore } from "../../../stores/operator-ports.ts";
import type { CaseStore } from "../../../stores/ports.ts";
import { CaseId, getRoute, Tenant } from "../route.ts";
import type { Reply } from "../serve.ts";
import { ShownEffect, showEffect, showFinding, type ShownFinding } from "../shown.ts";
import { noSuchCase } from "./show-case.ts";

const lanes = [
  "event",
  "case",
  "approval",
  "effect",
  "attempt",
  "finding",
  "review",
  "operator",
] as const;

const Entry = z.object({
  lane: z.enum(lanes),
  atMs: z.int(),
  untilMs: z.int().optional().describe("When it ended; absent while it lasts, and for a moment."),
  subject: z.string().describe('An operation id, or "case".'),
  what: z.string(),
  by: z.string().optional(),
  outcome: z.string().optional(),
  id: z.string().describe("The document that says so."),
});
type Entry = z.infer<typeof Entry>;

const TimeLine = z.object({
  case: z.object({
    tenantId: z.string(),
    caseId: z.string(),
    externalRef: z.string(),
    workflow: z.string().optional(),
    status: z.string(),
    version: z.int(),
    held: z.string().optional(),
    dueAtMs: z.int().optional(),
    facts: z.record(z.string(), z.unknown()).optional(),
  }),
  /** The store's clock when this was read. */
  storeMs: z.int().optional(),
  effects: z.array(ShownEffect),
  entries: z.array(Entry),
});

export const showTimeLineRoute = getRoute({
  name: "show-time-line",
  path: "cases/{tenant}/{case}/timeline",
  summary: "One case in time: effects, attempts, findings, approvals, reviews and its log.",
  role: "reader",
  params: z.strictObject({ tenant: Tenant, case: CaseId }),
  answer: { schema: TimeLine, says: "Entries in the order of time, each in its lane." },
  problems: [404],
});

export async function showTimeLine(
  ports: { cases: CaseStore; operators: OperatorStore },
  key: CaseKey,
  mayReadContent: boolean,
): Promise<Reply<z.infer<typeof TimeLine>>> {
  const [history, records] = await Promise.all([
    ports.cases.history(key),
    ports.operators.recordsOf(key),
  ]);
  if (history === undefined) return noSuchCase;
  const { log, snapshot, storeMs } = history;
  const record = snapshot.case;
  const entries = [
    ...snapshot.events.map(ofEvent),
    ...log.map(ofLog),
    ...snapshot.approvals.map(ofApproval),
    ...snapshot.effects.flatMap(ofEffect),
    ...snapshot.findings.map((finding) => ofFinding(finding.operationId, showFinding(finding))),
    ...snapshot.reviews.map(ofReview),
    ...records.map(ofRecord),
  ].toSorted(inTime);
  const body = {
    case: {
      ...key,
      externalRef: record?.externalRef ?? snapshot.events[0]?.externalRef ?? "",
      status: record?.status ?? "recorded",
      version: record?.version ?? 0,
      ...(record === undefined ? {} : { workflow: record.workflow.type }),
      ...(record?.held === undefined ? {} : { held: record.held.reason }),
      ...(record?.dueAtMs === undefined ? {} : { dueAtMs: record.dueAtMs }),
      ...(mayReadContent && record !== undefined ? { facts: record.facts } : {}),
    },
    ...(storeMs === undefined ? {} : { storeMs }),
    effects: snapshot.effects.map((effect) => showEffect(effect, mayReadContent)),
    entries,
  };
  return { kind: "done", body };
}

function inTime(a: Entry, b: Entry): number {
  return a.atMs - b.atMs || lanes.indexOf(a.lane) - lanes.indexOf(b.lane);
}

function ofEvent({ eventType, folded, id, receivedAtMs, requestedBy, source }: Event): Entry {
  return {
    lane: "event",
    atMs: receivedAtMs,
    subject: "case",
    what: `${eventType} arrived`,
    by: requestedBy ?? `source:${source}`,
    id,
    ...(folded === undefined
      ? { outcome: "not folded yet" }
      : { untilMs: folded.atMs, outcome: `${folded.how}, v${folded.version}` }),
  };
}

function ofLog({ atMs, by, did, fence, id, status, version }: LogEntry): Entry {
  const what = did.join("; ") || "nothing to tell";
  return {
    lane: "case",
    atMs,
    subject: "case",
    what,
    by,
    outcome: `${status}, v${version}, fence ${fence}`,
    id,
  };
}

function ofApproval({ action, answer, askedAtMs, expiresAtMs, id, operationId }: Approval): Entry {
  return {
    lane: "approval",
    atMs: askedAtMs,
    untilMs: answer?.atMs ?? expiresAtMs,
    subject: operationId,
    what: `approval of ${action}`,
    id,
    ...(answer === undefined
      ? { outcome: "not answered" }
      : { by: answer.by, outcome: answer.decision === "approve" ? "approved" : "refused" }),
  };
}

function ofEffect(effect: Effect): Entry[] {
  const { action, attempts, id, operationId } = effect;
  const tried = attempts.map(({ claimedAtMs, deadlineMs, end, fence, n }): Entry => {
    const untilMs = end?.atMs ?? deadlineMs;
    return {
      lane: "attempt",
      atMs: claimedAtMs,
      ...(untilMs === undefined ? {} : { untilMs }),
      subject: operationId,
      what: `attempt ${n} of ${action}, fence ${fence}`,
      outcome: end === undefined ? "under way" : [end.kind, end.reason].filter(Boolean).join(": "),
      id,
    };
  });
  const settledAtMs = settledAtMsOf(effect);
  if (settledAtMs === undefined) return tried;
  const settled: Entry = {
    lane: "effect",
    atMs: settledAtMs,
    subject: operationId,
    what: `${action} is ${effect.status}`,
    ...("reason" in effect && effect.reason !== undefined ? { outcome: effect.reason } : {}),
    ...("settledBy" in effect ? { by: effect.settledBy } : {}),
    id,
  };
  return [...tried, settled];
}

function settledAtMsOf(effect: Effect): number | undefined {
  switch (effect.status) {
    case "confirmed":
    case "rejected":
    case "cancelled":
      return effect.settledAtMs;
    case "unknown":
      return effect.unknownSinceMs;
    case "prepared":
    case "started":
      return undefined;
  }
}

function ofFinding(
  subject: string,
  { by, foundAtMs, id, kind, says, verdict }: ShownFinding,
): Entry {
  const outcome = verdict ?? "not folded yet";
  return { lane: "finding", atMs: foundAtMs, subject, what: `${kind}: ${says}`, by, outcome, id };
}

function ofReview({ id, kind, openedAtMs, resolution, subject, why }: Review): Entry {
  return {
    lane: "review",
    atMs: openedAtMs,
    subject,
    what: `${kind}: ${why}`,
    id,
    ...(resolution === undefined
      ? { outcome: "open" }
      : { untilMs: resolution.atMs, by: resolution.by, outcome: resolution.how }),
  };
}

function ofRecord({ action, atMs, by, id, outcome, reason, subject }: OperatorRecord): Entry {
  const why = reason === undefined ? "" : `: ${reason}`;
  const told = outcome.detail === undefined ? outcome.kind : `${outcome.kind}: ${outcome.detail}`;
  return { lane: "operator", atMs, subject, what: `${action}${why}`, by, outcome: told, id };
}
