// The trace of one case, read end to end from a collector as a person would: from the webhook to the confirmed effect.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTelemetry, type TelemetryServer } from "../../local/telemetry/server.ts";
import type { Series } from "../../local/telemetry/metrics.ts";
import type { Node, Trace } from "../../local/telemetry/traces.ts";
import { CERTIFICATE } from "../local/cosmos/service/loopback-certificate.ts";
import { startIngestion } from "../telemetry/ingestion.ts";
import { isDone, openLocalWorld, waitUntil, type LocalWorld } from "./local-world.ts";

/** On a busy machine, too, each call is answered in time: one attempt each. */
const patient = { SUPPLIER_PORTAL_CALL_TIMEOUT_MS: "15000", EMAIL_CALL_TIMEOUT_MS: "15000" };

let collector: TelemetryServer;
let world: LocalWorld;

beforeAll(async () => {
  collector = await startTelemetry();
  world = await openLocalWorld({
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRIC_EXPORT_INTERVAL: "500",
      ...patient,
    },
  });
}, 60_000);
afterAll(async () => {
  await world?.close();
  await collector?.close();
});

async function read<Body>(path: string): Promise<Body> {
  const response = await fetch(`${collector.url}${path}`);
  return (await response.json()) as Body;
}

const tracesOf = (caseKey: string) =>
  read<Trace[]>(`/_local/traces?case=${encodeURIComponent(caseKey)}`);

async function measured(name: string): Promise<Series[]> {
  return (await read<Series[]>("/_local/metrics")).filter((one) => one.name === name);
}

function nodesIn(nodes: readonly Node[]): Node[] {
  return nodes.flatMap((node) => [node, ...nodesIn(node.children)]);
}

/** Names from the root down to this span. */
function pathTo(traces: readonly Trace[], wanted: Node): string[] {
  const all = nodesIn(traces.flatMap(({ roots }) => roots));
  const parent = all.find(({ children }) => children.includes(wanted));
  return [...(parent === undefined ? [] : pathTo(traces, parent)), wanted.name];
}

describe("a case that a webhook began", () => {
  test("is one trace: each provider's call stands under its claim, its turn, the hint and the webhook", async () => {
    const invoice = "INV-TRACE-1";
    await world.post(world.raised(invoice));
    const { case: record, effects } = await world.until(invoice, isDone);
    const caseKey = `acme:${record.caseId}`;
    let traces: Trace[] = [];
    await waitUntil("every call has been told", async () => {
      traces = await tracesOf(caseKey);
      const sent = nodesIn(traces.flatMap(({ roots }) => roots)).filter(
        ({ name }) => name === "settle",
      );
      return sent.length === effects.length;
    });
    const begun = traces.filter(({ roots }) => roots.some(({ name }) => name === "intake"));
    expect(begun).toHaveLength(1);
    const spans = nodesIn(begun[0]?.roots ?? []);
    const sends = spans.filter(({ name }) => name === "send");
    for (const send of sends) {
      expect(pathTo(begun, send)).toEqual(["intake", "hint", "turn", "claim", "send"]);
    }
    const called = sends.map(({ attributes }) => attributes["countersign.operationId"]);
    expect(new Set(called)).toEqual(new Set(effects.map(({ operationId }) => operationId)));
    expect(called).toHaveLength(effects.length);
    const confirmed = spans.filter(
      ({ attributes, name }) =>
        name === "settle" && attributes["countersign.status"] === "confirmed",
    );
    expect(confirmed).toHaveLength(effects.length);
    expect(spans.filter(({ name }) => name === "commit")).toHaveLength(1);
    const page = await (
      await fetch(`${collector.url}/cases/${encodeURIComponent(caseKey)}`)
    ).text();
    expect(page).toContain("\n        send ");
    expect(page).not.toContain(invoice);
  }, 60_000);

  test("is measured: from webhook to commit, its batches and what the store charged", async () => {
    // What is measured is told now and then: the commit, perhaps, before the batch that came after it.
    const total = async (name: string) => (await measured(name))[0]?.value ?? 0;
    await waitUntil("the last batch has been measured", async () => {
      return (await total("countersign.batches")) >= 4;
    });
    expect(await measured("countersign.commit.duration")).toHaveLength(1);
    const [batches] = await measured("countersign.batches");
    const [charge] = await measured("countersign.store.charge");
    expect(charge?.value).toBeGreaterThan((batches?.value ?? Infinity) * 10);
    expect(await measured("countersign.cases.completed")).toMatchObject([{ value: 1 }]);
  }, 60_000);
});

