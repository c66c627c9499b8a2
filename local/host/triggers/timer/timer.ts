// The timer trigger: one run at a time in the whole host, whatever the number of workers; the next time is computed
// after the run; times missed while the host was down make ONE run that says isPastDue. A run that fails does
// not stop the schedule. Status is kept in <dataFolder>/timers/<function>.json, where Azure keeps a blob.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { HostLog } from "../../events.ts";
import type { Call } from "../../invocations.ts";
import { neededText } from "../../settings/binding-text.ts";
import type { HostedFunction } from "../../settings/functions.ts";
import { schedule } from "./ncrontab.ts";

/** Node's timers hold at most 2^31 - 1 ms. */
const TIMER_MAX_MS = 2_147_483_647;
const NEVER = "0001-01-01T00:00:00+00:00";

const Status = z.object({ Last: z.string(), Next: z.string(), LastUpdated: z.string() });
type Status = z.infer<typeof Status>;

export type RunningTimer = {
  /** Ends the schedule; resolves when a run in progress has ended. */
  stop(): Promise<void>;
};

export type TimerOptions = {
  hosted: HostedFunction;
  dataFolder: string;
  log: HostLog;
  run: (call: Call) => Promise<unknown>;
};

export function timerCall(
  hosted: HostedFunction,
  status: Status | undefined,
  isPastDue: boolean,
): Call {
  const json = JSON.stringify({
    Schedule: { AdjustForDST: true },
    ScheduleStatus: status ?? null,
    IsPastDue: isPastDue,
  });
  return { inputs: [{ name: hosted.trigger.name, data: { json } }] };
}

function statusFile(dataFolder: string, functionName: string) {
  const folder = join(dataFolder, "timers");
  const path = join(folder, `${functionName}.json`);
  return {
    read(): Status | undefined {
      try {
        return Status.parse(JSON.parse(readFileSync(path, "utf8")));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw new Error(`${path} is not a timer status; remove it.`, { cause: error });
      }
    },
    write(status: Status): void {
      mkdirSync(folder, { recursive: true });
      writeFileSync(`${path}.new`, JSON.stringify(status));
      renameSync(`${path}.new`, path);
    },
  };
}

function utc(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "+00:00");
}

function statusAfter(lastMs: number, nextMs: number | undefined): Status {
  return {
    Last: utc(lastMs),
    Next: nextMs === undefined ? NEVER : utc(nextMs),
    LastUpdated: utc(Date.now()),
  };
}

export function startTimer({ hosted, dataFolder, log, run }: TimerOptions): RunningTimer {
  const { trigger } = hosted;
  const times = schedule(neededText(trigger, "schedule"));
  const isMonitored = trigger["useMonitor"] !== false && !times.isFrequent;
  const file = statusFile(dataFolder, hosted.name);
  let status = isMonitored ? file.read() : undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let current = Promise.resolve();

  function waitUntil(dueMs: number): void {
    const waitMs = Math.max(0, dueMs - Date.now());
    const wake = () => {
      if (waitMs > TIMER_MAX_MS) waitUntil(dueMs);
      else current = fire(dueMs, false);
    };
    timer = setTimeout(wake, Math.min(waitMs, TIMER_MAX_MS));
  }

  function scheduleNext(afterMs: number): void {
    const nextMs = stopped ? undefined : times.nextMs(afterMs);
    if (nextMs !== undefined) waitUntil(nextMs);
  }

  function keep(next: Status): void {
    status = next;
    file.write(next);
  }

  async function fire(dueMs: number, isPastDue: boolean): Promise<void> {
    try {
      await run(timerCall(hosted, status, isPastDue));
    } catch (error) {
      log("error", `Function.${hosted.name}`, `The timer could not run: ${String(error)}`);
    }
    // setTimeout may fire a little early: the same occurrence must not come twice.
    const afterMs = Math.max(dueMs, Date.now());
    if (isMonitored) keep(statusAfter(dueMs, times.nextMs(afterMs)));
    scheduleNext(afterMs);
  }

  const nowMs = Date.now();
  const isPastDue =
    status !== undefined && status.Next !== NEVER && Date.parse(status.Next) < nowMs;
  if (isMonitored && status === undefined) {
    keep({ ...statusAfter(nowMs, times.nextMs(nowMs)), Last: NEVER });
  }
  if (isPastDue || trigger["runOnStartup"] === true) current = fire(nowMs, isPastDue);
  else scheduleNext(nowMs);

  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
