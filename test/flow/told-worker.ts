// A worker that tells what it does, and the delivery of hints to it.
import { carryTrace } from "../../shared/flow/measure/carry-trace.ts";
import { traceBoundaries } from "../../shared/flow/measure/trace-boundaries.ts";
import type { TurnPorts } from "../../shared/flow/turn/turn.ts";
import { handleHint } from "../../shared/flow/wake/handle-hint.ts";
import type { HeardTelemetry } from "../memory/heard-telemetry.ts";
import type { World } from "./world.ts";

/** A worker as the composition root wires it: each boundary a span, and the trace goes with every hint. */
export function told(
  world: World,
  heard: HeardTelemetry,
  change: Partial<TurnPorts> = {},
): TurnPorts {
  const { telemetry } = heard;
  return world.worker({
    telemetry,
    hints: carryTrace(world.hints, { telemetry, nowMs: world.nowMs }),
    at: traceBoundaries(telemetry),
    ...change,
  });
}

/** Delivers hints through the queue function's own flow, until none is left for an hour. */
export async function deliver(world: World, ports: TurnPorts): Promise<void> {
  const endMs = world.nowMs() + 3_600_000;
  for (;;) {
    const delivery = world.hints.receive("cases") ?? world.hints.receive("reviews");
    if (delivery !== undefined) {
      const { hint } = delivery;
      const message = { ...hint, caseKey: `${hint.tenantId}:${hint.caseId}` };
      const { deliveryCount } = delivery;
      const wallClockMs = world.nowMs();
      const random = () => String(wallClockMs);
      await handleHint(ports, message, { queue: "cases", deliveryCount, wallClockMs, random });
      delivery.complete();
      continue;
    }
    const nextMs = world.hints.nextActiveAtMs("cases") ?? Infinity;
    if (nextMs > endMs) return;
    world.advance(Math.max(0, nextMs - world.nowMs()));
  }
}
