// Which effect is a provider's report about? Exactly one, or it is kept and looked for again.
//
// Only the tenant of the source that signed it is looked at, and only effects of that source's provider: a webhook signed for
// one tenant cannot touch another (cases.md 17). What is found gets a finding, which decides nothing until a turn
// folds it; its id is made of the delivery, so that the same delivery is one finding however often it is matched.
import { digestOf } from "../../domain/canonical-json.ts";
import type { Effect } from "../../domain/records/effect.ts";
import { notCompared, schemaVersion, type Finding } from "../../domain/records/evidence.ts";
import type { Report } from "../../domain/records/report.ts";
import { caseKeyText, findingIdOf, hintIdOf, parseCaseKey } from "../../domain/identity.ts";
import { isSameTarget, isSameText } from "../../domain/same-text.ts";
import type { CaseStore, HintQueue, KeyedEffect, ReportStore } from "../../stores/ports.ts";

export interface MatchPorts {
  cases: Pick<CaseStore, "read" | "createFinding">;
  reports: ReportStore;
  hints: HintQueue;
  random(): string;
}

export type Matched =
  | { kind: "matched"; effect: KeyedEffect; duplicate: boolean }
  /** `found`: how many effects it could mean. */
  | { kind: "unmatched"; found: number }
  /** The store did not say whether the finding is there. */
  | { kind: "notKnown" };

const graceMs = 15_000;
const createsMax = 3;

export async function matchReport(ports: MatchPorts, report: Report): Promise<Matched> {
  const candidates = await candidatesOf(ports, report);
  const [candidate] = candidates;
  if (candidate === undefined || candidates.length > 1) {
    return { kind: "unmatched", found: candidates.length };
  }
  const { snapshot } = await ports.cases.read(candidate);
  const effect = snapshot.effects.find(
    ({ operationId, provider }) =>
      operationId === candidate.operationId && provider === report.provider,
  );
  if (effect === undefined) return { kind: "unmatched", found: 0 };
  const isErased = snapshot.case?.erased !== undefined;
  const finding = isErased ? findingOfErased(report, effect) : findingOf(report, effect);
  for (let n = 1; n <= createsMax; n += 1) {
    const created = await ports.cases.createFinding(finding);
    if (created === "uncertain") continue;
    await hint(ports, finding);
    return { kind: "matched", effect: candidate, duplicate: created === "exists" };
  }
  return { kind: "notKnown" };
}

async function candidatesOf(ports: MatchPorts, report: Report): Promise<KeyedEffect[]> {
  const { about, provider, tenantId } = report;
  switch (about.kind) {
    case "operation": {
      const key = parseCaseKey(about.caseKey);
      if (key === undefined || key.tenantId !== tenantId) return [];
      return [{ ...key, operationId: about.operationId }];
    }
    case "providerKey":
      return ports.reports.effectsByProviderKey({
        tenantId,
        provider,
        providerKey: about.providerKey,
      });
  }
}

/** Nothing of what was said of an erased effect may come back, and what is repeated of it can be compared with nothing. */
function findingOfErased(report: Report, effect: Effect): Finding {
  const { echoed = {}, target, ...rest } = report;
  const saysNothing = target === undefined && Object.keys(echoed).length === 0;
  return findingOf(rest, effect, saysNothing ? effect.payloadDigest : notCompared);
}

/** Bound to what the report itself names; what it does not name it cannot contradict. */
function findingOf(
  report: Report,
  effect: Effect,
  payloadDigest = payloadDigestOf(report, effect),
): Finding {
  const { tenantId, caseId, operationId } = effect;
  const { bodyDigest, eventId, providerId, receivedAtMs, source, stage } = report;
  return {
    id: findingIdOf(operationId, "report", source, eventId, bodyDigest),
    type: "finding",
    schemaVersion,
    tenantId,
    caseId,
    operationId,
    content: {
      kind: "providerReport",
      receipt: {
        stage,
        providerId,
        boundTo: { operationId, target: targetOf(report, effect), payloadDigest },
        content: { deliveryId: eventId },
      },
    },
    by: `source:${source}`,
    foundAtMs: receivedAtMs,
    dueAtMs: receivedAtMs + graceMs,
  };
}

/** The effect's own, unless the provider names another. */
function targetOf({ target }: Report, effect: Effect): string {
  return target === undefined || isSameTarget(effect.target, target) ? effect.target : target;
}

/** The effect's own, unless a field of the payload that the provider repeats is another. */
function payloadDigestOf(report: Report, effect: Effect): string {
  const { payload, payloadDigest } = effect;
  const { echoed = {} } = report;
  const repeated = Object.entries(echoed);
  if (repeated.every(([field, said]) => isSameText(said, payload?.[field]))) return payloadDigest;
  // A sensitive one is not decrypted here: what repeats a part of it is for a person to compare.
  if (payload === undefined) return notCompared;
  return digestOf({ ...payload, ...echoed }, "a provider's report");
}

/** The finding is durable and due: a lost hint loses nothing. */
async function hint(ports: MatchPorts, finding: Finding): Promise<void> {
  const { tenantId, caseId } = finding;
  const key = { tenantId, caseId };
  const hintId = hintIdOf(key, finding.id, ports.random());
  await ports.hints
    .send("cases", { ...key, hintId, reason: `report: ${caseKeyText(key)}` })
    .catch(() => {});
}
