// One machine of the fleet: a Functions host of its own, in a process of its own, with one worker.
//
//   killed   the worker gets SIGKILL; its host cuts its sockets and starts another
//   frozen   host and worker get SIGSTOP: nothing renews a lock, as when the machine stops; SIGCONT thaws both
import { fork, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Machine {
  /** Of the worker that lives now. */
  workerPid(): number | undefined;
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

const root = join(import.meta.dirname, "..", "..", "..");

/** A frozen process does not hear that its parent is gone: it is ended by hand. */
const living = new Set<() => void>();
process.once("exit", () => {
  for (const end of living) end();
});

type FromHost =
  | { kind: "ready" }
  | { kind: "workerStarted"; pid: number }
  | { kind: "workerExited"; pid: number }
  | { kind: "log"; level: string; message: string };

export async function startMachine(options: {
  folder: string;
  settings: Record<string, string>;
  workerEnded(pid: number): void;
}): Promise<Machine> {
  const settingsPath = join(options.folder, "settings.json");
  writeFileSync(settingsPath, JSON.stringify({ Values: options.settings }));
  let workerPid: number | undefined;
  let isReady = false;
  const words: string[] = [];
  const host = fork(
    join(root, "local", "host", "main.ts"),
    ["--app", join(import.meta.dirname, "app"), "--settings", settingsPath].concat(
      ["--data", join(options.folder, "host")],
      ["--port", "0", "--workers", "1"],
    ),
    {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      execArgv: ["--disable-warning=ExperimentalWarning"],
    },
  );
  host.stderr?.on("data", (bytes: Buffer) => void words.push(bytes.toString()));
  const ready = new Promise<void>((resolve, reject) => {
    host.on("message", (message: FromHost) => {
      if (message.kind === "ready") {
        isReady = true;
        resolve();
      }
      if (message.kind === "workerStarted") workerPid = message.pid;
      if (message.kind === "workerExited") {
        if (workerPid === message.pid) workerPid = undefined;
        options.workerEnded(message.pid);
      }
    });
    host.once("exit", () => {
      const ended = new Error(`a host ended by itself: ${words.join("").slice(-2000)}`);
      // Nobody would be left to take work, and every rule would speak but the one that is broken.
      if (isReady && living.has(endAll)) throw ended;
      reject(ended);
    });
  });
  const signal = (name: NodeJS.Signals) => {
    for (const pid of [workerPid, host.pid]) if (pid !== undefined) signalTo(pid, name);
  };
  const endAll = () => signal("SIGKILL");
  living.add(endAll);
  await ready;
  return {
    workerPid: () => workerPid,
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    close() {
      living.delete(endAll);
      const over = ended(host);
      // A drain would wait for what this campaign no longer needs.
      endAll();
      return over;
    },
  };
}

function signalTo(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Gone already, and its end is on its way to us.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function ended(host: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (host.exitCode !== null || host.signalCode !== null) resolve();
    host.once("exit", () => resolve());
  });
}
