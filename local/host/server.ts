// A local Azure Functions host for apps in the TypeScript v4 programming model.
//
//   this process:  HTTP and keys, timers, Service Bus and change-feed listeners, retries, time limits, drain, respawn
//   its workers:   the app, loaded by package.json's `main` glob, as on Azure; killing one looks like an instance dying
//
// What it supports, and how it differs from Azure: README.md.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { adminHost, type Running } from "./admin-host.ts";
import type { HostEvent, HostLog } from "./events.ts";
import { createFront } from "./http/front.ts";
import { type HostKeys, keptKeys } from "./http/keys.ts";
import { type HttpServer, listenHttp } from "./http/listen.ts";
import type { Principal } from "./http/principal.ts";
import { routeTable } from "./http/route-table.ts";
import { type Instances, startInstances } from "./instances.ts";
import { createInvocations } from "./invocations.ts";
import { type AppSettings, appSettings } from "./settings/app-settings.ts";
import { functionTable } from "./settings/functions.ts";
import { type HostJson, logFilter, readHostJson } from "./settings/host-json.ts";
import { type ListenerContext, planListeners } from "./triggers/listeners.ts";
import { createOutputs } from "./triggers/outputs.ts";
import { createTimers, type Timers } from "./triggers/timer/timers.ts";

export type { HostEvent } from "./events.ts";
export type { Principal } from "./http/principal.ts";

export type HostOptions = {
  /** Has package.json (with a `main` glob) and host.json. */
  appFolder: string;
  /** The Node.js that runs the app; this process's own when absent. */
  nodePath?: string;
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
  /** Whom a caller may choose to be; the first, or `principal`, without a choice. See http/sign-in.ts. */
  personas?: readonly Principal[];
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

function filteredLog(hostJson: HostJson, onEvent: (event: HostEvent) => void): HostLog {
  const shows = logFilter(hostJson);
  return (level, category, message, about = {}) => {
    if (shows(category, level)) onEvent({ kind: "log", level, category, message, ...about });
  };
}

/** What Azure (and its command line tool) puts beside the app's own settings. */
function workerEnvironment(
  settings: AppSettings,
  appFolder: string,
  port: number,
): Record<string, string> {
  return {
    AZURE_FUNCTIONS_ENVIRONMENT: "Development",
    FUNCTIONS_WORKER_RUNTIME: "node",
    AzureWebJobsScriptRoot: appFolder,
    WEBSITE_HOSTNAME: `127.0.0.1:${port}`,
    ...settings.values,
  };
}

/** Fills in what is known once the app has been loaded; a function in error is reported and left out. */
function adoptFunctions(
  running: Running,
  instances: Instances,
  context: ListenerContext,
): string[] {
  const { settings, hostJson, log } = context;
  const table = functionTable(instances.functions, settings, hostJson);
  running.plan = planListeners(table.functions, context);
  running.routes = routeTable(running.plan.usable, hostJson.extensions.http.routePrefix);
  running.errors = [...table.errors, ...running.plan.errors, ...running.routes.errors];
  for (const { functionName, message } of running.errors) {
    const text = `The function '${functionName}' is in error: ${message}`;
    log("error", "Host.Startup", text, { functionName });
  }
  const wrong = new Set(running.errors.map(({ functionName }) => functionName));
  return running.plan.usable.map(({ name }) => name).filter((name) => !wrong.has(name));
}

/** The first one is who calls without a choice. */
function personasFrom({ personas = [], principal }: HostOptions): readonly Principal[] {
  return principal === undefined ? personas : [principal, ...personas];
}

/** Stop listening, let what runs end, then the appTerminate hooks, then the end. */
async function closeAll(http: HttpServer, instances: Instances, timers: Timers): Promise<void> {
  const limit = new AbortController();
  const drained = Promise.all([timers.stop(), instances.drainListeners(), http.close()]);
  const expired = delay(DRAIN_MS, undefined, { signal: limit.signal });
  await Promise.race([drained, expired]).catch(() => {});
  limit.abort();
  await expired.catch(() => {});
  await instances.stop(TERMINATE_GRACE_MS);
  http.destroy();
  await drained.catch(() => {});
}

/** Everything that does not need a worker yet. */
function prepare(options: HostOptions) {
  const { settings: values, dataFolder, onEvent = () => {} } = options;
  const appFolder = resolve(options.appFolder);
  const hostJson = readHostJson(appFolder, values);
  const settings = appSettings(values);
  mkdirSync(dataFolder, { recursive: true });
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
    url: "",
    plan: { usable: [], errors: [], listenersOf: () => [] },
    routes: { routes: [], errors: [] },
    errors: [],
  };
  const keys = options.keys ?? keptKeys(dataFolder);
  return { appFolder, hostJson, settings, onEvent, log, outputs, invocations, running, keys };
}

export async function startHost(options: HostOptions): Promise<Host> {
  const { appFolder, hostJson, settings, onEvent, log, outputs, invocations, running, keys } =
    prepare(options);
  const { dataFolder } = options;
  let started: Instances | undefined;
  let isClosing = false;
  const instances = () => {
    if (started === undefined) throw new Error("The host is still starting.");
    return started;
  };
  const functions = () => running.plan.usable;
  const timers = createTimers({ dataFolder, log, invocations, instances, functions });
  const http = await listenHttp(
    options.port ?? 0,
    createFront({
      keys,
      personas: personasFrom(options),
      maxOutstandingRequests: hostJson.extensions.http.maxOutstandingRequests,
      admin: adminHost({ running, timers, log, invocations, instances }),
      log,
      routes: () => running.routes,
      isClosed: () => isClosing || started === undefined,
      invocations,
      pickLife: () => instances().pick(),
    }),
  );
  running.url = http.url;
  try {
    started = await startInstances(options.workers ?? 1, {
      appFolder,
      nodePath: options.nodePath ?? process.execPath,
      environment: workerEnvironment(settings, appFolder, http.port),
      compileCacheFolder: join(dataFolder, "compile-cache"),
      log,
      onEvent,
      listenersOf: (life) => running.plan.listenersOf(life),
    });
  } catch (error) {
    await http.close();
    throw error;
  }
  const usable = adoptFunctions(running, started, { settings, hostJson, invocations, log });
  running.state = "Running";
  started.startListeners();
  timers.start();
  return {
    url: http.url,
    port: http.port,
    keys,
    functions: usable,
    workers: () => instances().all(),
    close: async () => {
      if (isClosing) return;
      isClosing = true;
      running.state = "Draining";
      await closeAll(http, instances(), timers);
      await outputs.close();
    },
  };
}
