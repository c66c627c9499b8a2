// Documents for the store tests: whole and valid, each with what a test wants to see changed.
import { randomUUID } from "node:crypto";
import { caseIdOf, newWriteId, operationIdOf, type CaseKey } from "../../shared/domain/identity.ts";
import type { Case } from "../../shared/domain/records/case.ts";
import type { Checkpoint } from "../../shared/domain/records/checkpoint.ts";
import type { EffectOf } from "../../shared/domain/records/effect.ts";
import { schemaVersion, type Finding } from "../../shared/domain/records/evidence.ts";
import type { Event, Refusal } from "../../shared/domain/records/inbox.ts";
import type { Payload } from "../../shared/domain/records/payload.ts";
import type { Report } from "../../shared/domain/records/report.ts";
import type { Review } from "../../shared/domain/records/review.ts";
import type { Batch, CaseStore } from "../../shared/stores/ports.ts";

export function newCaseKey(): CaseKey {
  const tenantId = `tenant-${randomUUID().slice(0, 8)}`;
  return {
    tenantId,
    caseId: caseIdOf(Buffer.from("key of the store tests"), tenantId, randomUUID()),
  };
}

export function aCase(key: CaseKey, change: Partial<Case> = {}): Case {
  return {
    id: "case",
    type: "case",
    schemaVersion,
    ...key,
    externalRef: "INV-7",
    workflow: { type: "invoice-exception", revision: 1 },
    facts: { amount: "12.50" },
    factsDigest: "0".repeat(64),
    status: "open",
    version: 0,
    fence: 0,
    decisionsWithoutProgress: 0,
    contradictionsOpen: 0,
    reviewCount: 0,
    orderKeys: {},
    openedAtMs: 1_800_000_000_000,
    lastWriteId: "",
    ...change,
  };
}

export function anEffect(
  key: CaseKey,
  change: Partial<EffectOf<"prepared">> = {},
): EffectOf<"prepared"> {
  const ordinal = change.ordinal ?? 0;
  const action = "portal.request_credit_note.v1";
  const operationId = operationIdOf(key, { origin: "plan", basis: 1, action, ordinal });
  return {
    id: `effect:${operationId}`,
    type: "effect",
    schemaVersion,
    ...key,
    operationId,
    action,
    target: "supplier-1",
    provider: "supplier-portal",
    account: "main",
    apiVersion: "v1",
    contractRevision: 1,
    payload: { amount: "12.50" },
    payloadDigest: "0".repeat(64),
    origin: "plan",
    decidedOn: 1,
    ordinal,
    attempts: [],
    mayHaveLeft: false,
    status: "prepared",
    ...change,
  };
}

export function anEvent(key: CaseKey, change: Partial<Event> = {}): Event {
  const eventId = randomUUID();
  return {
    id: `event:erp:${eventId}`,
    type: "event",
    schemaVersion,
    ...key,
    source: "erp",
    eventId,
    eventType: "invoice.flagged",
    workflow: "invoice-exception",
    externalRef: "INV-7",
    body: { amount: "12.50" },
    digest: "0".repeat(64),
    orderKey: "2026-11-29T00:00:00Z",
    receivedAtMs: 1_800_000_000_000,
    dueAtMs: 1_800_000_030_000,
    ...change,
  };
}

export function aFinding(key: CaseKey, change: Partial<Finding> = {}): Finding {
  const { operationId } = anEffect(key);
  return {
    id: `finding:${operationId}:${newWriteId()}`,
    type: "finding",
    schemaVersion,
    ...key,
    operationId,
    content: { kind: "statement", statement: { kind: "abandon" }, reason: "looked twice" },
    by: "ana",
    foundAtMs: 1_800_000_000_000,
    ...change,
  };
}

export function aReview(key: CaseKey, change: Partial<Review> = {}): Review {
  return {
    id: "review:case:1",
    type: "review",
    schemaVersion,
    ...key,
    subject: "case",
    kind: "CaseHeld",
    why: "a test",
    consequence: "none",
    caseVersion: 1,
    openedAtMs: 1_800_000_000_000,
    ...change,
  };
}

export function aRefusal(key: CaseKey): Refusal {
  const eventId = randomUUID();
  return {
    id: `refusal:erp:${eventId}`,
    type: "refusal",
    schemaVersion,
    ...key,
    source: "erp",
    eventId,
    status: 409,
    why: "another body under the same id",
    bodyDigest: "0".repeat(64),
    bodyBytes: 12,
    receivedAtMs: 1_800_000_000_000,
    ttl: 3600,
  };
}

export function aCheckpoint(key: CaseKey): Checkpoint {
  return {
    id: "checkpoint:1:proposal",
    type: "checkpoint",
    schemaVersion,
    ...key,
    version: 1,
    name: "proposal",
    workflow: { type: "invoice-exception", revision: 1 },
    value: { amount: "12.50", lines: [1, null] },
    ttl: 3600,
  };
}

export function aPayload(key: CaseKey, ordinal = 0): Payload {
  const { operationId } = anEffect(key, { ordinal });
  return {
    id: `payload:${operationId}`,
    type: "payload",
    schemaVersion,
    ...key,
    operationId,
    keyId: "2026-11",
    nonce: Buffer.alloc(12, 1).toString("base64"),
    ciphertext: Buffer.alloc(40, 2).toString("base64"),
  };
}

/** A batch with its own name; without an ETag it opens the case. */
export function aBatch(
  key: CaseKey,
  change: Partial<Pick<Batch, "caseEtag" | "creates" | "replaces" | "amends">> & {
    caseDocument?: Case;
    atMs?: number;
  } = {},
): Batch & { caseDocument: Case } {
  const { atMs = 1_800_000_000_000, caseDocument = aCase(key), caseEtag } = change;
  const writeId = newWriteId();
  return {
    key,
    log: {
      id: `log:${writeId}`,
      type: "log",
      schemaVersion,
      ...key,
      atMs,
      by: "worker-1",
      fence: 0,
      version: caseDocument.version,
      status: caseDocument.status,
      did: ["tested"],
    },
    caseEtag,
    caseDocument: { ...caseDocument, lastWriteId: writeId },
    creates: change.creates ?? [],
    replaces: change.replaces ?? [],
    amends: change.amends ?? [],
  };
}

export function aReport(tenantId: string, change: Partial<Report> = {}): Report {
  const eventId = randomUUID();
  return {
    id: `report:portal-hooks:${eventId}:${"0".repeat(64)}`,
    type: "report",
    schemaVersion,
    tenantId,
    caseId: "reports",
    provider: "supplier-portal",
    source: "portal-hooks",
    eventId,
    bodyDigest: "0".repeat(64),
    about: { kind: "providerKey", providerKey: "the-key" },
    providerId: "cn-1",
    stage: "delivered",
    receivedAtMs: 1_800_000_000_000,
    looks: 1,
    retryAtMs: 1_800_000_015_000,
    ...change,
  };
}

export async function committed(store: CaseStore, batch: Batch): Promise<string> {
  const outcome = await store.write(batch);
  if (outcome.kind !== "committed") throw new Error(`the batch was ${outcome.kind}`);
  return outcome.caseEtag;
}
