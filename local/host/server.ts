// A local Azure Functions host for apps in the TypeScript v4 programming model.
//
//   this process:  HTTP and keys, timers, Service Bus and change-feed listeners, retries, time limits, drain, respawn
//   its workers:   the app, loaded by package.json's `main` glob, as on Azure; killing one looks like an instance dying
//
// What it supports, and how it differs from Azure: README.md.
import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { HostEvent, HostLog } from "./events.ts";
import type { AdminHost, HostState } from "./http/admin.ts";
import { createFront } from "./http/front.ts";
import { type HostKeys, keptKeys } from "./http/keys.ts";
import type { Principal } from "./http/principal.ts";
import { type RouteTable, routeTable } from "./http/route-table.ts";
import { type Instances, startInstances } from "./instances.ts";
import { createInvocations, type Invocations } from "./invocations.ts";
import { appSettings } from "./settings/app-settings.ts";
import { functionTable, type HostedFunction } from "./settings/functions.ts";
import { type HostJson, logFilter, readHostJson } from "./settings/host-json.ts";
import { type ListenerPlan, manualCall, planListeners, triggerKind } from "./triggers/listeners.ts";
import { createOutputs } from "./triggers/outputs.ts";
import { type RunningTimer, startTimer } from "./triggers/timer.ts";

export type { HostEvent } from "./events.ts";
export type { Principal } from "./http/principal.ts";

export type HostOptions = {
  /** Has package.json (with a `main` glob) and host.json. */
  appFolder: string;
  /** The app's settings, which are the worker's environment. */
  settings: Record<string, string>;
  /** On 127.0.0.1; 0 or absent: a free port. */
  port?: number;
  /** Where keys and the timers' status are kept. */
  dataFolder: string;
  /** Instances of the app; they compete for sessions and leases as scaled-out instances do. */
  workers?: number;
  /** Made once and kept in the data folder when absent. */
  keys?: HostKeys;
  /** Who calls, where Easy Auth would say so; see http/principal.ts. */
  principal?: Principal;
  onEvent?: (event: HostEvent) => void;
};

export type Host = {
  url: string;
  port: number;
  keys: HostKeys;
  functions: string[];
  workers(): { worker: number; pid: number }[];
  close(): Promise<void>;
};

const DRAIN_MS = 10_000;
const TERMINATE_GRACE_MS = 5000;

async function listen(server: Server, port: number): Promise<number> {
  const listening = Promise.withResolvers<void>();
  server.once("error", (error: NodeJS.ErrnoException) => {
    listening.reject(
      error.code === "EADDRINUSE"
        ? Object.assign(
            new Error(
              `Port ${port} on 127.0.0.1 is already in use: stop what uses it or choose another port.`,
            ),
            { code: error.code },
          )
        : error,
    );
  });
  server.listen(port, "127.0.0.1", listening.resolve);
  await listening.promise;
  return (server.address() as AddressInfo).port;
}

function filteredLog(hostJson: HostJson, onEvent: (event: HostEvent) => void): HostLog {
  const shows = logFilter(hostJson);
  return (level, category, message, about = {}) => {
    if (shows(category, level)) onEvent({ kind: "log", level, category, message, ...about });
  };
}

/** What Azure (and its command line tool) puts beside the app's own settings. */
function workerEnvironment(
  settings: Record<string, string>,
  appFolder: string,
  port: number,
): Record<string, string> {
  return {
    AZURE_FUNCTIONS_ENVIRONMENT: "Development",
    FUNCTIONS_WORKER_RUNTIME: "node",
    AzureWebJobsScriptRoot: appFolder,
    WEBSITE_HOSTNAME: `127.0.0.1:${port}`,
    ...settings,
  };
}

type Schedules = { start(): void; stop(): Promise<void> };

function timerSchedules(
  functions: () => HostedFunction[],
  context: {
    dataFolder: string;
    log: HostLog;
    instances: () => Instances;
    invocations: Invocations;
  },
): Schedules {
  const { dataFolder, log, invocations } = context;
  let running: RunningTimer[] = [];
  return {
    start: () => {
      if (running.length > 0) return;
      running = functions()
        .filter((hosted) => triggerKind(hosted) === "timer" && !hosted.disabled)
        .map((hosted) =>
          startTimer({
            hosted,
            dataFolder,
            log,
            run: async (call) => {
              const life = await context.instances().pick();
              if (life === undefined) throw new Error("No worker is running.");
              await invocations.withRetries(life, hosted, call);
            },
          }),
        );
    },
    stop: async () => {
      const stopped = running;
      running = [];
      await Promise.all(stopped.map((timer) => timer.stop()));
    },
  };
}

type Running = {
  state: HostState;
  plan: ListenerPlan;
  routes: RouteTable;
  errors: { functionName: string; message: string }[];
};

