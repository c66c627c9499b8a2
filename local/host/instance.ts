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
  environment: Record<string, string>;
  compileCacheFolder: string;
  log: HostLog;
  onEvent: (event: HostEvent) => void;
  listenersOf: (life: Life) => Listener[];
  onReady: () => void;
};

const HEALTHY_MS = 10_000;
const BACKOFF_MAX_MS = 10_000;

/** No pause before the first restart; 200 ms, 400 ms, ... after that. */
export function respawnDelayMs(failures: number): number {
  return failures <= 1 ? 0 : Math.min(BACKOFF_MAX_MS, 100 * 2 ** (failures - 1));
}

export async function startInstance(
  options: InstanceOptions,
): Promise<{ instance: Instance; functions: FunctionMetadata[] }> {
  const { worker, log, onEvent } = options;
  let current: WorkerProcess | undefined;
  let life: Life | undefined;
  let listeners: Listener[] = [];
  let wantsListeners = false;
  let stopping = false;
  let failures = 0;
  let respawn: NodeJS.Timeout | undefined;

  function listen(): void {
    if (life === undefined || !wantsListeners || listeners.length > 0) return;
    listeners = options.listenersOf(life);
  }

  async function begin(): Promise<ReadyWorker> {
    const { appFolder, environment, compileCacheFolder } = options;
    const process = startWorkerProcess({ appFolder, environment, compileCacheFolder, log });
    const startedAtMs = performance.now();
    current = process;
    onEvent({ kind: "workerStarted", worker, pid: process.pid });
    void process.exited.then((exit) => {
      life = undefined;
      for (const listener of listeners) listener.drop();
      listeners = [];
      onEvent({ kind: "workerExited", worker, ...exit });
      if (stopping) return;
      if (performance.now() - startedAtMs > HEALTHY_MS) failures = 0;
      failures += 1;
      respawn = setTimeout(() => void beginAgain(), respawnDelayMs(failures));
    });
    const ready = await process.ready;
    if (process.isAlive()) {
      life = { worker, process, capabilities: ready.capabilities };
      listen();
      options.onReady();
    }
    return ready;
  }

  async function beginAgain(): Promise<void> {
    try {
      await begin();
    } catch (error) {
      log("error", "Host.Worker", `Worker ${worker} did not start: ${String(error)}`);
    }
  }

  const instance: Instance = {
    worker,
    life: () => life,
    pid: () => (current?.isAlive() === true ? current.pid : undefined),
    startListeners: () => {
      wantsListeners = true;
      listen();
    },
    drainListeners: async () => {
      wantsListeners = false;
      const draining = listeners;
      await Promise.all(draining.map((listener) => listener.drain()));
      if (listeners === draining) listeners = [];
    },
    stop: async (graceMs) => {
      stopping = true;
      clearTimeout(respawn);
      if (current?.isAlive() === true) await current.terminate(graceMs);
    },
  };
  try {
    const { functions } = await begin();
    return { instance, functions };
  } catch (error) {
    await instance.stop(0);
    throw error;
  }
}
