// A process of the local Azure: ready or told why not, back after a kill, gone after a stop.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startProcess } from "../../../local/start/azure/managed-process.ts";
import type { ManagedProcess } from "../../../local/start/azure/managed-process.ts";

const root = join(import.meta.dirname, "../../..");

interface Started {
  running: Promise<ManagedProcess<{ kind: "ready"; at: string }>>;
  said: string[];
  heard: { kind: string }[];
  logFile: string;
}

async function start(program: string): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), "managed-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "program.mjs"), program);
  const said: string[] = [];
  const heard: { kind: string }[] = [];
  const logFile = join(folder, "log");
  const running = startProcess<{ kind: "ready"; at: string }>({
    name: "the thing",
    entry: relative(root, join(folder, "program.mjs")),
    args: ["here"],
    logFile,
    onMessage: (message) => heard.push(message),
    say: (line) => said.push(line),
  });
  onTestFinished(async () => {
    const [settled] = await Promise.allSettled([running]);
    if (settled.status === "fulfilled") await settled.value.stop();
  });
  return { running, said, heard, logFile };
}

const serves = `
  console.log("serving");
  process.send({ kind: "ready", at: process.argv[2] });
  process.send({ kind: "workerStarted" });
  process.on("SIGTERM", () => process.exit(0));
  setInterval(() => {}, 1000);
`;

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("a process of the local Azure", () => {
  test("is ready with what it says, is heard after, and prints into its log", async () => {
    const { running, heard, logFile } = await start(serves);
    expect((await running).ready).toEqual({ kind: "ready", at: "here" });
    await expect.poll(() => heard).toEqual([{ kind: "workerStarted" }]);
    expect(await readFile(logFile, "utf8")).toBe("serving\n");
  });

  test("that does not start is told with its last words", async () => {
    const { running, logFile } = await start(`console.error("the disk is full"); process.exit(1);`);
    await expect(running).rejects.toThrow(
      `the thing did not start: the disk is full (log: ${logFile})`,
    );
  });

  test("that is killed is started again", async () => {
    const { running, said } = await start(serves);
    const process_ = await running;
    const first = process_.pid();
    process.kill(first ?? 0, "SIGKILL");
    await expect
      .poll(() => said, { timeout: 10_000 })
      .toEqual([
        "the thing ended (SIGKILL); starting it again",
        expect.stringMatching(/^the thing is back \(process \d+\)$/),
      ]);
    expect(process_.pid()).not.toBe(first);
    expect(isAlive(process_.pid())).toBe(true);
  });

  test("that is stopped stays stopped", async () => {
    const { running, said } = await start(serves);
    const process_ = await running;
    await process_.stop();
    expect(isAlive(process_.pid())).toBe(false);
    expect(said).toEqual([]);
  });

  test("does not outlive a parent that is killed", async () => {
    const folder = await mkdtemp(join(tmpdir(), "managed-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "program.mjs"), serves);
    const parentPath = join(folder, "parent.mts");
    await writeFile(
      parentPath,
      `import { startProcess } from ${JSON.stringify(join(root, "local/start/azure/managed-process.ts"))};
       const running = await startProcess({ name: "it", args: [], say: () => {},
         entry: ${JSON.stringify(relative(root, join(folder, "program.mjs")))},
         logFile: ${JSON.stringify(join(folder, "log"))} });
       process.send({ pid: running.pid() });`,
    );
    const parent = fork(parentPath, { silent: true });
    const [{ pid }] = (await once(parent, "message")) as [{ pid: number }];
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });
});
