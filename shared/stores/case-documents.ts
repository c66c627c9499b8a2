// Stored documents become one snapshot: every document read passes its zod schema here, whichever store it is from.
//
// zod decides; what is handed on is the document as it was stored, without the store's own fields. (zod's records
// drop a key named "__proto__", and a frozen payload must come back exactly as its digest saw it.)
// A document that newer code wrote is left out and reported: hands off this case.
import { z } from "zod";
import { TerminalFault } from "../domain/faults.ts";
import type { CaseKey } from "../domain/identity.ts";
import { Approval } from "../domain/records/approval.ts";
import { Case } from "../domain/records/case.ts";
import { basisOf, Effect } from "../domain/records/effect.ts";
import { Finding } from "../domain/records/evidence.ts";
import { Event } from "../domain/records/inbox.ts";
import { LogEntry, Review } from "../domain/records/review.ts";
import { emptySnapshot, type Snapshot } from "../domain/records/snapshot.ts";
import {
  documentSteps,
  upcastDocument,
  type DocumentStep,
  type StoredDocument,
} from "../domain/records/upcast-document.ts";

/** What every document has, and what the store adds to it. */
const Envelope = z.object({
  id: z.string(),
  type: z.string(),
  schemaVersion: z.int(),
  _etag: z.string().optional(),
  _ts: z.int().optional(),
});

const CaseRecord = z.discriminatedUnion("type", [
  Case,
  Effect,
  Event,
  Finding,
  Review,
  Approval,
  LogEntry,
]);
type CaseRecord = z.infer<typeof CaseRecord>;

/** The document in its schema's type, brought forward from an older one; undefined when newer code wrote it. */
export function decode<Document extends object>(
  schema: z.ZodType<Document>,
  document: unknown,
  steps: readonly DocumentStep[] = documentSteps,
): Document | undefined {
  const envelope = Envelope.safeParse(document);
  if (envelope.success && envelope.data.schemaVersion > steps.length + 1) return undefined;
  const current = envelope.success ? forwarded(envelope.data, document, steps) : document;
  const parsed = schema.safeParse(current);
  if (parsed.success) return asStored(parsed.data, current);
  const fields = parsed.error.issues.map((issue) => issue.path.join(".") || "type").join(", ");
  throw new TerminalFault(`A stored document does not fit its schema in: ${fields}.`, {
    ids: envelope.success ? { documentId: envelope.data.id } : {},
  });
}

/** For what is read in bulk, where one bad document must stop no other: undefined also when it does not fit. */
export function readable<Document extends object>(
  schema: z.ZodType<Document>,
  document: unknown,
): Document | undefined {
  try {
    return decode(schema, document);
  } catch (error) {
    if (error instanceof TerminalFault) return undefined;
    throw error;
  }
}

function forwarded(
  { id, schemaVersion: from }: z.infer<typeof Envelope>,
  document: unknown,
  steps: readonly DocumentStep[],
): unknown {
  try {
    return upcastDocument(document as StoredDocument, from, steps);
  } catch {
    // What a step threw may hold what the document holds.
    throw new TerminalFault(`A stored document could not be brought forward from schema ${from}.`, {
      ids: { documentId: id },
    });
  }
}

function asStored<Document extends object>(parsed: Document, document: unknown): Document {
  const known = new Set(Object.keys(parsed));
  const stored = Object.entries(document as object).filter(([field]) => known.has(field));
  return Object.fromEntries(stored) as Document;
}

export interface AssembledCase {
  snapshot: Snapshot;
  caseEtag: string | undefined;
  log: readonly LogEntry[];
}

/** One partition's documents, in any order. */
export function assembleCase(key: CaseKey, documents: readonly unknown[]): AssembledCase {
  const records: CaseRecord[] = [];
  const writtenAtMs: Record<string, number> = {};
  let caseEtag: string | undefined;
  for (const document of documents) {
    const record = decode(CaseRecord, document);
    if (record === undefined) continue;
    records.push(record);
    const { _etag, _ts } = Envelope.parse(document);
    if (record.type === "case") caseEtag = _etag;
    if (record.type === "effect" && _ts !== undefined) writtenAtMs[record.operationId] = _ts * 1000;
  }
  const all = <Type extends CaseRecord["type"]>(type: Type) =>
    records.filter((record): record is Extract<CaseRecord, { type: Type }> => record.type === type);
  const [theCase] = all("case");
  const snapshot: Snapshot = {
    ...emptySnapshot(key),
    ...(theCase === undefined ? {} : { case: theCase }),
    effects: all("effect").toSorted(byDecision),
    events: all("event").toSorted(by((event) => event.receivedAtMs)),
    findings: all("finding").toSorted(by((finding) => finding.foundAtMs)),
    approvals: all("approval").toSorted((a, b) => a.n - b.n),
    reviews: all("review").toSorted(by((review) => review.openedAtMs)),
    writtenAtMs,
    newerSchema: records.length < documents.length,
  };
  return { snapshot, caseEtag, log: all("log").toSorted(inTime) };
}

function byDecision(a: Effect, b: Effect): number {
  return basisOf(a) - basisOf(b) || compareText(a.origin, b.origin) || a.ordinal - b.ordinal;
}

/** By time, and by id where the times are the same: one order for all stores. */
function by<Document extends { id: string }>(timeMs: (document: Document) => number) {
  return (a: Document, b: Document) => timeMs(a) - timeMs(b) || compareText(a.id, b.id);
}

/** Fence and version never fall, so they tell the order that two clocks could not. */
function inTime(a: LogEntry, b: LogEntry): number {
  return a.fence - b.fence || a.version - b.version || a.atMs - b.atMs;
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
