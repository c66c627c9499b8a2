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

type ReconcilePorts = Pick<TurnPorts, "cases" | "hints" | "book" | "log">;

export async function reconcileEffects(
  ports: ReconcilePorts,
  documents: readonly unknown[],
): Promise<ReconcileResult> {
  const result: ReconcileResult = { cases: 0, hinted: 0, alerts: 0, failed: 0 };
  for (const key of changedCases(documents)) {
    result.cases += 1;
    try {
      await reconcileCase(ports, key, result);
    } catch (error) {
      // Parked, not thrown: a throw would lose the whole batch. The sweep looks at the same case by its due time.
      result.failed += 1;
      const why = error instanceof Error ? error.name : "unknown";
      ports.log.error("a changed case could not be reconciled", { caseKey: caseKeyText(key), why });
    }
  }
  return result;
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
): Promise<void> {
  const { snapshot, storeMs, caseEtag } = await ports.cases.read(key);
  // Without the documents that newer code wrote, anything would look broken.
  for (const broken of snapshot.newerSchema ? [] : brokenInvariants(snapshot)) {
    result.alerts += 1;
    ports.log.error("ALERT: an invariant of the ledger is broken", {
      caseKey: caseKeyText(key),
      why: broken,
    });
  }
  const step = next(snapshot, ports.book, { nowMs: storeMs });
  if (!isWork(step)) return;
  const hintId = hintIdOf(key, "reconcile", caseEtag ?? "", step.kind);
  await ports.hints.send("cases", { ...key, hintId, reason: `reconcile: ${step.kind}` });
  result.hinted += 1;
}

/** What no path of the code can produce: shown at once if it ever is. */
function brokenInvariants(snapshot: Snapshot): string[] {
  const record = snapshot.case;
  if (record === undefined) return snapshot.effects.length > 0 ? ["effects without a case"] : [];
  const broken: string[] = [];
  for (const effect of snapshot.effects) {
    const basis = effect.decidedOn ?? effect.justifiedBy ?? 0;
    if (basis > record.version) broken.push(`${effect.operationId} is ahead of its case`);
    // Until a person has seen it: the effect itself keeps saying so for good.
    if (effect.contradicted !== undefined && record.contradictionsOpen > 0)
      broken.push(`${effect.operationId} is contradicted`);
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
