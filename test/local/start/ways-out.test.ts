// What stands in the way is told in one sentence with its own exit code, before anything is started.
import { fork, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStateFolder } from "../../../local/start/azure/state-folder.ts";

const mainPath = join(import.meta.dirname, "../../../local/start/main.ts");

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "start-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function run(args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = fork(mainPath, args, {
    silent: true,
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, "close")) as [number];
  return { code, out, err };
}

/** A process that does nothing for a minute. */
function idle(argv0 = "node"): ChildProcess {
  const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { argv0 });
  onTestFinished(() => void child.kill());
  return child;
}

async function takenPort(): Promise<number> {
  // Any port will do that leaves room for the four above it.
  for (;;) {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    onTestFinished(() => void server.close());
    if (port <= 65_530) return port;
  }
}

describe("npm start", () => {
  test("explains itself on request", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    expect(out).toContain("npm start -- --once --json");
  });

  test.each([
    [["--onec"], "Unknown option '--onec'; see npm start -- --help."],
    [["--port-base", "80"], "--port-base must be a whole number from 1024 to 65530."],
    [["--otlp", "4318"], "--otlp must be an address like http://127.0.0.1:4318."],
    [["--once", "--no-samples"], "--once runs the samples and --no-samples does not: choose one."],
  ])("refuses %j with 2 and a sentence", async (args, sentence) => {
    expect(await run(args)).toEqual({ code: 2, out: "", err: `countersign: ${sentence}\n` });
  });

  test("names the port that is taken, who needs it and what to do", async () => {
    const port = await takenPort();
    const state = await temporaryFolder();
    const { code, err } = await run(["--state", state, "--port-base", String(port)]);
    expect(code).toBe(3);
    expect(err).toBe(
      `countersign: port ${port} on 127.0.0.1 is taken, and the Functions host needs it; ` +
        "stop what uses it, or choose others with: npm start -- --port-base 17000\n",
    );
  });

  test("gives its state free again when it could not start", async () => {
    const port = await takenPort();
    const state = await temporaryFolder();
    await run(["--state", state, "--port-base", String(port)]);
    await expect(readFile(join(state, "lock"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("says where it cannot write", async () => {
    const file = join(await temporaryFolder(), "file");
    await writeFile(file, "");
    const { code, err } = await run(["--state", join(file, "state")]);
    expect(code).toBe(3);
    expect(err).toBe(
      `countersign: cannot write in ${join(file, "state")} (ENOTDIR); ` +
        "make it writable, or give another folder with --state.\n",
    );
  });

  test("does not start on a state that another copy runs on", async () => {
    const state = await temporaryFolder();
    const other = idle("local/start/main.ts");
    await writeFile(join(state, "lock"), `${other.pid}\n`);
    const { code, err } = await run(["--state", state, "--port-base", "20000"]);
    expect(code).toBe(3);
    expect(err).toMatch(
      new RegExp(`^countersign: another copy \\(process ${other.pid}\\) is running on .*\\n$`),
    );
  });
});

describe("the lock of a state folder", () => {
  test("left behind by a killed copy is taken over", async () => {
    const path = await temporaryFolder();
    const gone = spawn(process.execPath, ["--version"]);
    await once(gone, "exit");
    await writeFile(join(path, "lock"), `${gone.pid}\n`);
    const state = await openStateFolder({ path, inside: path });
    expect(await readFile(join(path, "lock"), "utf8")).toBe(`${process.pid}\n`);
    state.unlock();
  });

  test("with the pid of something else entirely is taken over", async () => {
    const path = await temporaryFolder();
    const other = idle();
    await writeFile(join(path, "lock"), `${other.pid}\n`);
    await openStateFolder({ path, inside: path });
    expect(await readFile(join(path, "lock"), "utf8")).toBe(`${process.pid}\n`);
  });
});

describe("a run without a state folder of its own", () => {
  test("gets a fresh one each time", async () => {
    const inside = await temporaryFolder();
    const first = await openStateFolder({ inside });
    const second = await openStateFolder({ inside });
    expect(first.path).not.toBe(second.path);
  });
});
