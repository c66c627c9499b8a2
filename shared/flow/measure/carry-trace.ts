// A hint takes the trace of whoever sends it along, so that one trace leads from the webhook to the confirmed effect.
//
// Also a scheduled one that comes soon: a back-off and a look-up belong to the same story. What is due later begins a trace of
// its own, else a case that looks for a grant every quarter of an hour would have one that never ends. A sweep
// has no trace to give: it wakes many cases, and each of their turns begins one.
import type { HintQueue } from "../../stores/ports.ts";
import type { Fields, Telemetry } from "../../telemetry/telemetry.ts";

const soonMs = 10 * 60_000;

export function carryTrace(
  hints: HintQueue,
  options: { telemetry: Telemetry; nowMs: () => number },
): HintQueue {
  const { nowMs, telemetry } = options;
  const context = () => {
    const traceparent = telemetry.traceparent();
    return traceparent === undefined ? {} : { traceparent };
  };
  const inSpan = <Result>(fields: Fields, act: () => Promise<Result>) =>
    telemetry.traceparent() === undefined
      ? act()
      : telemetry.span("hint", { fields, outside: true }, act);
  return {
    send: (queue, hint) =>
      inSpan({ reason: hint.reason }, () => hints.send(queue, { ...context(), ...hint })),
    schedule(queue, hint, atMs) {
      const inMs = Math.max(0, Math.round(atMs - nowMs()));
      return inSpan({ reason: hint.reason, inMs }, () =>
        hints.schedule(queue, inMs < soonMs ? { ...context(), ...hint } : hint, atMs),
      );
    },
  };
}
