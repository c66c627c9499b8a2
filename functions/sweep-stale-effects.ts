// Once a minute, in UTC: wakes what is due, and looks again for what early reports were about. Two sweeps at once, or one after
// an outage, change nothing more.
import { app, type InvocationContext, type Timer } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { retryReports } from "../shared/flow/wake/retry-reports.ts";
import { sweepDue } from "../shared/flow/wake/sweep-due.ts";
import { runtime } from "../shared/runtime.ts";

export async function sweepStaleEffects(_timer: Timer, context: InvocationContext): Promise<void> {
  const log = contextLog(context);
  const running = await runtime();
  const wallClockMs = Date.now();
  const { due, toCases, toReviews, more } = await sweepDue(running.turn(log), { wallClockMs });
  log.info("swept", { due, toCases, toReviews, more });
  const { matched, unmatched, waiting } = await retryReports(running.retryReports(log), {
    wallClockMs,
  });
  if (matched + unmatched + waiting > 0) {
    log.info("reports looked at again", { matched, unmatched, waiting });
  }
}

app.timer("sweep-stale-effects", { schedule: "0 * * * * *", handler: sweepStaleEffects });
