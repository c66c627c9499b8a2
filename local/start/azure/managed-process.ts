// One process of the local Azure: started, watched, started again when it dies, stopped.
//
//   starting -> ready -> (died -> starting) ... -> stopped
//
// It tells us {kind: "ready", ...} over IPC. It runs in a process group of its own, so that Ctrl-C
// reaches only us and we can stop everything in order; should we be killed, it ends by itself
// (die-with-parent.ts). What it prints goes to its log file.
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { openSync, closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { StopFault } from "../stop.ts";

export interface ProcessPlan {
  name: string;
  /** Relative to the repository. */
  entry: string;
  args: string[];
  logFile: string;
  /** Besides our own environment. */
  env?: Record<string, string>;
  /** Every message that is not "ready". */
  onMessage?: (message: { kind: string }) => void;
  say: (line: string) => void;
}

export interface ManagedProcess<Ready> {
  ready: Ready;
  pid(): number | undefined;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, "../../..");
const preload = pathToFileURL(join(root, "local/start/die-with-parent.ts")).href;
const readyWithinMs = 60_000;
const stopWithinMs = 10_000;
const restartsMax = 10;

function spawn(plan: ProcessPlan): ChildProcess {
  const log = openSync(plan.logFile, "a");
  const child = fork(join(root, plan.entry), plan.args, {
    cwd: root,
    detached: true,
    env: { ...process.env, ...plan.env },
    stdio: ["ignore", log, log, "ipc"],
    execArgv: ["--disable-warning=ExperimentalWarning", "--import", preload],
  });
  closeSync(log);
  return child;
}

function lastWords(logFile: string): string {
  const lines = readFileSync(logFile, "utf8").trimEnd().split("\n");
  return lines.at(-1) ?? "";
}

/** Its first "ready", or why there is none. */
function readyOf<Ready>(plan: ProcessPlan, child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new StopFault(`${plan.name} did not start: ${why} (log: ${plan.logFile})`, 3));
    };
    const timer = setTimeout(
      () => fail(`it was not ready within ${readyWithinMs / 1_000} seconds`),
      readyWithinMs,
    );
    child.on("message", (message: { kind: string }) => {
      if (message.kind !== "ready") {
        plan.onMessage?.(message);
        return;
      }
      clearTimeout(timer);
      resolve(message as unknown as Ready);
    });
    child.once("exit", () => fail(lastWords(plan.logFile) || "it ended without a word"));
  });
}

export async function startProcess<Ready>(plan: ProcessPlan): Promise<ManagedProcess<Ready>> {
  let child = spawn(plan);
  let stopping = false;
  let restarts = 0;

  const restart = (code: number | null, signal: string | null): void => {
    if (stopping) return;
    restarts += 1;
    const how = signal ?? `exit code ${code}`;
    if (restarts > restartsMax) {
      plan.say(`${plan.name} ended (${how}) once too often; it stays down (log: ${plan.logFile})`);
      return;
    }
    plan.say(`${plan.name} ended (${how}); starting it again`);
    child = spawn(plan);
    child.once("exit", restart);
    readyOf(plan, child).then(
      () => plan.say(`${plan.name} is back (process ${child.pid})`),
      // Its exit has been heard by `restart` already.
      (fault: unknown) => plan.say(fault instanceof Error ? fault.message : String(fault)),
    );
  };

  const ready = await readyOf<Ready>(plan, child);
  child.once("exit", restart);
  return {
    ready,
    pid: () => child.pid,
    stop() {
      stopping = true;
      return stopChild(child);
    },
  };
}

function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill("SIGTERM");
  });
}
