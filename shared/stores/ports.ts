// What the flows need of the stores and the broker: plain words in, plain words out.
//
// Two implementations pass one contract suite: Cosmos DB with Service Bus, and memory (tests and simulation).
// `storeMs` is the store's own clock as the answer's `date` header gave it (whole seconds); undefined when there
// was none: then every call counts as still running.
import type { CaseKey } from "../domain/identity.ts";
import type { Approval, ApprovalAnswer } from "../domain/records/approval.ts";
import type { Checkpoint } from "../domain/records/checkpoint.ts";
import type { Finding } from "../domain/records/evidence.ts";
import type { Grant } from "../domain/records/grant.ts";
import type { Event, Refusal } from "../domain/records/inbox.ts";
import type { Payload } from "../domain/records/payload.ts";
import type { Drain } from "../domain/records/drain.ts";
import type { Report } from "../domain/records/report.ts";
import type { OperatorRecord } from "../domain/records/operator-record.ts";
import type { LogEntry } from "../domain/records/review.ts";
import type { CaseDocument, Snapshot } from "../domain/records/snapshot.ts";

export interface SnapshotRead {
  snapshot: Snapshot;
  /** Undefined while there is no case document. */
  caseEtag: string | undefined;
  storeMs: number | undefined;
}

/**
 * One transaction in one partition. Its first operation creates `log`, whose id is the batch's own name; the case
 * document follows, created when `caseEtag` is undefined and else replaced under it; then the rest.
 */
export interface Batch {
  key: CaseKey;
  log: LogEntry;
  caseEtag: string | undefined;
  /** Does not hold the case or the log entry. */
  creates: readonly CaseDocument[];
  replaces: readonly (CaseDocument | LogEntry | OperatorRecord)[];
  caseDocument: CaseDocument;
  /** Members set on documents that end by themselves: one that is gone already is left out. */
  amends: readonly Amend[];
}

export interface Amend {
  id: string;
  set: Readonly<Record<string, string | number | null>>;
}

/** A document that is kept beside the case: a turn does not read it, and erasing empties it. */
export interface Passing {
  id: string;
  type: "payload" | "checkpoint" | "refusal" | "deadLetter";
}

export type WriteOutcome =
  | { kind: "committed"; caseEtag: string; storeMs: number | undefined }
  /** The log entry is there already: this very batch has landed before. */
  | { kind: "alreadyWritten" }
  /** Somebody else wrote the case first: this batch can never land. */
  | { kind: "superseded" }
  /** It may have landed, or may land yet: send the same batch again to know. */
  | { kind: "uncertain"; cause: unknown; retryAfterMs?: number };

export interface CaseHead {
  caseEtag: string | undefined;
  lastWriteId: string | undefined;
  /** Ids of events and findings that nobody has folded. */
  unfolded: readonly string[];
  storeMs: number | undefined;
}

export type Created = "created" | "exists" | "uncertain";

export type Answered =
  | { kind: "answered" }
  /** The first answer stands. */
  | { kind: "answeredBefore"; approval: Approval }
  | { kind: "missing" };

/** What is due: who must be woken, and whether a call of theirs has outlived its deadline. */
export interface DueCase extends CaseKey {
  /** The document that is due. */
  documentId: string;
  dueAtMs: number;
  hasClaim: boolean;
}

/** An effect that nobody can prove, or a review that nobody has resolved. */
export interface Unresolved extends CaseKey {
  kind: "unknown" | "review";
  sinceMs: number;
  /** Given up by a person: it stays unknown. */
  abandoned: boolean;
}

export interface CaseHistory {
  snapshot: Snapshot;
  /** Everything that was ever folded or resolved, too. */
  log: readonly LogEntry[];
  storeMs: number | undefined;
}

