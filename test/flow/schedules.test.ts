// A schedule's runs are events whose id is the schedule and the planned time: in UTC, latest only, and one however often or
// from wherever they are run (cases.md 74).
import { afterEach, describe, expect, test } from "vitest";
import { readConfig } from "../../shared/config.ts";
import { runSchedules, type SchedulePorts } from "../../shared/flow/wake/run-schedules.ts";
import { assertSchedules, latestOccurrence, Schedules } from "../../shared/flow/wake/schedules.ts";
import { memoryControl } from "../memory/memory-control.ts";
import { intakeWorld } from "./intake/intake-world.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const daily = {
  tenantId: "t1",
  workflow: "exception",
  everyMinutes: 24 * 60,
  startsAt: "2026-01-01T06:00:00Z",
  event: { type: "exception.raised", data: { reference: "R-1" } },
};
const hourly = { ...daily, everyMinutes: 60 };

function scheduledWorld(schedules: Record<string, unknown> = { nightly: daily }) {
  const world = intakeWorld();
  let clockMs = Date.parse("2026-11-29T05:59:00Z");
  const nowMs = () => clockMs;
  const ports: SchedulePorts = {
    ...world.ports,
    schedules: Schedules.parse(schedules),
    control: memoryControl({ nowMs }),
  };
  return {
    ...world,
    ports,
    at: (time: string) => void (clockMs = Date.parse(time)),
    run: () => runSchedules(ports),
    runs: () => world.allEvents().map(({ eventId, source }) => `${source} ${eventId}`),
  };
}

describe("a schedule", () => {
  test("records its run when it is due, as an event of its workflow, and hints", async () => {
    const world = scheduledWorld();
    await world.run();
    expect(world.runs()).toEqual(["schedule.nightly 2026-11-28T06:00:00Z"]);
    world.at("2026-11-29T06:00:20Z");
    await world.run();
    expect(world.events().at(-1)).toMatchObject({
      eventId: "2026-11-29T06:00:00Z",
      eventType: "exception.raised",
      orderKey: "2026-11-29T06:00:00.000000000Z",
      externalRef: "R-1",
      receivedAtMs: Date.parse("2026-11-29T06:00:20Z"),
    });
    expect(world.hintsWaiting()).toHaveLength(2);
  });

  test("that has not begun runs nothing", async () => {
    const world = scheduledWorld();
    world.at("2026-01-01T05:59:59Z");
    await world.run();
    expect(world.runs()).toEqual([]);
  });

  test("run by two workers at once, and again and again, is one event", async () => {
    const world = scheduledWorld();
    await Promise.all([world.run(), world.run()]);
    world.at("2026-11-29T05:59:40Z");
    await world.run();
    expect(world.runs()).toHaveLength(1);
    expect(world.hintsWaiting()).toHaveLength(1);
  });

  test("makes up for an outage of two hours by one run, the latest", async () => {
    const world = scheduledWorld({ often: { ...hourly, everyMinutes: 10 } });
    world.at("2026-11-29T08:00:00Z");
    await world.run();
    world.at("2026-11-29T10:07:00Z");
    await world.run();
    expect(world.runs()).toEqual([
      "schedule.often 2026-11-29T08:00:00Z",
      "schedule.often 2026-11-29T10:00:00Z",
    ]);
  });

  test("whose setting was changed after a run leaves that run as it was recorded", async () => {
    const world = scheduledWorld();
    await world.run();
    const [before] = world.allEvents();
    const data = { reference: "R-1", note: "new" };
    const changed = { ...daily, event: { ...daily.event, data } };
    await runSchedules({ ...world.ports, schedules: { nightly: changed } });
    expect(world.allEvents()).toEqual([before]);
  });

  test("with the occurrence in its reference opens a case a run", async () => {
    const event = { type: "exception.raised", data: { reference: "check-{occurrence}" } };
    const world = scheduledWorld({ nightly: { ...daily, event } });
    await world.run();
    world.at("2026-11-29T06:00:00Z");
    await world.run();
    expect(world.allEvents().map(({ externalRef }) => externalRef)).toEqual([
      "check-2026-11-28T06:00:00Z",
      "check-2026-11-29T06:00:00Z",
    ]);
  });

  test("of another tenant, or another schedule for the same case, is an event of its own", async () => {
    const world = scheduledWorld({
      nightly: daily,
      other: daily,
      theirs: { ...daily, tenantId: "t10" },
    });
    await world.run();
    expect(world.events("R-1", "t1")).toHaveLength(2);
    expect(world.events("R-1", "t10")).toHaveLength(1);
  });

  test("that cannot be recorded now stops no other, and is recorded a minute later", async () => {
    const world = scheduledWorld({ first: daily, second: { ...daily, tenantId: "t10" } });
    world.cases.hooks = {
      before: ({ key, operation }) => {
        if (operation === "createEvent" && key?.tenantId === "t1") throw new Error("down");
        return undefined;
      },
    };
    await world.run();
    world.cases.hooks = {};
    await world.run();
    expect(world.runs().toSorted()).toEqual([
      "schedule.first 2026-11-28T06:00:00Z",
      "schedule.second 2026-11-28T06:00:00Z",
    ]);
  });

  test("is not run by a worker to whom the store does not tell the time", async () => {
    const world = scheduledWorld();
    const control = {
      ...world.ports.control,
      read: async () => ({ ...(await world.ports.control.read()), storeMs: undefined }),
    };
    await runSchedules({ ...world.ports, control });
    expect(world.runs()).toEqual([]);
  });
});

