// Asks the decider once. What it throws is an answer too: no message is given back for it (design.md 10).
//
// Only what the decider itself threw is counted against it. What a boundary of the memo threw is this worker's
// trouble, and goes on up, whatever the decider made of it.
import { refusedJustBefore } from "../../domain/decisions/approvals.ts";
import type { DecideContext, Decision, Workflow } from "../../domain/definitions.ts";
import { TerminalFault, TransientFault } from "../../domain/faults.ts";
import { caseOf } from "../../domain/records/snapshot.ts";
import type { DeciderFailure } from "../../domain/transitions/decider-failed.ts";
import { budgetLeftMs, turnFields, type Turn, type TurnPorts } from "../turn/turn.ts";
import { isFault, memo } from "./memo.ts";
import { outcomeOf } from "./outcome.ts";

export type Decided =
  | { kind: "decided"; decision: Decision }
  | { kind: "failed"; failure: DeciderFailure };

export async function decideOnce(
  ports: TurnPorts,
  turn: Turn,
  workflow: Workflow,
): Promise<Decided> {
  const { status, version } = caseOf(turn.draft);
  // Copies: whatever it does to them, the record keeps what its digests were made of.
  const facts = structuredClone(caseOf(turn.draft).facts);
  const effects = structuredClone(turn.draft.effects);
  const refusedBy = refusedJustBefore(turn.draft);
  const view = {
    facts,
    status,
    version,
    effects,
    ...(refusedBy === undefined ? {} : { refusedBy }),
  };
  const broken: unknown[] = [];
  const context = contextOf(watched(ports, broken), turn, workflow);
  const outcome = await ports.at("decide", () => outcomeOf(() => workflow.decide(view, context)));
  if (broken.length > 0) throw broken[0];
  return outcome.kind === "gave"
    ? { kind: "decided", decision: outcome.value }
    : { kind: "failed", failure: failureOf(ports, turn, outcome.error) };
}

/** Remembers what a boundary threw that is no fault of a store. */
function watched(ports: TurnPorts, broken: unknown[]): TurnPorts {
  return {
    ...ports,
    async at(boundary, act) {
      try {
        return await ports.at(boundary, act);
      } catch (error) {
        if (!isFault(error)) broken.push(error);
        throw error;
      }
    },
  };
}

function contextOf(ports: TurnPorts, turn: Turn, workflow: Workflow): DecideContext {
  const used = new Set<string>();
  return {
    async memo(name, schema, compute) {
      // A second step of the name would be given the first one's result.
      if (used.has(name)) throw new TerminalFault("memo name: two steps of one decision share it.");
      used.add(name);
      return memo(ports, turn, { name, schema, compute, workflow });
    },
    get signal() {
      return AbortSignal.timeout(Math.max(1, Math.floor(budgetLeftMs(ports, turn))));
    },
  };
}

/** A fault's message is safe by its own rule; a defect's may hold what it was about: only its name and place are told. */
function failureOf(ports: TurnPorts, turn: Turn, error: unknown): DeciderFailure {
  if (error instanceof TransientFault) {
    ports.log.warn("the decider gave no answer; it is asked again later", {
      ...turnFields(turn),
      why: error.message,
    });
    return { kind: "transient", why: error.message, retryAfterMs: error.retryAfterMs };
  }
  const why = whyOf(error);
  const frames = (error instanceof Error ? (error.stack ?? "") : "").split("\n");
  ports.log.error("the decider threw", {
    ...turnFields(turn),
    why,
    where: frames.find((line) => line.startsWith("    at "))?.trim(),
  });
  return { kind: "defect", why };
}

function whyOf(error: unknown): string {
  if (error instanceof TerminalFault) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
