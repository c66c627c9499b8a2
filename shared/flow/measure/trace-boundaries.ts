// Every await of a turn has a name already, for the crash tests; so each is a span, by that name.
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { TurnPorts } from "../turn/turn.ts";

/** Hints are spans of their own (carry-trace.ts), and the drain flag is nearly always at hand. */
const untold = new Set(["handOn", "scheduleHint", "cancelHint", "drainFlag"]);

export function traceBoundaries(telemetry: Telemetry): TurnPorts["at"] {
  return (boundary, act) =>
    untold.has(boundary) ? act() : telemetry.span(boundary, { outside: true }, act);
}
