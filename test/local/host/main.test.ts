// The host as a process: what it tells its parent, how it stops, how it refuses.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { afterwards, temporaryFolder, until, writeApp } from "./fixture-app.ts";

const MAIN = join(import.meta.dirname, "..", "..", "..", "local", "host", "main.ts");
const APP = `
const { app } = require("@azure/functions");
app.get("setting", () => ({ body: process.env.GREETING }));
app.hook.appTerminate(() => console.log("terminate hook ran"));
`;

type Message = { kind: string } & Record<string, unknown>;

async function startProcess(port: number) {
  const appFolder = await writeApp({ files: { "main.js": APP } });
  const data = await temporaryFolder();
  const settings = join(data, "local.settings.json");
  await writeFile(settings, JSON.stringify({ IsEncrypted: false, Values: { GREETING: "hello" } }));
  const args = ["--app", appFolder, "--settings", settings, "--port", String(port), "--data", data];
  const child: ChildProcess = fork(MAIN, args, { stdio: ["ignore", "pipe", "pipe", "ipc"] });
  const messages: Message[] = [];
  let errors = "";
  child.on("message", (message) => messages.push(message as Message));
  child.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const exited = once(child, "exit");
  afterwards(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, messages, exited, errors: () => errors };
}

describe("the host's process", () => {
  test("says when it is ready, passes events on, and drains on SIGTERM", async () => {
    const { child, messages, exited } = await startProcess(0);
    const ready = await until("ready", () => messages.find(({ kind }) => kind === "ready"));
    expect(ready["functions"]).toEqual(["setting"]);
    const response = await fetch(`${String(ready["url"])}/api/setting`);
    expect(await response.text()).toBe("hello");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    const kinds = messages.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["workerStarted", "invocation", "workerExited"]));
    expect(messages.map((message) => message["message"])).toContain("terminate hook ran");
  });

  test("refuses a port in use with one sentence", async () => {
    const first = await startProcess(0);
    const ready = await until("ready", () => first.messages.find(({ kind }) => kind === "ready"));
    const port = new URL(String(ready["url"])).port;
    const second = await startProcess(Number(port));
    expect(await second.exited).toEqual([1, null]);
    expect(second.errors().trim()).toBe(
      `host: Port ${port} on 127.0.0.1 is already in use: stop what uses it or choose another port.`,
    );
  });
});
