// The batch that a draft makes: the documents that differ from the base by identity, the case under its ETag, and a log entry that
// names the batch (design.md 1, 6).
import { payloadTtlSeconds } from "../../domain/records/payload.ts";
import { schemaVersion } from "../../domain/records/evidence.ts";
import { caseOf, documentsOf } from "../../domain/records/snapshot.ts";
import { endedPayloads } from "../../domain/transitions/payload-life.ts";
import type { Batch } from "../../stores/ports.ts";
import type { Turn, TurnPorts } from "./turn.ts";

const documentsMax = 50;
const bytesMax = 512 * 1024;

export function batchOf(ports: TurnPorts, turn: Turn, writeId: string, nowMs: number): Batch {
  const before = new Map(documentsOf(turn.base).map((document) => [document.id, document]));
  const changed = documentsOf(turn.draft).filter(
    (document) => document.type !== "case" && before.get(document.id) !== document,
  );
  const record = caseOf(turn.draft);
  return {
    key: turn.key,
    caseEtag: turn.caseEtag,
    caseDocument: record,
    creates: changed.filter((document) => !before.has(document.id)),
    replaces: changed.filter((document) => before.has(document.id)),
    amends: endedPayloads(turn.base, turn.draft).map((id) => ({
      id,
      set: { ttl: payloadTtlSeconds },
    })),
    log: {
      id: `log:${writeId}`,
      type: "log",
      schemaVersion,
      tenantId: turn.key.tenantId,
      caseId: turn.key.caseId,
      atMs: nowMs,
      by: ports.workerId,
      fence: record.fence,
      version: record.version,
      status: record.status,
      did: [...turn.draft.did],
    },
  };
}

/** Whether one more step might exceed a transaction (100 documents, 2 MB). Each step adds well below half of that. */
export function isNearlyFull(turn: Turn): boolean {
  const before = new Set(documentsOf(turn.base));
  const changed = documentsOf(turn.draft).filter((document) => !before.has(document));
  const bytes = changed.reduce((sum, document) => sum + bytesOf(document), 0);
  const count = changed.length + endedPayloads(turn.base, turn.draft).length;
  return count > documentsMax || bytes > bytesMax;
}

/** Documents are never mutated, so each is measured once. */
const measured = new WeakMap<object, number>();

function bytesOf(document: object): number {
  const known = measured.get(document) ?? Buffer.byteLength(JSON.stringify(document));
  measured.set(document, known);
  return known;
}
