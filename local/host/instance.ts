// One scaled-out instance of the app: a worker process and the listeners that feed it.
//
// When its worker dies, the listeners of that life are dropped without settling anything, exactly
// as if the machine had gone; then a new worker starts, at once the first time and with a growing pause
// when it keeps dying. A worker that was up for HEALTHY_MS starts the count again.
import type { HostEvent, HostLog } from "./events.ts";
import type { FunctionMetadata } from "./protocol.ts";
import { type ReadyWorker, startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

/** Something that takes work from outside on behalf of one life of an instance. */
export type Listener = {
  /** Takes no new work; resolves when what it had is settled. */
  drain(): Promise<void>;
  /** The instance is dead: lets go of everything at once and settles nothing. */
  drop(): void;
};

export type Life = {
  worker: number;
  process: WorkerProcess;
  capabilities: Record<string, string>;
};

export type Instance = {
  worker: number;
  /** The life that can take an invocation now. */
  life(): Life | undefined;
  pid(): number | undefined;
  startListeners(): void;
  drainListeners(): Promise<void>;
  stop(graceMs: number): Promise<void>;
};

export type InstanceOptions = {
  worker: number;
  appFolder: string;
  nodePath: string;
  environment: Record<string, string>;
  compileCacheFolder: string;
  log: HostLog;
  onEvent: (event: HostEvent) => void;
  listenersOf: (life: Life) => Listener[];
  onReady: () => void;
};

const HEALTHY_MS = 2000;
const BACKOFF_MAX_MS = 5000;

/** No pause before the first restart; 200 ms, 400 ms, ... after that. */
export function respawnDelayMs(failures: number): number {
  return failures <= 1 ? 0 : Math.min(BACKOFF_MAX_MS, 100 * 2 ** (failures - 1));
}

/** What is true of the instance right now; a life is over when its process has exited. */
type Current = {
  process: WorkerProcess | undefined;
  life: Life | undefined;
  listeners: Listener[];
  wantsListeners: boolean;
  isStopping: boolean;
  failures: number;
  respawn: NodeJS.Timeout | undefined;
};

function listen(current: Current, options: InstanceOptions): void {
  const { life, wantsListeners, listeners } = current;
  if (life === undefined || !wantsListeners || listeners.length > 0) return;
  current.listeners = options.listenersOf(life);
}

async function watchExit(
  current: Current,
  options: InstanceOptions,
  process: WorkerProcess,
): Promise<void> {
  const startedAtMs = performance.now();
  const exit = await process.exited;
  current.life = undefined;
  for (const listener of current.listeners) listener.drop();
  current.listeners = [];
  options.onEvent({ kind: "workerExited", worker: options.worker, ...exit });
  if (current.isStopping) return;
  if (performance.now() - startedAtMs > HEALTHY_MS) current.failures = 0;
  current.failures += 1;
  const again = async () => {
    try {
      await begin(current, options);
    } catch (error) {
      const text = `Worker ${options.worker} did not start: ${String(error)}`;
      options.log("error", "Host.Worker", text);
    }
  };
  current.respawn = setTimeout(() => void again(), respawnDelayMs(current.failures));
}

/** What tells instances apart: WEBSITE_INSTANCE_ID, as on Azure, and the user agent of its listeners, for planned faults. */
export function instanceName(worker: number): string {
  return `worker-${worker}`;
}

async function begin(current: Current, options: InstanceOptions): Promise<ReadyWorker> {
  const { worker } = options;
  const process = startWorkerProcess({
    ...options,
    environment: { WEBSITE_INSTANCE_ID: instanceName(worker), ...options.environment },
  });
  current.process = process;
  options.onEvent({ kind: "workerStarted", worker, pid: process.pid });
  void watchExit(current, options, process);
  const ready = await process.ready;
  if (process.isAlive()) {
    current.life = { worker, process, capabilities: ready.capabilities };
    listen(current, options);
    options.onReady();
  }
  return ready;
}

export async function startInstance(
  options: InstanceOptions,
): Promise<{ instance: Instance; functions: FunctionMetadata[] }> {
  const current: Current = {
    process: undefined,
    life: undefined,
    listeners: [],
    wantsListeners: false,
    isStopping: false,
    failures: 0,
    respawn: undefined,
  };
  const instance: Instance = {
    worker: options.worker,
    life: () => current.life,
    pid: () => (current.process?.isAlive() === true ? current.process.pid : undefined),
    startListeners: () => {
      current.wantsListeners = true;
      listen(current, options);
    },
    drainListeners: async () => {
      current.wantsListeners = false;
      const draining = current.listeners;
      await Promise.all(draining.map((listener) => listener.drain()));
      if (current.listeners === draining) current.listeners = [];
    },
    stop: async (graceMs) => {
      current.isStopping = true;
      clearTimeout(current.respawn);
      if (current.process?.isAlive() === true) await current.process.terminate(graceMs);
    },
  };
  try {
    const { functions } = await begin(current, options);
    return { instance, functions };
  } catch (error) {
    await instance.stop(0);
    throw error;
  }
}
