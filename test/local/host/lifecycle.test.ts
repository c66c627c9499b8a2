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
  test("answer a ping without a key, and refuse to fire a function without a body", async () => {
    const { fetch, host, invocations } = await startFixture(app);
    expect((await fetch("/admin/host/ping")).status).toBe(200);
    const headers = { "x-functions-key": host.keys.master };
    const fire = { method: "POST", headers, body: "" };
    expect((await fetch("/admin/functions/hourly", fire)).status).toBe(400);
    expect(invocations("hourly")).toEqual([]);
  });
});
