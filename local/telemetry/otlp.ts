// What an OTLP/HTTP exporter posts as JSON, as far as it is shown here; whatever else is in it is passed over.
import { z } from "zod";

const Value = z.object({
  stringValue: z.string().optional(),
  boolValue: z.boolean().optional(),
  intValue: z.coerce.number().optional(),
  doubleValue: z.number().optional(),
});
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((list) =>
    Object.fromEntries(
      list.map(({ key, value }) => [
        key,
        value.stringValue ?? value.boolValue ?? value.intValue ?? value.doubleValue ?? "",
      ]),
    ),
  );
export type Attributes = z.infer<typeof Attributes>;

/** Nanoseconds since 1970, as text. */
const milliseconds = z.coerce.string().transform((nanos) => Number(BigInt(nanos) / 1000n) / 1000);

const SpanTold = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(""),
  name: z.string(),
  startTimeUnixNano: milliseconds,
  endTimeUnixNano: milliseconds,
  attributes: Attributes,
  status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
});
export type SpanTold = z.infer<typeof SpanTold>;

export const TracesTold = z
  .object({
    resourceSpans: z
      .array(
        z.object({
          scopeSpans: z.array(z.object({ spans: z.array(SpanTold).default([]) })).default([]),
        }),
      )
      .default([]),
  })
  .transform(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );

const DataPoint = z.object({
  attributes: Attributes,
  timeUnixNano: milliseconds,
  asInt: z.coerce.number().optional(),
  asDouble: z.number().optional(),
  count: z.coerce.number().optional(),
  sum: z.number().optional(),
  max: z.number().optional(),
});
export type DataPoint = z.infer<typeof DataPoint>;

const points = z.object({
  dataPoints: z.array(DataPoint).default([]),
  /** 1: since the last export; 2: since the start. */
  aggregationTemporality: z.number().optional(),
});

const MetricTold = z.object({
  name: z.string(),
  unit: z.string().default(""),
  sum: points.optional(),
  gauge: points.optional(),
  histogram: points.optional(),
});
export type MetricTold = z.infer<typeof MetricTold>;

export const MetricsTold = z
  .object({
    resourceMetrics: z
      .array(
        z.object({
          scopeMetrics: z.array(z.object({ metrics: z.array(MetricTold).default([]) })).default([]),
        }),
      )
      .default([]),
  })
  .transform(({ resourceMetrics }) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
  );
