// One life of one worker process: forked, ready, invoked, gone. It is never restarted; `instance.ts` makes a new one.
//
// Promises: every invocation ends in exactly one outcome, also when the process dies in the middle
// ("workerLost"); nothing of a dead process is reported as success.
import { fork } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import type { HostLog } from "./events.ts";
import type {
  ErrorText,
  FromWorker,
  FunctionMetadata,
  InvocationRequest,
  InvocationResponse,
  ToWorker,
} from "./protocol.ts";

export type WorkerAnswer =
  | { kind: "succeeded"; response: InvocationResponse }
  | { kind: "failed"; error: ErrorText }
  | { kind: "workerLost" };

export type WorkerExit = { pid: number; code: number | null; signal: string | null };

export type ReadyWorker = { functions: FunctionMetadata[]; capabilities: Record<string, string> };

export type WorkerProcess = {
  pid: number;
  ready: Promise<ReadyWorker>;
  exited: Promise<WorkerExit>;
  isAlive(): boolean;
  inFlight(): number;
  invoke(request: InvocationRequest): Promise<WorkerAnswer>;
  /** Runs the appTerminate hooks, then ends; killed when that takes longer than the grace. */
  terminate(graceMs: number): Promise<void>;
  kill(): void;
};

export const HOST_VERSION = "4.1037.0";
const WORKER_ENTRY = join(import.meta.dirname, "worker", "main.ts");

/** What a process needs from its machine, whatever the app's settings are. */
const INHERITED = ["PATH", "HOME", "USER", "TMPDIR", "TEMP", "TMP", "LANG", "SystemRoot"];

function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), ...settings };
}

export type WorkerOptions = {
  appFolder: string;
  environment: Record<string, string>;
  compileCacheFolder: string;
  log: HostLog;
};

type Pending = Map<string, (answer: WorkerAnswer) => void>;

function logFromWorker(log: HostLog, line: Extract<FromWorker, { kind: "log" }>): void {
  const { level, category, message, functionName, invocationId } = line;
  const hostCategory =
    functionName === undefined
      ? category === "user"
        ? "Function.User"
        : "Worker"
      : `Function.${functionName}${category === "user" ? ".User" : ""}`;
  log(level, hostCategory, message, {
    ...(functionName === undefined ? {} : { functionName }),
    ...(invocationId === undefined ? {} : { invocationId }),
  });
}

export function startWorkerProcess(options: WorkerOptions): WorkerProcess {
  const { log } = options;
  const child = fork(WORKER_ENTRY, [options.appFolder, HOST_VERSION, options.compileCacheFolder], {
    cwd: options.appFolder,
    env: environment(options.environment),
    execArgv: ["--disable-warning=ExperimentalWarning", "--enable-source-maps"],
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const pid = child.pid ?? -1;
  const pending: Pending = new Map();
  const ready = Promise.withResolvers<ReadyWorker>();
  const exited = Promise.withResolvers<WorkerExit>();
  let alive = true;
  // Whoever waits for readiness hears of a failed start; nobody may be waiting when a respawn fails.
  ready.promise.catch(() => {});

  for (const [stream, level] of [
    [child.stdout, "information"],
    [child.stderr, "error"],
  ] as const) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) =>
      log(level, "Host.Function.Console", line),
    );
  }

  function settle(invocationId: string, answer: WorkerAnswer): void {
    const resolve = pending.get(invocationId);
    pending.delete(invocationId);
    resolve?.(answer);
  }

  function gone(code: number | null, signal: string | null): void {
    if (!alive) return;
    alive = false;
    ready.reject(new Error(`The worker process ended while starting (${signal ?? code}).`));
    for (const id of pending.keys()) settle(id, { kind: "workerLost" });
    exited.resolve({ pid, code, signal });
  }

  child.on("message", (message: FromWorker) => {
    switch (message.kind) {
      case "ready":
        ready.resolve({ functions: message.functions, capabilities: message.capabilities });
        return;
      case "failed":
        ready.reject(new Error(message.error.message));
        return;
      case "done":
        settle(message.invocationId, { kind: "succeeded", response: message.response });
        return;
      case "threw":
        settle(message.invocationId, { kind: "failed", error: message.error });
        return;
      case "log":
        logFromWorker(log, message);
    }
  });
  child.on("exit", gone);
  child.on("error", (error) => {
    log("error", "Worker", `The worker process failed: ${error.message}`);
    if (child.pid === undefined) gone(null, null);
  });

  function send(message: ToWorker): void {
    // A send to a process that just died fails; its exit settles everything that was in flight.
    if (child.connected) child.send(message, () => {});
  }

  return {
    pid,
    ready: ready.promise,
    exited: exited.promise,
    isAlive: () => alive,
    inFlight: () => pending.size,
    invoke: (request) => {
      if (!alive) return Promise.resolve({ kind: "workerLost" });
      const answer = Promise.withResolvers<WorkerAnswer>();
      pending.set(request.invocationId, answer.resolve);
      send({ kind: "invoke", request });
      return answer.promise;
    },
    terminate: async (graceMs) => {
      send({ kind: "terminate" });
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await exited.promise;
      clearTimeout(timer);
    },
    kill: () => {
      child.kill("SIGKILL");
    },
  };
}
