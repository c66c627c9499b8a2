// What a look-up found is folded at once, and kept as a finding in the same batch (design.md 5). Pure.
import { termsAt } from "../decisions/terms.ts";
import { backOffMs, providerBackOffMsMax } from "../decisions/back-off.ts";
import type { Book } from "../definitions.ts";
import { findingIdOf } from "../identity.ts";
import { schemaVersion, type Finding, type LookupVerdict } from "../records/evidence.ts";
import { effectOf, withEffect, withLine, type Snapshot } from "../records/snapshot.ts";
import { foldReceipt } from "./fold-findings.ts";

export interface LookupResult {
  operationId: string;
  /** The store's time before the look-up began. */
  startedAtMs: number;
  verdict: LookupVerdict;
  by: string;
}

export function foldLookup(
  snapshot: Snapshot,
  result: LookupResult,
  options: { book: Book; nowMs: number },
): Snapshot {
  const effect = effectOf(snapshot, result.operationId);
  if (effect.status !== "unknown") return snapshot;
  const { startedAtMs, verdict } = result;
  const { nowMs } = options;
  const count = (effect.lookups?.count ?? 0) + 1;
  const provider = options.book.provider(effect.provider);
  const absence =
    verdict.kind === "absent" && provider !== undefined
      ? { absentStartedAtMs: startedAtMs, absentUnder: termsAt(provider, effect.tenantId) }
      : {};
  const looked = withEffect(withFinding(snapshot, result, { count, nowMs }), {
    ...effect,
    lookups: {
      count,
      lastStartedAtMs: startedAtMs,
      ...absence,
      notBeforeMs:
        nowMs + backOffMs(`look-up:${effect.operationId}`, count + 1, providerBackOffMsMax),
    },
  });
  const told = withLine(looked, `looked up ${effect.action}: ${verdict.kind}`);
  if (verdict.kind !== "found") return told;
  return [verdict.receipt, ...(verdict.others ?? [])].reduce(
    (folded, receipt) => foldReceipt(folded, result.operationId, receipt, options),
    told,
  );
}

function withFinding(
  snapshot: Snapshot,
  result: LookupResult,
  { count, nowMs }: { count: number; nowMs: number },
): Snapshot {
  const { operationId, startedAtMs, verdict, by } = result;
  const finding: Finding = {
    id: findingIdOf(operationId, "lookup", startedAtMs, count),
    type: "finding",
    schemaVersion,
    tenantId: snapshot.tenantId,
    caseId: snapshot.caseId,
    operationId,
    content: { kind: "lookup", startedAtMs, verdict },
    by,
    foundAtMs: nowMs,
    folded: { atMs: nowMs, verdict: verdict.kind },
  };
  return { ...snapshot, findings: [...snapshot.findings, finding] };
}
