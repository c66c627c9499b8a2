// The hint of a case's due time: scheduled by whoever writes a new one, cancelled when nothing is due any more (design.md 6).
//
// A lost hint loses nothing: the sweep asks the store for the same `dueAtMs`.
import { TransientFault } from "../../domain/faults.ts";
import { hintIdOf } from "../../domain/identity.ts";
import { turnFields, type Turn, type TurnPorts } from "./turn.ts";

/** The store tells whole seconds: a hint at the very moment could come up to a second too early. */
const hintSlackMs = 1100;

/** Does nothing when nothing is due. */
export async function scheduleDueHint(ports: TurnPorts, turn: Turn): Promise<void> {
  const { dueAtMs, fence = 0 } = turn.base.case ?? {};
  if (dueAtMs === undefined) return;
  // The id contains the fence, so cancelling the hint of one claim never cancels another claim's.
  const hint = { ...turn.key, hintId: hintIdOf(turn.key, "due", dueAtMs, fence), reason: "due" };
  try {
    const scheduled = await ports.at("scheduleHint", () =>
      ports.hints.schedule("cases", hint, dueAtMs + hintSlackMs),
    );
    turn.hinted = { dueAtMs, scheduled };
  } catch (error) {
    if (!(error instanceof TransientFault)) throw error;
    ports.log.warn("a hint could not be scheduled; the sweep will find it", turnFields(turn));
  }
}

/** When nothing is due any more the hint would cost a message, a session and a read, and find nothing to do. */
export async function cancelDueHint(ports: TurnPorts, turn: Turn): Promise<void> {
  const { base, hinted } = turn;
  if (hinted === undefined || base.case?.dueAtMs !== undefined) return;
  await ports.at("cancelHint", () => hinted.scheduled.cancel());
  delete turn.hinted;
}

/**
 * Whether an earlier hint of this turn comes soon enough. A turn makes several calls, one after the other, and hints of the first
 * deadline only. If that hint finds a later call in flight, its turn hints of that call's deadline (advance-case.ts). So a hint
 * is always on its way, and a case that goes well costs one.
 */
export function isHintedInTime({ base, hinted }: Turn): boolean {
  const { claim, dueAtMs = 0 } = base.case ?? {};
  return claim !== undefined && hinted !== undefined && hinted.dueAtMs <= dueAtMs;
}
