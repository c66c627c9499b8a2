// The change feed's reader: compares what changed with the case, and hints or alerts (design.md 7).
//
// The feed shows the latest version only, may repeat, and loses a batch when its reader throws. So nothing depends on
// it: each changed case is read afresh, the pure decision says whether somebody must act, and one bad document
// neither stops the others nor throws. It writes nothing, so it cannot wake itself.
import { next } from "../../domain/decisions/next.ts";
import { isWork } from "../../domain/decisions/step.ts";
import { type CaseKey, caseKeyText, hintIdOf, tenantIdPattern } from "../../domain/identity.ts";
import type { Effect } from "../../domain/records/effect.ts";
import type { Snapshot } from "../../domain/records/snapshot.ts";
import type { TurnPorts } from "../turn/turn.ts";

export interface ReconcileResult {
  cases: number;
  hinted: number;
  alerts: number;
  failed: number;
}

type ReconcilePorts = Pick<TurnPorts, "cases" | "hints" | "book" | "log" | "telemetry">;

export async function reconcileEffects(
  ports: ReconcilePorts,
  documents: readonly unknown[],
): Promise<ReconcileResult> {
  const result: ReconcileResult = { cases: 0, hinted: 0, alerts: 0, failed: 0 };
  let storeMsMax = 0;
  for (const key of changedCases(documents)) {
    result.cases += 1;
    try {
      const storeMs = await reconcileCase(ports, key, result);
      storeMsMax = Math.max(storeMsMax, storeMs ?? 0);
    } catch (error) {
      // Parked, not thrown: a throw would lose the whole batch. The sweep looks at the same case by its due time.
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

/** Cases of which an effect, an event or a finding changed; our own log lines and reviews wake nobody. */
function changedCases(documents: readonly unknown[]): CaseKey[] {
  const keys = new Map<string, CaseKey>();
  for (const document of documents) {
    if (typeof document !== "object" || document === null) continue;
    const { type, tenantId, caseId } = document as Record<string, unknown>;
    if (type !== "effect" && type !== "event" && type !== "finding" && type !== "approval")
      continue;
    if (typeof tenantId !== "string" || typeof caseId !== "string") continue;
    if (!tenantIdPattern.test(tenantId)) continue;
    keys.set(`${tenantId}:${caseId}`, { tenantId, caseId });
  }
  return [...keys.values()];
}

async function reconcileCase(
  ports: ReconcilePorts,
  key: CaseKey,
  result: ReconcileResult,
): Promise<number | undefined> {
  const { snapshot, storeMs, caseEtag } = await ports.cases.read(key);
  // Without the documents that newer code wrote, anything would look broken.
  if (!snapshot.newerSchema) result.alerts += alert(ports, key, snapshot);
  const step = next(snapshot, ports.book, { nowMs: storeMs });
  if (!isWork(step)) return storeMs;
  const hintId = hintIdOf(key, "reconcile", caseEtag ?? "", step.kind);
  await ports.hints.send("cases", { ...key, hintId, reason: `reconcile: ${step.kind}` });
  result.hinted += 1;
  return storeMs;
}

/** Told of the record as it stands, each time that it changes: a worker that died right after its write hides nothing. */
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

/** Until a person has seen it: the effect itself keeps saying so for good. */
function openContradictions({ case: record, effects }: Snapshot): string[] {
  if (record === undefined || record.contradictionsOpen === 0) return [];
  return effects
    .filter(({ contradicted }) => contradicted !== undefined)
    .map(({ operationId }) => operationId);
}

/** What no path of the code can produce: shown at once if it ever is. */
function brokenInvariants(snapshot: Snapshot): string[] {
  const record = snapshot.case;
  if (record === undefined) return snapshot.effects.length > 0 ? ["effects without a case"] : [];
  const broken: string[] = [];
  for (const effect of snapshot.effects) {
    const basis = effect.decidedOn ?? effect.justifiedBy ?? 0;
    if (basis > record.version) broken.push(`${effect.operationId} is ahead of its case`);
    if (effect.status === "started" && record.claim?.operationId !== effect.operationId) {
      broken.push(`${effect.operationId} is started without the case's claim`);
    }
  }
  const planned = new Map(
    snapshot.effects.map((effect): [string, Effect] => [effect.operationId, effect]),
  );
  for (const operationId of record.plan?.operationIds ?? []) {
    if (!planned.has(operationId)) broken.push(`${operationId} is planned and has no ledger entry`);
  }
  return broken;
}
