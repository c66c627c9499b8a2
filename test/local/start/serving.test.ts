// A copy that serves: found by a second one, whole again after kill -9 of its parts, ended by Ctrl-C.
import { fork, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePorts } from "../../../local/start/azure/ports.ts";

const mainPath = join(import.meta.dirname, "../../../local/start/main.ts");
const partsCount = 5;

let state: string;
let portBase: number;
let copy: ChildProcess;
let said = "";

/** Read from the kernel on Linux, where a small image has no `pgrep`; macOS always has it. */
async function children(): Promise<number[]> {
  const pid = String(copy.pid);
  const pids =
    process.platform === "linux"
      ? await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")
      : spawnSync("pgrep", ["-P", pid], { encoding: "utf8" }).stdout;
  return pids.split(/\s+/).filter(Boolean).map(Number);
}

async function caseStatus(): Promise<number> {
  const key = /x-functions-key: (\S+)'/.exec(said)?.[1] ?? "";
  const url = `http://127.0.0.1:${portBase}/api/cases/acme?externalRef=INV-1`;
  const response = await fetch(url, { headers: { "x-functions-key": key } });
  return response.status;
}

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "serving-"));
  [portBase = 0] = await freePorts(6);
  const args = ["--no-samples", "--state", state, "--port-base", String(portBase)];
  copy = fork(mainPath, args, {
    silent: true,
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  copy.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  copy.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const serves = () => said.includes("Ctrl-C ends it");
  const hasEnded = () => copy.exitCode !== null || copy.signalCode !== null;
  await vi.waitUntil(() => serves() || hasEnded(), { timeout: 110_000, interval: 100 });
  if (!serves()) throw new Error(`it ended before it served, and said:\n${said}`);
}, 120_000);

afterAll(async () => {
  copy.kill("SIGKILL");
  await rm(state, { recursive: true, force: true });
});

describe("a copy that serves", () => {
  test("tells each step, and lines to paste that hold its own address and key", async () => {
    for (const part of ["providers", "Service Bus", "Cosmos DB", "telemetry", "Functions host"]) {
      expect(said).toContain(`  ${part} `);
    }
    expect(said).toContain(`http://127.0.0.1:${portBase}/api/webhooks/acme-erp`);
    expect(await caseStatus()).toBe(404);
  });

  test("lets the app read the settings and counts of its queues, as it would on Azure", async () => {
    const response = await fetch(`http://127.0.0.1:${portBase}/api/doctor`, {
      headers: { "x-functions-key": /x-functions-key: (\S+)'/.exec(said)?.[1] ?? "" },
    });
    const { checks } = (await response.json()) as { checks: { name: string; state: string }[] };
    const queues = checks.filter(({ name }) => name.startsWith("queue"));
    expect(queues).toMatchObject([
      { name: "queue cases", state: "ok" },
      { name: "queue reviews", state: "ok" },
    ]);
  });

  test("keeps a second one off its state", () => {
    const args = ["--disable-warning=ExperimentalWarning", mainPath, "--state", state];
    const second = spawnSync("node", args, { encoding: "utf8" });
    expect(second.status).toBe(3);
    expect(second.stderr).toContain(`another copy (process ${copy.pid}) is running on ${state}`);
  });

  test("is whole again after kill -9 of every part of it", async () => {
    const before = await children();
    expect(before).toHaveLength(partsCount);
    for (const pid of before) process.kill(pid, "SIGKILL");
    await expect
      .poll(() => said.match(/ is back \(process \d+\)/g)?.length, { timeout: 20_000 })
      .toBe(partsCount);
    await expect.poll(caseStatus, { timeout: 10_000 }).toBe(404);
  });

  test("ends on Ctrl-C with 0, its parts with it and its lock given free", async () => {
    const parts = await children();
    copy.kill("SIGINT");
    expect(await once(copy, "exit")).toEqual([0, null]);
    expect(said).toContain("Stopping ...");
    for (const pid of parts) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await expect(readFile(join(state, "lock"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
