// `context.memo`: a decider's expensive step is asked for once per case version, as long as its checkpoint stands.
//
// A checkpoint is an optimisation (seed 1, Break 3): it is restored only through the caller's schema and under the same
// revision and version, and computed again otherwise. It is written outside the case's batch and never touches its ETag. That it
// could not be read or written stops nothing, and is not quiet either.
import type { z } from "zod";
import { assertJson } from "../../domain/canonical-json.ts";
import type { Workflow } from "../../domain/definitions.ts";
import { TerminalFault, TransientFault } from "../../domain/faults.ts";
import {
  type Checkpoint,
  checkpointIdOf,
  checkpointTtlSeconds,
} from "../../domain/records/checkpoint.ts";
import { schemaVersion } from "../../domain/records/evidence.ts";
import { caseOf } from "../../domain/records/snapshot.ts";
import { turnFields, type Turn, type TurnPorts } from "../turn/turn.ts";
import { outcomeOf } from "./outcome.ts";

/** The step's name, and how its result is read back: the schema must accept what it gave before. */
export interface MemoStep<Value> {
  name: string;
  schema: z.ZodType<Value>;
  compute: () => Promise<Value>;
}

type Restored<Value> = { kind: "restored"; value: Value } | { kind: "missing" };

export async function memo<Value>(
  ports: TurnPorts,
  turn: Turn,
  step: MemoStep<Value> & { workflow: Workflow },
): Promise<Value> {
  const id = checkpointIdOf(caseOf(turn.draft).version, step.name);
  const restored = await restore(ports, turn, { ...step, id });
  if (restored.kind === "restored") return restored.value;
  const computed = await ports.at("compute", () => outcomeOf(step.compute));
  if (computed.kind === "threw") throw computed.error;
  const value = step.schema.parse(computed.value);
  assertJson(value, `memo ${step.name}`);
  const json = value as Checkpoint["value"];
  await keep(ports, turn, checkpointOf(turn, { ...step, id, value: json }));
  return value;
}

function checkpointOf(
  turn: Turn,
  made: { id: string; name: string; workflow: Workflow; value: Checkpoint["value"] },
): Checkpoint {
  const { type, revision } = made.workflow;
  return {
    id: made.id,
    type: "checkpoint",
    schemaVersion,
    tenantId: turn.key.tenantId,
    caseId: turn.key.caseId,
    version: caseOf(turn.draft).version,
    name: made.name,
    workflow: { type, revision },
    value: made.value,
    ttl: checkpointTtlSeconds,
  };
}

async function restore<Value>(
  ports: TurnPorts,
  turn: Turn,
  step: MemoStep<Value> & { id: string; workflow: Workflow },
): Promise<Restored<Value>> {
  const again = (why: string): Restored<Value> => {
    ports.log.warn("a checkpoint is not used; its step is computed again", {
      ...turnFields(turn),
      checkpoint: step.id,
      why,
    });
    return { kind: "missing" };
  };
  try {
    const stored = await ports.at("readCheckpoint", () =>
      ports.cases.readCheckpoint(turn.key, step.id),
    );
    if (stored === undefined) return { kind: "missing" };
    const { type, revision } = stored.workflow;
    if (type !== step.workflow.type || revision !== step.workflow.revision) {
      return again(`made by revision ${revision} of ${type}`);
    }
    if (stored.version !== caseOf(turn.draft).version) return again("made for another version");
    const parsed = step.schema.safeParse(stored.value);
    if (!parsed.success) return again("its value does not fit the step's schema");
    return { kind: "restored", value: parsed.data };
  } catch (error) {
    if (!isFault(error)) throw error;
    return again("it could not be read");
  }
}

/** One try: it only saves a call. */
async function keep(ports: TurnPorts, turn: Turn, checkpoint: Checkpoint): Promise<void> {
  try {
    const created = await ports.at("createCheckpoint", () =>
      ports.cases.createCheckpoint(checkpoint),
    );
    if (created !== "uncertain") return;
  } catch (error) {
    if (!isFault(error)) throw error;
  }
  ports.telemetry.count("countersign.checkpoints.failed");
  const fields = { ...turnFields(turn), checkpoint: checkpoint.id };
  ports.log.error("a checkpoint could not be written", fields);
}

export function isFault(error: unknown): boolean {
  return error instanceof TransientFault || error instanceof TerminalFault;
}