describe("the nights on which clocks change", () => {
  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  test.each([
    ["Europe/Berlin", "2026-03-28T22:00:00Z"],
    ["Europe/Berlin", "2026-10-24T22:00:00Z"],
    ["America/New_York", "2026-03-08T03:00:00Z"],
    ["America/New_York", "2026-11-01T03:00:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T12:00:00Z"],
  ])("in %s from %s on: each hour is run once", async (place, fromTime) => {
    process.env["TZ"] = place;
    const world = scheduledWorld({ often: hourly });
    const fromMs = Date.parse(fromTime);
    for (let ms = fromMs; ms < fromMs + 8 * hourMs; ms += minuteMs) {
      world.at(new Date(ms).toISOString());
      await world.run();
    }
    const hours = Array.from({ length: 8 }, (_, n) => new Date(fromMs + n * hourMs).toISOString());
    const ids = world.allEvents().map(({ eventId }) => eventId);
    expect(ids).toEqual(hours.map((iso) => `${iso.slice(0, 19)}Z`));
  });

  test("leave the time of a daily run where it is", () => {
    const at = (time: string) => latestOccurrence(daily, Date.parse(time));
    expect(at("2026-03-29T06:00:00Z")).toBe("2026-03-29T06:00:00Z");
    expect(at("2026-10-25T05:59:59Z")).toBe("2026-10-24T06:00:00Z");
    expect(at("2028-03-01T06:00:00Z")).toBe("2028-03-01T06:00:00Z");
  });
});

describe("a schedule that is wrong", () => {
  const settings = {
    ServiceBus: "Endpoint=sb://x",
    Cosmos: "AccountEndpoint=https://x",
    CASE_ID_KEY: Buffer.alloc(32).toString("base64"),
    WEBHOOK_SOURCES: "{}",
    SUPPLIER_PORTAL_URL: "https://portal.example",
    SUPPLIER_PORTAL_TOKEN: "t",
    EMAIL_URL: "https://mail.example",
    EMAIL_TOKEN: "t",
    EMAIL_FROM: "ap@example.com",
  };

  test.each<[string, Record<string, unknown>, string]>([
    ["no whole minutes", { everyMinutes: 0.5 }, "everyMinutes"],
    ["a zone of its own", { startsAt: "2026-01-01T06:00:00+01:00" }, "startsAt"],
    ["seconds", { startsAt: "2026-01-01T06:00:30Z" }, "startsAt"],
    ["a field that nobody reads", { timeZone: "Europe/Berlin" }, "timeZone"],
    ["no tenant", { tenantId: "T 1" }, "tenantId"],
  ])("with %s is refused by name", (_what, change, field) => {
    const SCHEDULES = JSON.stringify({ nightly: { ...daily, ...change } });
    expect(() => readConfig({ ...settings, SCHEDULES })).toThrow(field);
  });

  test("in its event is refused at start-up, not at its first run", () => {
    const { ports } = scheduledWorld();
    const data = { nothing: true };
    const wrong = { ...daily, event: { type: "exception.raised", data } };
    expect(() => assertSchedules(ports.book, { wrong })).toThrow("SCHEDULES.wrong: data.reference");
    const lost = { ...daily, workflow: "none" };
    expect(() => assertSchedules(ports.book, { lost })).toThrow("SCHEDULES.lost: workflow");
  });

  test("is none by default", () => {
    expect(readConfig(settings).schedules).toEqual({});
  });
});
