// The real SDK, telling into memory: what a test asserts is what an exporter would have been given.
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
  type DataPoint,
  type Histogram,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-node";
import type { MetricName } from "../../shared/telemetry/metrics.ts";
import { openTelemetry } from "../../shared/telemetry/sdk/open-telemetry.ts";
import type { Telemetry } from "../../shared/telemetry/telemetry.ts";

export interface HeardTelemetry {
  telemetry: Telemetry;
  spans(): ReadableSpan[];
  /** Name, and the names of its children, as deep as they go. */
  tree(): Tree[];
  /** By attributes, like `outcome=confirmed provider=keyed`; a histogram's values are its sum. */
  metric(name: MetricName): Promise<Record<string, number>>;
  /** All that was told, as text. */
  everything(): Promise<string>;
}

export type Tree = string | { [name: string]: Tree[] };

export function heardTelemetry({ traceRatio } = { traceRatio: 1 }): HeardTelemetry {
  const told = new InMemorySpanExporter();
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: measured,
    exportIntervalMillis: 2 ** 30,
  });
  const { telemetry } = openTelemetry({
    spanProcessors: [new SimpleSpanProcessor(told)],
    readers: [reader],
    traceRatio,
    instanceId: "test",
  });
  const points = async () => {
    await reader.forceFlush();
    const scopes = measured.getMetrics().at(-1)?.scopeMetrics ?? [];
    return scopes
      .flatMap(({ metrics }) => metrics)
      .flatMap(({ dataPoints, descriptor }) =>
        (dataPoints as DataPoint<number | Histogram>[]).map((point) => ({
          name: descriptor.name,
          attributes: Object.entries(point.attributes)
            .map(([key, value]) => `${key}=${String(value)}`)
            .sort()
            .join(" "),
          value: typeof point.value === "number" ? point.value : (point.value.sum ?? 0),
        })),
      );
  };
  return {
    telemetry,
    spans: () => told.getFinishedSpans(),
    tree: () => treeOf(told.getFinishedSpans()),
    async metric(name) {
      const found = (await points()).filter((point) => point.name === name);
      return Object.fromEntries(found.map(({ attributes, value }) => [attributes, value]));
    },
    async everything() {
      const spans = told
        .getFinishedSpans()
        .map(({ attributes, events, links, name, status }) => [
          name,
          attributes,
          events,
          links,
          status,
        ]);
      return JSON.stringify([spans, await points()]);
    },
  };
}

function treeOf(spans: readonly ReadableSpan[]): Tree[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const order = (a: ReadableSpan, b: ReadableSpan) => spans.indexOf(a) - spans.indexOf(b);
  const under = (parent: string | undefined): Tree[] =>
    spans
      .filter(({ parentSpanContext: one }) =>
        parent === undefined ? one === undefined || !ids.has(one.spanId) : one?.spanId === parent,
      )
      .sort(order)
      .map((span) => {
        const children = under(span.spanContext().spanId);
        return children.length === 0 ? span.name : { [span.name]: children };
      });
  return under(undefined);
}
