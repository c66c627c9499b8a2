// What Application Insights would be sent: the real exporter against a listener on this machine. The alerts' queries read
// `AppMetrics` by these very names and properties.
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTelemetry } from "../../shared/telemetry/start-telemetry.ts";
import { CERTIFICATE } from "../local/cosmos/service/loopback-certificate.ts";
import { startIngestion, type Ingestion } from "./ingestion.ts";

let ingestion: Ingestion;

beforeAll(async () => {
  // The exporter speaks to nobody without TLS.
  setDefaultCACertificates([...getCACertificates(), CERTIFICATE]);
  ingestion = await startIngestion();
});
afterAll(() => ingestion.close());

test("a counter, a histogram and a gauge arrive as metrics of these names, a span as a dependency, none as a request", async () => {
  const { connectionString, envelopes } = ingestion;
  const config = { azureMonitor: { connectionString }, exportIntervalMs: 60_000, traceRatio: 1 };
  const { telemetry, close } = await startTelemetry(config, "worker-1");
  await telemetry.span("turn", { fields: { caseKey: "acme:c1" } }, async () => {
    await telemetry.span("send", { outside: true }, async () => {});
  });
  telemetry.count("countersign.effects.settled", { outcome: "confirmed", provider: "email" });
  telemetry.count("countersign.effects.settled", { outcome: "confirmed", provider: "email" });
  telemetry.measure("countersign.commit.duration", 1.5);
  telemetry.measure("countersign.commit.duration", 2.5);
  telemetry.gauge("countersign.unknown.count", 3);
  await close(10_000);

  const ours = ingestion.metrics().filter(({ name }) => name.startsWith("countersign."));
  expect(ours).toContainEqual(
    expect.objectContaining({
      name: "countersign.effects.settled",
      value: 2,
      properties: expect.objectContaining({ outcome: "confirmed", provider: "email" }),
    }),
  );
  expect(ours).toContainEqual(
    expect.objectContaining({ name: "countersign.commit.duration", value: 4, count: 2, max: 2.5 }),
  );
  expect(ours).toContainEqual(
    expect.objectContaining({ name: "countersign.unknown.count", value: 3 }),
  );
  const types = envelopes.map(({ data }) => data.baseType);
  expect(types.filter((type) => type === "RemoteDependencyData")).toHaveLength(2);
  expect(types).not.toContain("RequestData");
  const turn = envelopes.find(({ data }) => data.baseData["name"] === "turn");
  expect(turn?.data.baseData.properties).toMatchObject({ "countersign.caseKey": "acme:c1" });
}, 30_000);

test("a span that stands for four says so, and one of an invocation that failed stands for itself", async () => {
  const { connectionString, envelopes } = ingestion;
  const config = { azureMonitor: { connectionString }, exportIntervalMs: 60_000, traceRatio: 0.25 };
  const { telemetry, close } = await startTelemetry(config, "worker-1");
  const from = `00-1${"0".repeat(31)}-b7ad6b7169203331-01`;
  await telemetry.span("chosen", { from }, async () => {});
  await telemetry.span("failed", { from }, () => Promise.reject(new Error("no"))).catch(() => {});
  await close(10_000);
  const rateOf = (name: string) =>
    envelopes.find(({ data }) => data.baseData["name"] === name)?.sampleRate;
  expect([rateOf("chosen"), rateOf("failed")]).toEqual([25, 100]);
}, 30_000);

test.each([
  "nonsense",
  "InstrumentationKey=;IngestionEndpoint=",
  `InstrumentationKey=${crypto.randomUUID()};IngestionEndpoint=https://127.0.0.1:1/`,
])(
  "a destination that cannot be used, %s, costs what it does not take and breaks nothing",
  async (connectionString) => {
    const config = { azureMonitor: { connectionString }, exportIntervalMs: 60_000, traceRatio: 1 };
    const { telemetry, close } = await startTelemetry(config, "worker-1");
    const told = await telemetry.span("turn", {}, async () => "done");
    telemetry.count("countersign.sweep.runs");
    expect(told).toBe("done");
    const closedAtMs = performance.now();
    await close(1000);
    // An unheard rejection would fail this run, and would end a worker.
    expect(performance.now() - closedAtMs).toBeLessThan(3000);
  },
);
