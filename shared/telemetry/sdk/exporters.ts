// Where spans and measurements go: Azure Monitor, an OTLP collector, or both, as the settings say.
//
// An exporter's own packages are heavy, so each is loaded when the first batch is ready to go, never on the way of a cold
// start. Export is in the background and bounded: a collector that hangs or is gone costs what it does not take, and no
// turn waits for it. All measurements are deltas: an instance tells only what it saw since it last told.
import {
  AggregationTemporality,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-node";
import type { AzureMonitor, TelemetryConfig } from "../telemetry-config.ts";
import type { Sinks } from "./open-telemetry.ts";

interface Exporters {
  spans: SpanExporter;
  metrics: PushMetricExporter;
}

const exportTimeoutMs = 10_000;
const spanDelayMsMax = 5000;

export function sinksOf(config: TelemetryConfig): Pick<Sinks, "spanProcessors" | "readers"> {
  const { azureMonitor, exportIntervalMs, otlpEndpoint } = config;
  const loads = [
    ...(azureMonitor === undefined ? [] : [once(() => azureMonitorExporters(azureMonitor))]),
    ...(otlpEndpoint === undefined ? [] : [once(() => otlpExporters(otlpEndpoint))]),
  ];
  return {
    spanProcessors: loads.map(
      (load) =>
        new BatchSpanProcessor(lazySpans(load), {
          scheduledDelayMillis: Math.min(exportIntervalMs, spanDelayMsMax),
          exportTimeoutMillis: exportTimeoutMs,
        }),
    ),
    readers: loads.map(
      (load) =>
        new PeriodicExportingMetricReader({
          exporter: lazyMetrics(load),
          exportIntervalMillis: exportIntervalMs,
          exportTimeoutMillis: Math.min(exportTimeoutMs, exportIntervalMs),
        }),
    ),
  };
}

async function azureMonitorExporters(options: AzureMonitor): Promise<Exporters> {
  const { AzureMonitorMetricExporter, AzureMonitorTraceExporter } =
    await import("@azure/monitor-opentelemetry-exporter");
  const common = {
    connectionString: options.connectionString,
    // A worker's disk is gone with it.
    disableOfflineStorage: true,
    ...(options.identity === undefined ? {} : { credential: await credentialOf(options.identity) }),
  };
  return {
    spans: new AzureMonitorTraceExporter(common),
    metrics: new AzureMonitorMetricExporter(common),
  };
}

async function credentialOf({ clientId }: NonNullable<AzureMonitor["identity"]>) {
  const { ManagedIdentityCredential } = await import("@azure/identity");
  return clientId === undefined
    ? new ManagedIdentityCredential()
    : new ManagedIdentityCredential({ clientId });
}

async function otlpExporters(endpoint: string): Promise<Exporters> {
  const [{ OTLPTraceExporter }, { OTLPMetricExporter }] = await Promise.all([
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/exporter-metrics-otlp-http"),
  ]);
  const base = endpoint.replace(/\/$/, "");
  const timeoutMillis = exportTimeoutMs;
  return {
    spans: new OTLPTraceExporter({ url: `${base}/v1/traces`, timeoutMillis }),
    metrics: new OTLPMetricExporter({ url: `${base}/v1/metrics`, timeoutMillis }),
  };
}

type Load = () => Promise<Exporters>;

/** A load that fails is tried again with the next batch. */
function once(load: Load): Load {
  let loading: Promise<Exporters> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/**
 * Whatever an exporter throws, of a wrong connection string or a defect of its own: the batch ends as one that nobody took,
 * at its time-out. A rejection that nobody hears would end the worker.
 */
function dropped(): void {}

function lazySpans(load: Load): SpanExporter {
  return {
    export: (spans, done) =>
      void load()
        .then((exporters) => exporters.spans.export(spans, done))
        .catch(dropped),
    shutdown: () => Promise.resolve(),
  };
}

function lazyMetrics(load: Load): PushMetricExporter {
  return {
    export: (metrics, done) =>
      void load()
        .then((exporters) => exporters.metrics.export(metrics, done))
        .catch(dropped),
    selectAggregationTemporality: () => AggregationTemporality.DELTA,
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
}
