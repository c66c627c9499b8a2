// A decision made twice on one version: what is frozen stands, whatever is decided again (design.md 9, seed 1). A decider, a model
// above all, may say something else the next time; that is logged and ignored, so that somebody can see how often it happens.
import type { Snapshot } from "../../domain/records/snapshot.ts";
import { turnFields, type Turn, type TurnPorts } from "./turn.ts";

export interface Intents {
  version: number;
  /** Operation id and digest of each planned effect. */
  effects: string;
}

/** What this turn decided and did not get written; undefined where its plan stands or it decided nothing. */
export function lostIntents({ base, draft }: Turn): Intents | undefined {
  const decidedOn = draft.case?.plan?.decidedOn;
  if (decidedOn === undefined || base.case?.plan?.decidedOn === decidedOn) return undefined;
  return { version: decidedOn, effects: intentsOf(draft, decidedOn) };
}

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
