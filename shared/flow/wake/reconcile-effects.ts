// Reads the change feed: for each changed case it asks `next` whether somebody must act, and hints or alerts (design.md 7).
//
// The feed shows only the latest version of a document, may repeat, and loses a batch when its reader throws. So nothing
// depends on it: each changed case is read afresh, and one bad document neither throws nor stops the others. It writes
// nothing, so it cannot wake itself.
//
// A case with a call in flight is not read: until the call's due time there is nothing to do. Whatever ends the call, its own
// worker or the sweep, writes the case again and so brings it here again.
import { z } from "zod";
import { next } from "../../domain/decisions/next.ts";
import { isWork } from "../../domain/decisions/step.ts";
import { type CaseKey, caseKeyText, hintIdOf, tenantIdPattern } from "../../domain/identity.ts";
import { basisOf } from "../../domain/records/effect.ts";
import { schemaVersion } from "../../domain/records/evidence.ts";
import { findEffect, type Snapshot } from "../../domain/records/snapshot.ts";
import type { TurnPorts } from "../turn/turn.ts";

export interface ReconcileResult {
  cases: number;
  hinted: number;
  alerts: number;
  failed: number;
}

type ReconcilePorts = Pick<TurnPorts, "cases" | "control" | "hints" | "book" | "log" | "telemetry">;

export async function reconcileEffects(
  ports: ReconcilePorts,
  documents: readonly unknown[],
): Promise<ReconcileResult> {
  const result: ReconcileResult = { cases: 0, hinted: 0, alerts: 0, failed: 0 };
  let storeMsMax = 0;
  for (const { key, changes } of changedCases(documents)) {
    result.cases += 1;
    try {
      const { storeMs: nowMs } = await ports.control.read();
      const storeMs = isInFlight(changes, nowMs) ? nowMs : await reconcileCase(ports, key, result);
      storeMsMax = Math.max(storeMsMax, storeMs ?? 0);
    } catch (error) {
      // A throw would lose the whole batch. The sweep finds this case by its due time.
      result.failed += 1;
      const why = error instanceof Error ? error.name : "unknown";
      ports.log.error("a changed case could not be reconciled", { caseKey: caseKeyText(key), why });
    }
  }
  measureLag(ports, documents, storeMsMax);
  return result;
}

/** Both by the store's clock: now, and when the oldest of these changes was written. */
function measureLag({ telemetry }: ReconcilePorts, documents: readonly unknown[], nowMs: number) {
  const writtenAtS = documents.flatMap((document) => {
    const { _ts } = (document ?? {}) as Record<string, unknown>;
    return typeof _ts === "number" ? [_ts] : [];
  });
  if (writtenAtS.length === 0 || nowMs === 0) return;
  telemetry.measure("countersign.feed.lag", Math.max(0, nowMs / 1000 - Math.min(...writtenAtS)));
}

interface ChangedCase {
  key: CaseKey;
  /** All documents of this case in this batch of the feed. */
  changes: readonly Readonly<Record<string, unknown>>[];
}

const waking = new Set<unknown>(["effect", "event", "finding", "approval"]);

/** Cases of which an effect, an event, a finding or an approval changed. Case documents, log entries and reviews alone wake nobody. */
function changedCases(documents: readonly unknown[]): ChangedCase[] {
  const changed = documents.filter(
    (document): document is Readonly<Record<string, unknown>> =>
      typeof document === "object" && document !== null,
  );
  const byCase = Map.groupBy(changed, ({ tenantId, caseId }) => JSON.stringify([tenantId, caseId]));
  return [...byCase.values()].flatMap((changes) => {
    const { tenantId, caseId } = changes[0] ?? {};
    if (typeof tenantId !== "string" || typeof caseId !== "string") return [];
    if (!tenantIdPattern.test(tenantId)) return [];
    if (!changes.some(({ type }) => waking.has(type))) return [];
    return [{ key: { tenantId, caseId }, changes }];
  });
}

const InFlight = z.object({
  type: z.literal("case"),
  schemaVersion: z.literal(schemaVersion),
  claim: z.object({}),
  dueAtMs: z.number(),
});

/** The last case document of the batch is the case as it stands, or stood a moment ago: the feed shows only the latest version. */
function isInFlight(changes: ChangedCase["changes"], nowMs: number | undefined): boolean {
  const record = InFlight.safeParse(changes.findLast(({ type }) => type === "case")).data;
  if (record === undefined || nowMs === undefined || nowMs >= record.dueAtMs) return false;
  return !changes.some(({ type, folded }) => type === "finding" && folded === undefined);
}

async function reconcileCase(
  ports: ReconcilePorts,
  key: CaseKey,
  result: ReconcileResult,
): Promise<number | undefined> {
  const { snapshot, storeMs, caseEtag } = await ports.cases.read(key);
  // The documents that newer code wrote are missing here, so anything would look broken.
  if (!snapshot.newerSchema) result.alerts += alert(ports, key, snapshot);
  const step = next(snapshot, ports.book, { nowMs: storeMs });
  if (!isWork(step)) return storeMs;
  const hintId = hintIdOf(key, "reconcile", caseEtag ?? "", step.kind);
  await ports.hints.send("cases", { ...key, hintId, reason: `reconcile: ${step.kind}` });
  result.hinted += 1;
  return storeMs;
}

/** Judged from the record as it stands, so an alert is raised even if the worker died right after its write. */
function alert(ports: ReconcilePorts, key: CaseKey, snapshot: Snapshot): number {
  const caseKey = caseKeyText(key);
  const contradicted = openContradictions(snapshot);
  for (const operationId of contradicted) {
    ports.telemetry.count("countersign.effects.contradicted");
    ports.log.error("an effect contradicts its final status", { caseKey, operationId });
  }
  const broken = brokenInvariants(snapshot);
  for (const why of broken) {
    ports.telemetry.count("countersign.invariants.broken");
    ports.log.error("an invariant of the ledger is broken", { caseKey, why });
  }
  return contradicted.length + broken.length;
}

/** While a person has not resolved it. The effect itself keeps its `contradicted` for good. */
function openContradictions({ case: record, effects }: Snapshot): string[] {
  if (record === undefined || record.contradictionsOpen === 0) return [];
  return effects
    .filter(({ contradicted }) => contradicted !== undefined)
    .map(({ operationId }) => operationId);
}

/** What no path of the code can produce; if it is ever there, an alert shows it at once. */
function brokenInvariants(snapshot: Snapshot): string[] {
  const record = snapshot.case;
  if (record === undefined) return snapshot.effects.length > 0 ? ["effects without a case"] : [];
  const broken: string[] = [];
  for (const effect of snapshot.effects) {
    if (basisOf(effect) > record.version) broken.push(`${effect.operationId} is ahead of its case`);
    if (effect.status === "started" && record.claim?.operationId !== effect.operationId) {
      broken.push(`${effect.operationId} is started without the case's claim`);
    }
  }
  for (const operationId of record.plan?.operationIds ?? []) {
    if (findEffect(snapshot, operationId) === undefined)
      broken.push(`${operationId} is planned and has no ledger entry`);
  }
  return broken;
}
