// Once a minute, in UTC: wakes what is due. Two sweeps at once, or one after an outage, change nothing more.
import { app, type InvocationContext, type Timer } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { sweepDue } from "../shared/flow/wake/sweep-due.ts";
import { runtime } from "../shared/runtime.ts";

export async function sweepStaleEffects(_timer: Timer, context: InvocationContext): Promise<void> {
  const log = contextLog(context);
  const ports = (await runtime()).turn(log);
  const { due, toCases, toReviews, more } = await sweepDue(ports, { wallClockMs: Date.now() });
  log.info("swept", { due, toCases, toReviews, more });
}

app.timer("sweep-stale-effects", { schedule: "0 * * * * *", handler: sweepStaleEffects });
