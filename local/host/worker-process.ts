// One life of one worker process: forked, ready, invoked, gone. It is never restarted; `instance.ts` makes a new one.
//
// Promises: every invocation ends in exactly one outcome, also when the process dies in the middle
// ("workerLost"); nothing of a dead process is reported as success.
import { type ChildProcess, fork } from "node:child_process";
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
  /** True for the call that did it; later ones come too late to be the cause. */
  kill(): boolean;
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
  nodePath: string;
  environment: Record<string, string>;
  compileCacheFolder: string;
  log: HostLog;
};

type Calls = {
  inFlight: () => number;
  begin: (invocationId: string) => Promise<WorkerAnswer>;
  end: (invocationId: string, answer: WorkerAnswer) => void;
  loseAll: () => void;
};

function callsInFlight(): Calls {
  const pending = new Map<string, (answer: WorkerAnswer) => void>();
  const end = (invocationId: string, answer: WorkerAnswer) => {
    const resolve = pending.get(invocationId);
    pending.delete(invocationId);
    resolve?.(answer);
  };
  return {
    inFlight: () => pending.size,
    begin: (invocationId) =>
      new Promise((resolve) => {
        pending.set(invocationId, resolve);
      }),
    end,
    loseAll: () => {
      for (const invocationId of pending.keys()) end(invocationId, { kind: "workerLost" });
    },
  };
}

function forkWorker(options: WorkerOptions): ChildProcess {
  const args = [options.appFolder, HOST_VERSION, options.compileCacheFolder];
  const child = fork(WORKER_ENTRY, args, {
    cwd: options.appFolder,
    execPath: options.nodePath,
    env: environment(options.environment),
    execArgv: ["--disable-warning=ExperimentalWarning"],
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const streams = [
    [child.stdout, "information"],
    [child.stderr, "error"],
  ] as const;
  for (const [stream, level] of streams) {
    if (stream === null) continue;
    const lines = createInterface({ input: stream });
    lines.on("line", (line) => options.log(level, "Host.Function.Console", line));
  }
  return child;
}

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

function receive(
  calls: Calls,
  log: HostLog,
  message: Exclude<FromWorker, { kind: "ready" | "failed" }>,
): void {
  switch (message.kind) {
    case "done":
      return calls.end(message.invocationId, { kind: "succeeded", response: message.response });
    case "threw":
      return calls.end(message.invocationId, { kind: "failed", error: message.error });
    case "log":
      return logFromWorker(log, message);
  }
}

export function startWorkerProcess(options: WorkerOptions): WorkerProcess {
  const { log } = options;
  const child = forkWorker(options);
  const pid = child.pid ?? -1;
  const calls = callsInFlight();
  const ready = Promise.withResolvers<ReadyWorker>();
  const exited = Promise.withResolvers<WorkerExit>();
  let alive = true;
  let killed = false;
  // Whoever waits for readiness hears of a failed start; nobody may be waiting when a respawn fails.
  ready.promise.catch(() => {});

  function gone(code: number | null, signal: string | null): void {
    if (!alive) return;
    alive = false;
    ready.reject(new Error(`The worker process ended while starting (${signal ?? code}).`));
    calls.loseAll();
    exited.resolve({ pid, code, signal });
  }

  child.on("message", (message: FromWorker) => {
    if (message.kind === "ready") ready.resolve(message);
    else if (message.kind === "failed") ready.reject(new Error(message.error.message));
    else receive(calls, log, message);
  });
  child.on("exit", gone);
  child.on("error", (error) => {
    log("error", "Host.Worker", `The worker process failed: ${error.message}`);
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
    inFlight: () => calls.inFlight(),
    invoke: async (request) => {
      if (!alive) return { kind: "workerLost" };
      const answer = calls.begin(request.invocationId);
      send({ kind: "invoke", request });
      return await answer;
    },
    terminate: async (graceMs) => {
      send({ kind: "terminate" });
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await exited.promise;
      clearTimeout(timer);
    },
    kill: () => {
      const isFirst = !killed;
      killed = true;
      child.kill("SIGKILL");
      return isFirst;
    },
  };
}
