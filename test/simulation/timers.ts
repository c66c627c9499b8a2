// A deployment's schedule, run by the app's own flow: each minute by every instance at once, as timers overlap now and then.
import { runSchedules } from "../../shared/flow/wake/run-schedules.ts";
import type { Book } from "../../shared/domain/definitions.ts";
import {
  caseIdKey,
  caseKeyOf,
  privateNote,
  refOf,
  silentLog,
  tenantId,
  type World,
} from "./world.ts";
import { workflowType } from "./workflows.ts";

const minuteMs = 60_000;

export interface Timer {
  caseN: number;
  everyMinutes: number;
  instances: number;
}

export function startTimer(
  world: World,
  book: Book,
  timer: Timer & { name: string; untilMs: number },
): void {
  const { cases, clock, control, hints, notes, nowMs } = world;
  const { caseN, everyMinutes, instances, name, untilMs } = timer;
  const { caseId } = caseKeyOf(caseN);
  const startsAt = new Date(Math.floor(nowMs() / minuteMs) * minuteMs).toISOString();
  notes.timers.push({ source: `schedule.${name}`, startsAtMs: Date.parse(startsAt), everyMinutes });
  const data = { caseId, ref: refOf(caseN), amount: 3, note: privateNote };
  const schedule = { tenantId, workflow: workflowType, everyMinutes, startsAt };
  let made = 0;
  const ports = {
    cases: {
      ...cases,
      async createEvent(event: Parameters<typeof cases.createEvent>[0]) {
        const created = await cases.createEvent(event);
        if (created === "created") notes.eventsOf(event.caseId).push(event.id);
        if (created === "exists") notes.happen("a run of a schedule was there already");
        return created;
      },
    },
    control,
    hints,
    log: silentLog,
    book,
    schedules: { [name]: { ...schedule, event: { type: "told", data } } },
    caseIdKey,
    random: () => `run ${(made += 1)}`,
  };
  const run = () => {
    if (nowMs() >= untilMs) return;
    for (let n = 0; n < instances; n += 1) void runSchedules(ports);
    clock.at(nowMs() + minuteMs, run);
  };
  run();
}
