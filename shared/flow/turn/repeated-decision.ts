// A version that was decided on twice, because the first decision did not get written in time (design.md 9; seed 1, Break 2). The
// plan that was frozen stands. A decider, above all a model, may decide differently the next time: that is logged and ignored.
import type { Snapshot } from "../../domain/records/snapshot.ts";
import { turnFields, type Turn, type TurnPorts } from "./turn.ts";

export interface Intents {
  version: number;
  /** Operation id and digest of each planned effect. */
  effects: string;
}

/** What this turn decided and could not write; undefined when its plan stands, or when it decided nothing. */
export function lostIntents({ base, draft }: Turn): Intents | undefined {
  const decidedOn = draft.case?.plan?.decidedOn;
  if (decidedOn === undefined || base.case?.plan?.decidedOn === decidedOn) return undefined;
  return { version: decidedOn, effects: intentsOf(draft, decidedOn) };
}

/** Warns when the plan that stands differs from what this worker had decided on the same version. */
export function noteDivergence(ports: TurnPorts, turn: Turn, lost: Intents | undefined): void {
  if (lost === undefined) return;
  const frozen = intentsOf(turn.base, lost.version);
  if (frozen === "" || frozen === lost.effects) return;
  ports.log.warn("a repeated decision differs from the one that is frozen, and is ignored", {
    ...turnFields(turn),
    version: lost.version,
  });
}

function intentsOf({ effects }: Snapshot, version: number): string {
  return effects
    .filter((effect) => effect.origin === "plan" && effect.decidedOn === version)
    .map(({ operationId, payloadDigest }) => `${operationId}:${payloadDigest}`)
    .toSorted()
    .join(" ");
}
