// What Application Insights would be sent: the real exporter against a listener on this machine. The alerts' queries read
// `AppMetrics` by these very names and properties.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gunzipSync } from "node:zlib";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { CERTIFICATE, PRIVATE_KEY } from "../local/cosmos/service/loopback-certificate.ts";
import { startTelemetry } from "../../shared/telemetry/start-telemetry.ts";

const Envelope = z.object({
  name: z.string(),
  data: z.object({
    baseType: z.string(),
    baseData: z.looseObject({
      properties: z.record(z.string(), z.string()).optional(),
      metrics: z
        .array(
          z.object({
            name: z.string(),
            value: z.number(),
            count: z.number().optional(),
            max: z.number().optional(),
          }),
        )
        .optional(),
    }),
  }),
});
type Envelope = z.infer<typeof Envelope>;

const envelopes: Envelope[] = [];
let ingestion: Server;

beforeAll(async () => {
  // The exporter speaks to nobody without TLS.
  setDefaultCACertificates([...getCACertificates(), CERTIFICATE]);
  const identity = { cert: CERTIFICATE, key: PRIVATE_KEY };
  ingestion = createServer(identity, (request, response) => void ingest(request, response));
  ingestion.listen(0, "127.0.0.1");
  await once(ingestion, "listening");
});
afterAll(() => {
  ingestion.closeAllConnections();
  ingestion.close();
});

async function ingest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = await buffer(request);
  const isZipped = request.headers["content-encoding"] === "gzip";
  const text = (isZipped ? gunzipSync(bytes) : bytes).toString();
  const found = z.array(Envelope).safeParse(JSON.parse(text)).data ?? [];
  envelopes.push(...found);
  const count = found.length;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ itemsReceived: count, itemsAccepted: count, errors: [] }));
}

test("a counter, a histogram and a gauge arrive as metrics of these names, a span as a dependency, none as a request", async () => {
  const { port } = ingestion.address() as AddressInfo;
  const connectionString = `InstrumentationKey=${crypto.randomUUID()};IngestionEndpoint=https://127.0.0.1:${port}/`;
  const config = { azureMonitor: { connectionString }, exportIntervalMs: 60_000 };
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

  const metrics = envelopes.flatMap(({ data }) =>
    (data.baseData.metrics ?? []).map(({ count, max, name, value }) => ({
      name,
      value,
      ...(count === undefined ? {} : { count }),
      ...(max === undefined ? {} : { max }),
      properties: data.baseData.properties,
    })),
  );
  const ours = metrics.filter(({ name }) => name.startsWith("countersign."));
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

test.each([
  "nonsense",
  "InstrumentationKey=;IngestionEndpoint=",
  `InstrumentationKey=${crypto.randomUUID()};IngestionEndpoint=https://127.0.0.1:1/`,
])(
  "a destination that cannot be used, %s, costs what it does not take and breaks nothing",
  async (connectionString) => {
    const config = { azureMonitor: { connectionString }, exportIntervalMs: 60_000 };
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
