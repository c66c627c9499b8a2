// What the admin endpoints can see and do: the host's state, firing a function by hand, drain and resume.
// Draining stops timers and listeners and lets what runs end; HTTP goes on, as on Azure.
import type { HostLog } from "./events.ts";
import type { AdminHost, HostState } from "./http/admin.ts";
import type { RouteTable } from "./http/route-table.ts";
import type { Instances } from "./instances.ts";
import type { Invocations } from "./invocations.ts";
import type { HostedFunction } from "./settings/functions.ts";
import { type ListenerPlan, manualCall } from "./triggers/listeners.ts";
import type { Timers } from "./triggers/timer/timers.ts";

export type Running = {
  state: HostState;
  url: string;
  plan: ListenerPlan;
  routes: RouteTable;
  errors: { functionName: string; message: string }[];
};

export function adminHost(context: {
  running: Running;
  timers: Timers;
  log: HostLog;
  invocations: Invocations;
  instances: () => Instances;
}): AdminHost {
  const { running, timers, log, invocations, instances } = context;
  async function fire(hosted: HostedFunction, input: string): Promise<void> {
    const life = await instances().pick();
    if (life === undefined) throw new Error("No worker is running.");
    await invocations.once(life, hosted, manualCall(hosted, input, running.url));
  }
  return {
    hostId: "local",
    startedAtMs: performance.now(),
    state: () => running.state,
    functions: () => running.plan.usable,
    errors: () => running.errors,
    invokeUrl: (hosted) => {
      const route = running.routes.routes.find((r) => r.hosted === hosted);
      return route === undefined ? undefined : `${running.url}/${route.template.text}`;
    },
    inFlight: () => instances().inFlight(),
    fire: (hosted, input) => {
      fire(hosted, input).catch((error: unknown) =>
        log("error", `Function.${hosted.name}`, `It could not be fired: ${String(error)}`),
      );
    },
    drain: () => {
      if (running.state !== "Running") return;
      running.state = "Draining";
      const stopping = Promise.all([timers.stop(), instances().drainListeners()]);
      stopping.catch((error: unknown) => log("error", "Host.Drain", String(error)));
    },
    resume: () => {
      if (running.state !== "Draining") return;
      running.state = "Running";
      instances().startListeners();
      timers.start();
    },
  };
}
