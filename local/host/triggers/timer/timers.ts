// All timers of the host. They belong to the host, not to a worker: a timer is a singleton over all instances,
// and each run goes to the least busy worker.
import type { HostLog } from "../../events.ts";
import type { Instances } from "../../instances.ts";
import type { Invocations } from "../../invocations.ts";
import type { HostedFunction } from "../../settings/functions.ts";
import { type RunningTimer, startTimer } from "./timer.ts";

export type Timers = { start: () => void; stop: () => Promise<void> };

export type TimersOptions = {
  dataFolder: string;
  log: HostLog;
  invocations: Invocations;
  instances: () => Instances;
  functions: () => HostedFunction[];
};

export function createTimers(options: TimersOptions): Timers {
  const { dataFolder, log, invocations } = options;
  let running: RunningTimer[] = [];
  const start = (hosted: HostedFunction) =>
    startTimer({
      hosted,
      dataFolder,
      log,
      run: async (call) => {
        const life = await options.instances().pick();
        if (life === undefined) throw new Error("No worker is running.");
        await invocations.withRetries(life, hosted, call);
      },
    });
  return {
    start: () => {
      if (running.length > 0) return;
      running = options
        .functions()
        .filter(
          ({ trigger, disabled }) => trigger.type.toLowerCase() === "timertrigger" && !disabled,
        )
        .map(start);
    },
    stop: async () => {
      const stopping = running;
      running = [];
      await Promise.all(stopping.map((timer) => timer.stop()));
    },
  };
}