export async function startHost(options: HostOptions): Promise<Host> {
  const { settings: values, dataFolder, onEvent = () => {} } = options;
  const appFolder = resolve(options.appFolder);
  const hostJson = readHostJson(appFolder, values);
  const settings = appSettings(values);
  mkdirSync(dataFolder, { recursive: true });
  const keys = options.keys ?? keptKeys(dataFolder);
  const log = filteredLog(hostJson, onEvent);
  const outputs = createOutputs(settings, log);
  const invocations = createInvocations({
    functionTimeoutMs: hostJson.functionTimeout,
    log,
    onEvent,
    deliver: outputs.deliver,
  });
  const running: Running = {
    state: "Starting",
    plan: { usable: [], errors: [], listenersOf: () => [] },
    routes: { routes: [], errors: [] },
    errors: [],
  };
  let instances: Instances | undefined;
  let url = "";
  const theInstances = () => {
    if (instances === undefined) throw new Error("The host is still starting.");
    return instances;
  };
  const schedules = timerSchedules(() => running.plan.usable, {
    dataFolder,
    log,
    invocations,
    instances: theInstances,
  });
  const admin = adminHost({
    running,
    schedules,
    log,
    invocations,
    instances: theInstances,
    url: () => url,
  });
  let isClosing = false;
  const server = createServer(
    { keepAliveTimeout: 60_000 },
    createFront({
      keys,
      principal: options.principal,
      maxOutstandingRequests: hostJson.extensions.http.maxOutstandingRequests,
      admin,
      log,
      routes: () => running.routes,
      isDraining: () => isClosing || instances === undefined,
      invocations,
      pickLife: () => theInstances().pick(),
    }),
  );
  const port = await listen(server, options.port ?? 0);
  url = `http://127.0.0.1:${port}`;
  try {
    instances = await startInstances(options.workers ?? 1, {
      appFolder,
      environment: workerEnvironment(values, appFolder, port),
      compileCacheFolder: join(dataFolder, "compile-cache"),
      log,
      onEvent,
      listenersOf: (life) => running.plan.listenersOf(life),
    });
  } catch (error) {
    server.close();
    throw error;
  }
  const table = functionTable(instances.functions, settings, hostJson);
  running.plan = planListeners(table.functions, { settings, hostJson, invocations, log });
  running.routes = routeTable(running.plan.usable, hostJson.extensions.http.routePrefix);
  running.errors = [...table.errors, ...running.plan.errors, ...running.routes.errors];
  for (const { functionName, message } of running.errors) {
    log("error", "Host.Startup", `The function '${functionName}' is in error: ${message}`, {
      functionName,
    });
  }
  running.state = "Running";
  instances.startListeners();
  schedules.start();
  const wrong = new Set(running.errors.map(({ functionName }) => functionName));
  return {
    url,
    port,
    keys,
    functions: running.plan.usable.map(({ name }) => name).filter((name) => !wrong.has(name)),
    workers: () => theInstances().all(),
    close: async () => {
      isClosing = true;
      running.state = "Draining";
      await closeAll(server, theInstances(), schedules);
      await outputs.close();
    },
  };
}

/** Stop listening, let what runs end, then the appTerminate hooks, then the end. */
async function closeAll(server: Server, instances: Instances, schedules: Schedules): Promise<void> {
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  server.closeIdleConnections();
  const limit = new AbortController();
  const drained = Promise.all([schedules.stop(), instances.drainListeners(), closed.promise]);
  await Promise.race([
    drained.catch(() => {}),
    delay(DRAIN_MS, undefined, { signal: limit.signal }).catch(() => {}),
  ]);
  limit.abort();
  await instances.stop(TERMINATE_GRACE_MS);
  server.closeAllConnections();
  await closed.promise;
}

function adminHost(context: {
  running: Running;
  schedules: Schedules;
  log: HostLog;
  invocations: Invocations;
  instances: () => Instances;
  url: () => string;
}): AdminHost {
  const { running, schedules, log, invocations, instances } = context;
  return {
    hostId: "local",
    startedAtMs: performance.now(),
    state: () => running.state,
    functions: () => running.plan.usable,
    errors: () => running.errors,
    invokeUrl: (hosted) => {
      const route = running.routes.routes.find((r) => r.hosted === hosted);
      return route === undefined ? undefined : `${context.url()}/${route.template.text}`;
    },
    inFlight: () => instances().inFlight(),
    fire: (hosted, input) => {
      const run = async () => {
        const life = await instances().pick();
        if (life === undefined) throw new Error("No worker is running.");
        await invocations.once(life, hosted, manualCall(hosted, input, context.url()));
      };
      run().catch((error: unknown) =>
        log("error", `Function.${hosted.name}`, `It could not be fired: ${String(error)}`),
      );
    },
    drain: () => {
      if (running.state !== "Running") return;
      running.state = "Draining";
      const stopping = Promise.all([schedules.stop(), instances().drainListeners()]);
      stopping.catch((error: unknown) => log("error", "Host.Drain", String(error)));
    },
    resume: () => {
      if (running.state !== "Draining") return;
      running.state = "Running";
      instances().startListeners();
      schedules.start();
    },
  };
}