test("an effect that nobody can prove makes unknown.count 1, and its review is counted beside it", async () => {
  const invoice = "INV-TRACE-2";
  await world.providers.order([{ provider: "email", fault: "commitThenDrop" }]);
  await world.post(world.raised(invoice));
  await world.until(
    invoice,
    (view) => isDone(view) && view.effects.some(({ status }) => status === "unknown"),
  );
  await waitUntil("the sweep has told it", async () => {
    await world.fire("sweep-stale-effects");
    const [unknown] = await measured("countersign.unknown.count");
    return unknown?.value === 1;
  });
  expect(await measured("countersign.reviews.open")).toMatchObject([{ value: 1 }]);
  expect(await measured("countersign.cases.unresolved")).toMatchObject([{ value: 1 }]);
  const settled = await measured("countersign.effects.settled");
  expect(settled.map(({ attributes }) => attributes)).toContainEqual({
    outcome: "unknown",
    provider: "email",
  });
}, 60_000);

test("a collector that hangs neither slows nor fails a turn, and does not hold up a worker's end", async () => {
  let heard = 0;
  const hanging = createServer(() => void (heard += 1)).listen(0, "127.0.0.1");
  await once(hanging, "listening");
  const { port } = hanging.address() as AddressInfo;
  const deaf = await openLocalWorld({
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_METRIC_EXPORT_INTERVAL: "500",
      ...patient,
    },
  });
  try {
    for (const invoice of ["INV-DEAF-1", "INV-DEAF-2"]) {
      await deaf.post(deaf.raised(invoice));
      await deaf.until(invoice, isDone);
    }
    await waitUntil("it has been told, and has not answered", () => heard > 0);
    await deaf.post(deaf.raised("INV-DEAF-3"));
    const { effects } = await deaf.until("INV-DEAF-3", isDone);
    expect(effects.every(({ status }) => status === "confirmed")).toBe(true);
  } finally {
    const closedAtMs = performance.now();
    await deaf.close();
    hanging.closeAllConnections();
    hanging.close();
    expect(performance.now() - closedAtMs).toBeLessThan(8000);
    // Ended by its own hook, within the host's grace, and not killed.
    expect(deaf.exits.at(-1)).toMatchObject({ code: 0, signal: null });
  }
}, 60_000);

test("the built app tells Application Insights under the names that the alerts ask for", async () => {
  const ingestion = await startIngestion();
  const folder = mkdtempSync(join(tmpdir(), "trusted-"));
  writeFileSync(join(folder, "ca.pem"), CERTIFICATE);
  const watched = await openLocalWorld({
    settings: {
      APPLICATIONINSIGHTS_CONNECTION_STRING: ingestion.connectionString,
      APPLICATIONINSIGHTS_STATSBEAT_DISABLED: "true",
      NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
      OTEL_METRIC_EXPORT_INTERVAL: "500",
      ...patient,
    },
  });
  try {
    await watched.post(watched.raised("INV-INSIGHTS-1"));
    await watched.until("INV-INSIGHTS-1", isDone);
    await watched.fire("sweep-stale-effects");
    const told = () => new Set(ingestion.metrics().map(({ name }) => name));
    const wanted = [
      "countersign.effects.settled",
      "countersign.commit.duration",
      "countersign.sweep.runs",
      "countersign.unknown.oldest_age",
      "countersign.feed.lag",
    ];
    await waitUntil(
      () => `told: ${[...told()].join()}`,
      () => wanted.every((name) => told().has(name)),
    );
    const settled = ingestion.metrics().filter(({ name }) => name === wanted[0]);
    expect(settled.reduce((sum, { value }) => sum + value, 0)).toBe(3);
    expect(JSON.stringify(ingestion.envelopes)).not.toContain("INV-INSIGHTS-1");
  } finally {
    await watched.close();
    ingestion.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

test("what a worker has not told yet is handed on before it ends", async () => {
  const listener = await startTelemetry();
  const rare = {
    OTEL_EXPORTER_OTLP_ENDPOINT: listener.url,
    OTEL_METRIC_EXPORT_INTERVAL: "300000",
    ...patient,
  };
  const ending = await openLocalWorld({ settings: rare });
  await ending.post(ending.raised("INV-ENDS-1"));
  await ending.until("INV-ENDS-1", isDone);
  await ending.close();
  const told = (await (await fetch(`${listener.url}/_local/metrics`)).json()) as Series[];
  await listener.close();
  const completed = told.filter(({ name }) => name === "countersign.cases.completed");
  expect(completed).toMatchObject([{ value: 1 }]);
}, 60_000);