export interface CaseStore {
  /** The case, all its effects, what is unfolded and which reviews are open: consistent with `caseEtag`. */
  read(key: CaseKey): Promise<SnapshotRead>;
  /** One small in-partition query: the send gate, the look before a decide or commit, an uncertain write. */
  head(key: CaseKey): Promise<CaseHead>;
  write(batch: Batch): Promise<WriteOutcome>;
  createFinding(finding: Finding): Promise<Created>;
  createEvent(event: Event): Promise<Created>;
  readEvent(key: CaseKey, id: string): Promise<Event | undefined>;
  /** The first answer wins; the same answer told again is the same. */
  answerApproval(key: CaseKey, request: { id: string; answer: ApprovalAnswer }): Promise<Answered>;
  createRefusal(refusal: Refusal): Promise<Created>;
  /** Undefined when there is none; throws a fault when it cannot be read, whatever the reason. */
  readCheckpoint(key: CaseKey, id: string): Promise<Checkpoint | undefined>;
  /** Never touches the case's ETag. */
  createCheckpoint(checkpoint: Checkpoint): Promise<Created>;
  /** Undefined when there is none any more; a TerminalFault when what is there cannot be read. */
  readPayload(key: CaseKey, id: string): Promise<Payload | undefined>;
  /** What is kept beside a case, for whoever erases it. */
  passing(key: CaseKey): Promise<Passing[]>;
  /** Case, unfolded event and finding documents whose `dueAtMs` has passed, from that end on. */
  due(options: { nowMs: number; max: number; from: "oldest" | "newest" }): Promise<DueCase[]>;
  /** In all cases, at most so many, in no order. */
  unresolved(options: { max: number }): Promise<Unresolved[]>;
  /** Cases of a tenant in which an effect of this action waits for a grant. */
  heldForGrant(options: { tenantId: string; action: string }): Promise<CaseKey[]>;
  /** Everything of one case, folded and resolved included; undefined when there is none. */
  history(key: CaseKey): Promise<CaseHistory | undefined>;
}

/** An effect that a provider's key leads to. */
export type KeyedEffect = CaseKey & { operationId: string };

/** Providers' own webhooks that named no effect yet. */
export interface ReportStore {
  /** Within the tenant, whatever the case: one as a rule, never many. */
  effectsByProviderKey(options: {
    tenantId: string;
    provider: string;
    providerKey: string;
  }): Promise<KeyedEffect[]>;
  create(report: Report): Promise<Created>;
  /** Those whose `retryAtMs` has passed, oldest first. */
  due(options: { nowMs: number; max: number }): Promise<{ report: Report; etag: string }[]>;
  replace(report: Report, etag: string): Promise<"replaced" | "superseded" | "uncertain">;
  /** Of one tenant, some of those that named no effect, or have not yet: all where they are no more than `max`; oldest first. */
  list(options: { tenantId: string; max: number }): Promise<Report[]>;
}

export interface GrantStore {
  /** Grants of this subject and action in the tenant; a few seconds old, unless `fresh`. */
  candidates(options: {
    tenantId: string;
    subject: string;
    action: string;
    fresh?: boolean;
  }): Promise<Grant[]>;
  /** Read now, for the send gate. */
  read(tenantId: string, grantId: string): Promise<Grant | undefined>;
}

/** For those who give and take back; a turn only reads. */
export interface GrantRegister extends GrantStore {
  list(tenantId: string): Promise<Grant[]>;
  create(grant: Grant): Promise<Created>;
  /** Revoked stays revoked: the first one who did it, and why, stand. */
  revoke(
    tenantId: string,
    grantId: string,
    revoked: NonNullable<Grant["revoked"]>,
  ): Promise<"revoked" | "revokedBefore" | "missing">;
}

export interface Control {
  draining: boolean;
  caseIdKeyFingerprint: string | undefined;
  storeMs: number | undefined;
}

export interface ControlStore {
  /** The one control document; defaults when there is none. */
  read(): Promise<Control>;
  /** Writes the fingerprint when there is none yet; returns the one that stands. */
  pinCaseIdKey(fingerprint: string): Promise<string>;
}

/** A drain that is on: who wanted it, why, and since when by the store's clock. */
/** For those who start and stop a drain; a turn only reads the flag. */
export interface ControlRegister extends ControlStore {
  /** Read now. A drain that was begun without words is one, too. */
  readDrain(): Promise<{
    draining: boolean;
    drain: Drain | undefined;
    storeMs: number | undefined;
  }>;
  /** The first one who did it, and why, stand. */
  startDrain(asked: Omit<Drain, "sinceMs">): Promise<"started" | "startedBefore">;
  stopDrain(): Promise<"stopped" | "stoppedBefore">;
}

/** The whole of a message: look at this case. */
export interface Hint extends CaseKey {
  /** The message id, for duplicate detection: deterministic where a duplicate may be dropped. */
  hintId: string;
  reason: string;
  /** How often this look was put off by an outage. */
  tries?: number;
  /** W3C trace context of whoever sent it. */
  traceparent?: string;
}

export type QueueName = "cases" | "reviews";

export interface HintQueue {
  send(queue: QueueName, hint: Hint): Promise<void>;
  /** Delivered no earlier than `atMs` by the broker's clock. */
  schedule(queue: QueueName, hint: Hint, atMs: number): Promise<ScheduledHint>;
}

export interface ScheduledHint {
  /** Never rejects: one that is on its way already, or cannot be taken back, comes and finds nothing to do. */
  cancel(): Promise<void>;
}
