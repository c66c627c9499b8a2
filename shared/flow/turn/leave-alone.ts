// Leaves alone what newer code wrote: no write, a report, and a scheduled hint to look again (design.md 5, rule 0).
//
// The record's due time stays as the newer code set it. The hint's id is made of the case and a time slot, so there is one look a
// slot however many hints and sweeps come by.
import { hintIdOf } from "../../domain/identity.ts";
import { requireNowMs, turnFields, type Turn, type TurnPorts, type TurnResult } from "./turn.ts";

/** A rolling deploy replaces its workers within minutes. After a roll-back this costs one read a slot. */
const lookAgainMs = 5 * 60_000;

export async function leaveAlone(ports: TurnPorts, turn: Turn, why: string): Promise<TurnResult> {
  ports.log.warn("left alone: written by newer code", { ...turnFields(turn), why });
  const slot = Math.floor(requireNowMs(ports, turn) / lookAgainMs) + 1;
  const hint = { ...turn.key, hintId: hintIdOf(turn.key, "left", slot), reason: "left alone" };
  await ports.at("scheduleHint", () => ports.hints.schedule("cases", hint, slot * lookAgainMs));
  return { kind: "left", why };
}
