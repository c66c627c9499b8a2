// Once a minute, in UTC: wakes what is due, and looks again for what early reports were about. Two sweeps at once, or one after
// an outage, change nothing more.
import { app, type InvocationContext, type Timer } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { sweep } from "../shared/flow/wake/sweep.ts";
import { runtime } from "../shared/runtime.ts";

export async function sweepStaleEffects(_timer: Timer, context: InvocationContext): Promise<void> {
  const log = contextLog(context);
  const running = await runtime();
  const ports = { turn: running.turn(log), reports: running.retryReports(log) };
  await sweep(ports, { wallClockMs: Date.now() });
}

app.timer("sweep-stale-effects", { schedule: "0 * * * * *", handler: sweepStaleEffects });
