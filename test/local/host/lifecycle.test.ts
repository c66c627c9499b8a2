// Workers that die, hang or are asked to stop; hooks; admin endpoints.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startFixture, until } from "./fixture-app.ts";

const APP = `
const { app } = require("@azure/functions");
const { appendFileSync } = require("node:fs");
const trace = (line) => appendFileSync("trace.txt", line + "\\n");
app.hook.appStart((context) => { context.hookData.begun = true; trace("appStart"); });
app.hook.appTerminate((context) => trace("appTerminate " + context.hookData.begun));
app.hook.preInvocation((context) => {
  if (context.invocationContext.functionName !== "hooked") return;
  context.hookData.seen = 1;
  const original = context.functionHandler;
  context.functionHandler = async (...args) => ({ body: "wrapped " + (await original(...args)).body });
});
app.hook.postInvocation((context) => {
  if (context.invocationContext.functionName === "saved") { context.error = null; context.result = { body: "saved" }; }
  if (context.hookData.seen) trace("post " + context.result.body);
});
app.get("hooked", () => ({ body: "x" }));
app.get("saved", () => { throw new Error("lost"); });
app.get("pid", () => ({ body: String(process.pid) }));
app.get("hang", () => new Promise(() => {}));
app.get("neighbour", () => new Promise(() => {}));
app.get("slow", async () => { trace("slow begun"); await new Promise((r) => setTimeout(r, 300)); trace("slow ended"); return { body: "slow" }; });
app.get("die", () => { process.exit(3); });
app.get("float", () => { Promise.reject(new Error("floating")); return new Promise(() => {}); });
app.get("logs", (request, context) => { context.debug("hidden"); context.warn("seen %d", 1); console.log("plain"); return {}; });
app.timer("hourly", { schedule: "0 0 * * * *", handler: (timer) => trace("timer " + timer.isPastDue) });
`;
const app = { files: { "main.js": APP } };

describe("a worker that dies", () => {
  test("fails the calls in it and is replaced at once", async () => {
    const { fetch, host, events } = await startFixture(app);
    const [first] = host.workers();
    const hanging = fetch("/api/hang");
    await until("the call has begun", () =>
      events.some((e) => e.kind === "log" && e.message.includes("Executing 'hang'")),
    );
    process.kill(first?.pid ?? 0, "SIGKILL");
    expect((await hanging).status).toBe(502);
    const pid = Number(await (await fetch("/api/pid")).text());
    expect(pid).not.toBe(first?.pid);
    expect(host.workers()).toEqual([{ worker: 1, pid }]);
    expect(events).toContainEqual({
      kind: "workerExited",
      worker: 1,
      pid: first?.pid,
      code: null,
      signal: "SIGKILL",
    });
  });

  test("may have ended itself, or by a floating rejection", async () => {
    const { fetch } = await startFixture(app);
    expect((await fetch("/api/die")).status).toBe(502);
    expect((await fetch("/api/float")).status).toBe(502);
    expect((await fetch("/api/pid")).status).toBe(200);
  });

  test("is killed by the time limit, and takes its neighbour with it", async () => {
    const { fetch, invocations, logs } = await startFixture({
      ...app,
      hostJson: { functionTimeout: "00:00:00.3" },
    });
    const hanging = fetch("/api/hang");
    await until("the first has begun", () => logs().some((line) => line.includes("Executing")));
    const neighbour = fetch("/api/neighbour");
    expect([(await hanging).status, (await neighbour).status]).toEqual([500, 502]);
    expect(invocations("hang")[0]?.outcome).toBe("timedOut");
    expect(invocations("neighbour")[0]?.outcome).toBe("workerLost");
    expect((await fetch("/api/pid")).status).toBe(200);
  });
});

describe("hooks and logs", () => {
  test("wrap handlers, save errors, and share their data", async () => {
    const { fetch, appFolder, host } = await startFixture(app);
    expect(await (await fetch("/api/hooked")).text()).toBe("wrapped x");
    expect(await (await fetch("/api/saved")).text()).toBe("saved");
    await host.close();
    const trace = await readFile(join(appFolder, "trace.txt"), "utf8");
    expect(trace.trim().split("\n")).toEqual(["appStart", "post wrapped x", "appTerminate true"]);
  });

  test("show what the level allows, under the function's category", async () => {
    const { fetch, events } = await startFixture(app);
    await fetch("/api/logs");
    const line = await until("the console line", () =>
      events.find((e) => e.kind === "log" && e.message === "plain"),
    );
    expect(line).toMatchObject({ category: "Host.Function.Console" });
    expect(events).toContainEqual(
      expect.objectContaining({
        level: "warning",
        category: "Function.logs.User",
        message: "seen 1",
        functionName: "logs",
      }),
    );
    expect(events.some((e) => e.kind === "log" && e.message === "hidden")).toBe(false);
  });
});

describe("a host that is closed", () => {
  test("lets a running call end first, then runs the terminate hook", async () => {
    const { fetch, host, appFolder } = await startFixture(app);
    const slow = fetch("/api/slow");
    const read = () => readFile(join(appFolder, "trace.txt"), "utf8");
    await until("the call has begun", async () => (await read()).includes("slow begun"));
    await host.close();
    expect(await (await slow).text()).toBe("slow");
    expect((await read()).trim().split("\n")).toEqual([
      "appStart",
      "slow begun",
      "slow ended",
      "appTerminate true",
    ]);
    await expect(fetch("/api/pid")).rejects.toThrow("fetch failed");
  });
});

describe("the admin endpoints", () => {
  test("want the master key, save for ping", async () => {
    const { fetch, host } = await startFixture(app);
    expect((await fetch("/admin/host/ping")).status).toBe(200);
    const hostKey = { headers: { "x-functions-key": host.keys.host } };
    expect((await fetch("/admin/host/status", hostKey)).status).toBe(401);
    const master = { headers: { "x-functions-key": host.keys.master } };
    const status = await (await fetch("/admin/host/status", master)).json();
    expect(status).toMatchObject({ state: "Running" });
    const listed = (await (await fetch("/admin/functions", master)).json()) as { name: string }[];
    expect(listed.map(({ name }) => name)).toContain("hourly");
  });

  test("fire any function by hand and answer at once", async () => {
    const { fetch, host, invocations } = await startFixture(app);
    const headers = { "x-functions-key": host.keys.master };
    const fire = (name: string, body: string) =>
      fetch(`/admin/functions/${name}`, { method: "POST", headers, body });
    expect((await fire("hourly", '{"input":""}')).status).toBe(202);
    await until("the timer ran", () => invocations("hourly").length === 1);
    expect((await fire("hourly", "")).status).toBe(400);
    expect((await fire("nobody", "{}")).status).toBe(404);
  });
});
