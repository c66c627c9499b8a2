// The port over the OpenTelemetry SDK: spans and measurements, handed to whatever processors and readers it is given.
//
// No global provider is registered, so no library can add spans with what it sends in them. Every span is recorded,
// whatever the caller's sampling flag; which traces are told is ours to choose (keeper.ts).
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, type MetricReader } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOnSampler,
  NodeTracerProvider,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import type { Opened } from "../start-telemetry.ts";
import { instrumentsOf } from "./instruments.ts";
import { spansOf } from "./spans.ts";

export interface Sinks {
  spanProcessors: SpanProcessor[];
  readers: MetricReader[];
  /** Which share of traces is told. */
  traceRatio: number;
  /** This process, among others of the same app. */
  instanceId: string;
}

export function openTelemetry({ instanceId, readers, spanProcessors, traceRatio }: Sinks): Opened {
  const resource = resourceFromAttributes({
    "service.name": "countersign",
    "service.instance.id": instanceId,
  });
  const sampler = new AlwaysOnSampler();
  const tracers = new NodeTracerProvider({ resource, sampler, spanProcessors });
  const meters = new MeterProvider({ resource, readers });
  return {
    telemetry: {
      ...spansOf(tracers.getTracer("countersign"), traceRatio),
      ...instrumentsOf(meters.getMeter("countersign")),
    },
    async close(withinMs) {
      const options = { timeoutMillis: withinMs };
      const closing = Promise.allSettled([tracers.shutdown(), meters.shutdown(options)]);
      let timer: NodeJS.Timeout | undefined;
      const timedOut = new Promise((resolve) => (timer = setTimeout(resolve, withinMs)));
      await Promise.race([closing, timedOut]);
      clearTimeout(timer);
    },
  };
}
