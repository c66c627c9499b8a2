// Each minute, in UTC: records the runs of the configured schedules that have come due. A missed or a double call changes
// nothing: the run's id is its planned time.
import { app, type InvocationContext, type Timer } from "@azure/functions";
import { contextLog } from "../shared/flow/context-log.ts";
import { runSchedules as run } from "../shared/flow/wake/run-schedules.ts";
import { runtime } from "../shared/runtime.ts";

export async function runSchedules(timer: Timer, context: InvocationContext): Promise<void> {
  const log = contextLog(context);
  if (timer.isPastDue)
    log.warn("the timer is past due: only each schedule's latest run is made up", {});
  await run((await runtime()).schedules(log));
}

app.timer("run-schedules", { schedule: "0 * * * * *", handler: runSchedules });
