// Schedules as Azure reads them, and timers in a running host.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { schedule } from "../../../local/host/triggers/timer/ncrontab.ts";
import { startFixture, temporaryFolder, until, writeApp } from "./fixture-app.ts";

describe("a schedule", () => {
  const next = (expression: string, after: string) => {
    const ms = schedule(expression).nextMs(Date.parse(after));
    return ms === undefined ? undefined : new Date(ms).toISOString();
  };

  test("has six fields, seconds first, in UTC", () => {
    expect(next("30 5 4 * * *", "2026-11-29T05:00:00Z")).toBe("2026-11-30T04:05:30.000Z");
    expect(next("*/5 * * * *", "2026-11-29T05:01:00Z")).toBe("2026-11-29T05:05:00.000Z");
  });

  test("needs day of month and day of week to hold together", () => {
    expect(next("0 0 0 13 * Fri", "2026-11-29T00:00:00Z")).toBe("2027-08-13T00:00:00.000Z");
  });

  test("runs from a start with a step to the end of the field", () => {
    expect(next("0 5/20 * * * *", "2026-11-29T05:26:00Z")).toBe("2026-11-29T05:45:00.000Z");
  });

  test("may be a time span", () => {
    expect(next("00:00:10", "2026-11-29T05:00:00Z")).toBe("2026-11-29T05:00:10.000Z");
  });

  test("is refused where Azure refuses it", () => {
    for (const wrong of [
      "0 0 0 * * 7",
      "0 0 0 ? * *",
      "0 0 0 L * *",
      "@daily",
      "0 61 * * * *",
      "*",
    ]) {
      expect(() => schedule(wrong)).toThrow("schedule");
    }
  });
});

const APP = `
const { app } = require("@azure/functions");
const { appendFileSync } = require("node:fs");
const record = (name, value) => appendFileSync(name + ".txt", JSON.stringify(value) + "\\n");
app.timer("hourly", { schedule: "0 0 * * * *", handler: (timer, context) => record("hourly", { timer, metadata: context.triggerMetadata ?? null }) });
app.timer("eager", { schedule: "0 0 * * * *", runOnStartup: true, handler: () => record("eager", process.pid) });
`;

async function records(folder: string, name: string): Promise<unknown[]> {
  try {
    const text = await readFile(join(folder, `${name}.txt`), "utf8");
    return text
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  } catch {
    return [];
  }
}

describe("a timer", () => {
  test("runs once at start when asked to, on one worker of several", async () => {
    const { appFolder, invocations } = await startFixture(
      { files: { "main.js": APP } },
      { workers: 2 },
    );
    await until("the run", () => invocations("eager").length > 0);
    expect((await records(appFolder, "eager")).length).toBe(1);
  });

  test("makes one past-due run for all that was missed while the host was down", async () => {
    const dataFolder = await temporaryFolder();
    const appFolder = await writeApp({ files: { "main.js": APP } });
    await mkdir(join(dataFolder, "timers"));
    const path = join(dataFolder, "timers", "hourly.json");
    const missed = {
      Last: "2020-01-01T00:00:00+00:00",
      Next: "2020-01-01T01:00:00+00:00",
      LastUpdated: "2020-01-01T00:00:00+00:00",
    };
    await writeFile(path, JSON.stringify(missed));
    const { invocations, restart } = await startFixture(appFolder, { dataFolder });
    await until("the missed run", () => invocations("hourly").length > 0);
    await until("the new status", async () => !(await readFile(path, "utf8")).includes("2020"));
    await restart();
    await until("the next start", () => invocations("eager").length === 2);
    expect(await records(appFolder, "hourly")).toMatchObject([
      { timer: { isPastDue: true, scheduleStatus: { next: missed.Next } }, metadata: null },
    ]);
  });
});
