// What a host says about an app that cannot be loaded, and what each kind of app may be.
import { describe, expect, test } from "vitest";
import { startFixture, temporaryFolder, writeApp } from "./fixture-app.ts";
import { startHost } from "../../../local/host/server.ts";

const HELLO = `
import { app } from "@azure/functions";
app.http("hello", { handler: () => ({ body: "hello" }) });
`;

describe("an app that cannot be started", () => {
  const failure = async (app: Parameters<typeof writeApp>[0]) =>
    await startFixture(app).then(
      () => "started",
      (error: unknown) => String(error),
    );

  test("without main is told to name its entry files", async () => {
    expect(await failure({ files: {}, packageJson: { name: "x" } })).toContain('has no "main"');
  });

  test("whose main matches nothing is told to build first", async () => {
    const text = await failure({ files: {}, packageJson: { main: "dist/*.js" } });
    expect(text).toContain('"dist/*.js" in package.json matches no file');
  });

  test("whose entry throws sees the error and the file", async () => {
    const text = await failure({ files: { "main.js": "throw new Error('no database');" } });
    expect(text).toMatch(/entry file .*main\.js failed while loading: Error: no database/);
  });

  test("that registers nothing hears why that may be", async () => {
    expect(await failure({ files: { "main.js": "" } })).toContain("registered no function");
  });

  test("that registers a name twice is refused as a whole", async () => {
    const twice = `
      const { app } = require("@azure/functions");
      app.get("a", () => ({})); app.get("a", () => ({}));`;
    expect(await failure({ files: { "main.js": twice } })).toContain(
      'A function with id "a" has already been registered.',
    );
  });

  test("whose start hook fails is not started", async () => {
    const hook = `
      const { app } = require("@azure/functions");
      app.get("a", () => ({}));
      app.hook.appStart(() => { throw new Error("hook said no"); });`;
    expect(await failure({ files: { "main.js": hook } })).toContain("hook said no");
  });

  test("on a port in use hears one sentence", async () => {
    const app = { files: { "main.mjs": HELLO }, packageJson: { main: "main.mjs" } };
    const { host } = await startFixture(app);
    await expect(startFixture(app, { port: host.port })).rejects.toThrow(
      `Port ${host.port} on 127.0.0.1 is already in use`,
    );
  });

  test("whose host.json is wrong hears which key", async () => {
    const appFolder = await writeApp({
      files: { "main.mjs": HELLO },
      hostJson: { functionTimeout: "soon" },
    });
    const dataFolder = await temporaryFolder();
    await expect(startHost({ appFolder, dataFolder, settings: {} })).rejects.toThrow(
      /host\.json is not valid: functionTimeout/,
    );
  });
});

describe("an app", () => {
  test("may be ES modules named by a glob, with top-level await", async () => {
    const { host, fetch } = await startFixture({
      files: {
        "dist/functions/one.js": `await Promise.resolve();${HELLO}`,
        "dist/functions/two.js": HELLO.replace('"hello"', '"two"'),
      },
      packageJson: { type: "module", main: "dist/functions/{one,two}.js" },
    });
    expect(host.functions.toSorted()).toEqual(["hello", "two"]);
    expect(await (await fetch("/api/hello")).text()).toBe("hello");
  });

  test("keeps its good functions when one of them is wrong", async () => {
    const { host, fetch, logs } = await startFixture({
      files: {
        "main.js": `
          const { app } = require("@azure/functions");
          app.get("good", () => ({ body: "ok" }));
          app.get("bad name", () => ({}));
          app.get("administer", { route: "administer", handler: () => ({}) });
          app.timer("never", { schedule: "0 0 0 31 2 *", handler: () => {} });
          app.timer("weekly", { schedule: "0 0 0 * * 7", handler: () => {} });
          app.serviceBusQueue("unset", { queueName: "q", connection: "Nowhere", handler: () => {} });
          app.serviceBusQueue("hole", { queueName: "%HOLE%", connection: "Bus", handler: () => {} });
        `,
      },
    });
    expect(host.functions).toEqual(["good"]);
    expect((await fetch("/api/good")).status).toBe(200);
    const text = logs().join("\n");
    for (const expected of [
      "'bad name' is in error",
      "begins with a word that the host keeps",
      'The schedule "0 0 0 31 2 *" never comes',
      '"7" is not a valid day of week',
      'The app setting "Nowhere" (a connection string) is missing',
      '"%HOLE%" does not resolve',
    ]) {
      expect(text).toContain(expected);
    }
  });

  test("sees its settings as environment, and nothing of the host's own", async () => {
    process.env["HOST_ONLY_SECRET"] = "1";
    const { fetch } = await startFixture(
      {
        files: {
          "main.js": `
            const { app } = require("@azure/functions");
            app.get("env", () => ({ jsonBody: [process.env.MY_SETTING, process.env.HOST_ONLY_SECRET ?? null] }));`,
        },
      },
      { settings: { MY_SETTING: "here" } },
    );
    delete process.env["HOST_ONLY_SECRET"];
    expect(await (await fetch("/api/env")).json()).toEqual(["here", null]);
  });

  test("has a disabled function only for the master and for firing by hand", async () => {
    const app = `
      const { app } = require("@azure/functions");
      app.get("off", () => ({ body: "on" }));`;
    const { fetch, host, invocations } = await startFixture(
      { files: { "main.js": app } },
      { settings: { "AzureWebJobs.off.Disabled": "true" } },
    );
    const headers = { "x-functions-key": host.keys.master };
    expect((await fetch("/api/off")).status).toBe(404);
    expect((await fetch("/api/off", { headers })).status).toBe(200);
    expect(invocations("off").length).toBe(1);
  });

  test("has host.json overridden by settings, in any case", async () => {
    const app = `
      const { app } = require("@azure/functions");
      app.get("a", () => ({ body: "root" }));`;
    const { fetch } = await startFixture(
      { files: { "main.js": app } },
      { settings: { AzureFunctionsJobHost__Extensions__Http__RoutePrefix: "" } },
    );
    expect((await fetch("/a")).status).toBe(200);
  });
});
