// What newer code wrote: no write, a hint of its own to look again later, and a report (design.md 5, rule 0).
//
// The due time of the record stays as newer code set it, so the look is a scheduled message. Its id is the case and the
// time slot: however many hints and sweeps come by, one look a slot is asked for.
import { hintIdOf } from "../../domain/identity.ts";
import { requireNowMs, turnFields, type Turn, type TurnPorts, type TurnResult } from "./turn.ts";

/** Workers of a rolling deploy are replaced within minutes; after a roll-back it is one cheap read a slot. */
const lookAgainMs = 5 * 60_000;

export async function leaveAlone(ports: TurnPorts, turn: Turn, why: string): Promise<TurnResult> {
  ports.log.warn("left alone: written by newer code", { ...turnFields(turn), why });
  const slot = Math.floor(requireNowMs(ports, turn) / lookAgainMs) + 1;
  const hint = { ...turn.key, hintId: hintIdOf(turn.key, "left", slot), reason: "left alone" };
  await ports.at("scheduleHint", () => ports.hints.schedule("cases", hint, slot * lookAgainMs));
  return { kind: "left", why };
}
