// The folder that everything is kept in: one running copy at a time, held by a lock file.
//
//   lock            pid of the running copy; left behind by a kill -9, then taken over
//   secrets.json    made once: the case id key, webhook secrets, provider tokens
//   runs.json       how often the samples were run here
//   running.json    where the running copy serves, while it does
//   worker.pid      the worker that runs the app just now, for whoever wants to kill it
//   trusted-certificates.pem  whom the workers trust besides Node's own list
//   cosmos/ service-bus/ providers/ host/ logs/
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StopFault } from "../stop.ts";

export interface StateFolder {
  path: string;
  /** Parts of it, made when first asked for. */
  folder(name: string): Promise<string>;
  readJson(name: string): Promise<unknown>;
  writeJson(name: string, value: unknown): Promise<void>;
  forget(name: string): Promise<void>;
  /** Synchronous, so that it also works on the way out. */
  unlock(): void;
  /** Everything in it, lock included. */
  remove(): Promise<void>;
}

export const runningFile = "running.json";
export const workerPidFile = "worker.pid";
/** Below the root of the repository. */
export const usualStatePath = ".local/state";

const unwritable = ["EACCES", "EPERM", "EROFS", "ENOTDIR", "ENOSPC", "EEXIST"];

async function writable<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !unwritable.includes(code)) throw error;
    throw new StopFault(
      `cannot write in ${path} (${code}); make it writable, or give another folder with --state.`,
      3,
    );
  }
}

/** Whether a pid from a lock file is a running copy of this program, as far as one can tell. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  try {
    // Pids are given out again, after a reboot or in a new container.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("local/start/main");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
}

async function lock(path: string): Promise<void> {
  const lockPath = join(path, "lock");
  for (;;) {
    try {
      await writeFile(lockPath, `${process.pid}\n`, { flag: "wx" });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const pid = Number(await readFile(lockPath, "utf8"));
    if (pid > 0 && isRunning(pid)) {
      throw new StopFault(
        `another copy (process ${pid}) is running on ${path}; stop it, ` +
          "or start this one beside it with: npm start -- --state .local/second --port-base 17000",
        3,
      );
    }
    await rm(lockPath, { force: true });
  }
}

export async function openStateFolder(wish: {
  /** Absent: a fresh one inside `inside`. */
  path?: string;
  inside: string;
}): Promise<StateFolder> {
  const wanted = wish.path ?? wish.inside;
  const path = await writable(wanted, async () => {
    await mkdir(wanted, { recursive: true });
    return wish.path ?? (await mkdtemp(join(wish.inside, "once-")));
  });
  await writable(path, () => lock(path));
  return {
    path,
    async folder(name) {
      await mkdir(join(path, name), { recursive: true });
      return join(path, name);
    },
    async readJson(name) {
      try {
        return JSON.parse(await readFile(join(path, name), "utf8")) as unknown;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    async writeJson(name, value) {
      await writeFile(join(path, name), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    },
    forget: (name) => rm(join(path, name), { force: true }),
    unlock() {
      rmSync(join(path, "lock"), { force: true });
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
