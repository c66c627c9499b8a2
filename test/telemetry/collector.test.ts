// The local collector: what is posted to it, shown; and deltas from the real exporter, added up.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTelemetry as startCollector } from "../../local/telemetry/server.ts";
import type { TelemetryServer } from "../../local/telemetry/server.ts";
import type { Series } from "../../local/telemetry/metrics.ts";
import { startTelemetry } from "../../shared/telemetry/start-telemetry.ts";

let collector: TelemetryServer;
beforeAll(async () => void (collector = await startCollector()));
afterAll(() => collector.close());

const listed = async () =>
  (await (await fetch(`${collector.url}/_local/metrics`)).json()) as Series[];

describe("two workers", () => {
  test("tell what each saw since it last told, and the sum is the truth", async () => {
    const config = { otlpEndpoint: collector.url, exportIntervalMs: 300_000, traceRatio: 1 };
    for (const [worker, waiting] of [
      ["one", 4],
      ["two", 1],
    ] as const) {
      const { telemetry, close } = await startTelemetry(config, worker);
      telemetry.count("countersign.sweep.runs");
      telemetry.count("countersign.turns", { result: "idle" });
      telemetry.measure("countersign.commit.duration", 3);
      telemetry.add("countersign.store.charge", 2.5);
      telemetry.gauge("countersign.unknown.count", waiting);
      await close(10_000);
    }
    const series = await listed();
    const of = (name: string) => series.filter((one) => one.name === name);
    expect(of("countersign.sweep.runs")).toMatchObject([{ kind: "counter", value: 2 }]);
    expect(of("countersign.turns")).toMatchObject([{ attributes: { result: "idle" }, value: 2 }]);
    expect(of("countersign.commit.duration")).toMatchObject([{ count: 2, value: 6, max: 3 }]);
    expect(of("countersign.store.charge")).toMatchObject([{ value: 5 }]);
    expect(of("countersign.unknown.count")).toMatchObject([{ kind: "gauge", value: 1 }]);
  }, 30_000);
});

describe("the page", () => {
  test("shows names as text, whatever they are", async () => {
    const nanos = "1800000000000000000";
    const span = {
      traceId: "a".repeat(32),
      spanId: "b".repeat(16),
      name: "<script>",
      startTimeUnixNano: nanos,
      endTimeUnixNano: nanos,
      attributes: [{ key: "countersign.caseKey", value: { stringValue: "acme:<b>" } }],
    };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    const told = await fetch(`${collector.url}/v1/traces`, { method: "POST", body });
    expect(told.status).toBe(200);
    const page = await (await fetch(`${collector.url}/cases/acme%3A%3Cb%3E`)).text();
    expect(page).toContain("&lt;script>");
    expect(page).not.toContain("<script>");
    const main = await (await fetch(collector.url)).text();
    expect(main).toContain("/cases/acme%3A%3Cb%3E");
  });

  test("says so where nothing was told", async () => {
    expect(await (await fetch(`${collector.url}/cases/acme%3Anone`)).text()).toContain("Nothing");
  });
});

test.each(["", "{", '{"resourceSpans":7}'])("a body that is no OTLP, %j, is 400", async (body) => {
  const told = await fetch(`${collector.url}/v1/traces`, { method: "POST", body });
  expect(told.status).toBe(400);
});

test.each(["/none", "/v1/logs"])("%s is 404", async (path) => {
  const told = await fetch(`${collector.url}${path}`, { method: "POST", body: "{}" });
  expect(told.status).toBe(404);
  expect((await fetch(`${collector.url}${path}`)).status).toBe(404);
});
