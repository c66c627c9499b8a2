// Keeps the end of an attempt when the batch that should have carried it cannot land (design.md 5, end).
//
// The worker was overtaken, so it may settle nothing. It leaves a finding: an unguarded create, which decides nothing until a
// turn folds it. Not-sent and time-out are kept too: an attempt that is known to have ended may be retried after an absence,
// one whose worker may only be frozen may not.
import { TransientFault } from "../../domain/faults.ts";
import { caseKeyText, findingIdOf } from "../../domain/identity.ts";
import { digestOf } from "../../domain/canonical-json.ts";
import { schemaVersion, type Finding } from "../../domain/records/evidence.ts";
import { nowMsOf, turnFields, type Evidence, type Turn, type TurnPorts } from "./turn.ts";

const pausesMs = [50, 200, 1000, 3000];
const graceMs = 15_000;

export async function keepEvidence(ports: TurnPorts, turn: Turn): Promise<void> {
  if (turn.evidence === undefined) return;
  const finding = findingOf(ports, turn, turn.evidence);
  for (const pauseMs of [...pausesMs, undefined]) {
    const created = await ports.at("createFinding", () => ports.cases.createFinding(finding));
    if (created !== "uncertain") {
      turn.evidence = undefined;
      const { operationId } = finding;
      ports.log.info("an attempt's end was kept as a finding", {
        ...turnFields(turn),
        operationId,
      });
      return;
    }
    if (pauseMs !== undefined) await ports.at("pause", () => ports.sleep(pauseMs));
  }
  throw new TransientFault("an attempt's end could not be recorded", {
    ids: { caseKey: caseKeyText(turn.key), operationId: finding.operationId },
  });
}

function findingOf(ports: TurnPorts, turn: Turn, evidence: Evidence): Finding {
  const { operationId, attempt, answer } = evidence;
  const content = { kind: "attemptEnd", attempt, answer } as const;
  const nowMs = nowMsOf(ports, turn) ?? 0;
  return {
    id: findingIdOf(operationId, digestOf(JSON.parse(JSON.stringify(content)), "finding")),
    type: "finding",
    schemaVersion,
    tenantId: turn.key.tenantId,
    caseId: turn.key.caseId,
    operationId,
    content,
    by: ports.workerId,
    foundAtMs: nowMs,
    dueAtMs: nowMs + graceMs,
  };
}
