// Measurements added up over all workers and exports: counters and histograms from the start, gauges as last told.
import type { Attributes, DataPoint, MetricTold } from "./otlp.ts";

export interface Series {
  name: string;
  kind: "counter" | "gauge" | "histogram";
  unit: string;
  attributes: Attributes;
  /** A counter's or a histogram's sum, a gauge's last value. */
  value: number;
  /** How many values a histogram has. */
  count?: number;
  max?: number;
  atMs: number;
}

export interface Measured {
  take(told: readonly MetricTold[]): void;
  list(): Series[];
}

const delta = 1;

export function newMeasured(): Measured {
  const series = new Map<string, Series>();

  function takePoint(told: MetricTold, kind: Series["kind"], point: DataPoint, isDelta: boolean) {
    const { name, unit } = told;
    const { attributes, timeUnixNano: atMs } = point;
    const id = JSON.stringify([name, Object.entries(attributes).map(String).sort()]);
    const before = series.get(id);
    if (kind === "gauge" && before !== undefined && before.atMs > atMs) return;
    const adds = kind !== "gauge" && isDelta;
    const now = point.asInt ?? point.asDouble ?? point.sum ?? 0;
    const { count, max } = point;
    series.set(id, {
      name,
      kind,
      unit,
      attributes,
      atMs,
      value: now + (adds ? (before?.value ?? 0) : 0),
      ...(count === undefined ? {} : { count: count + (adds ? (before?.count ?? 0) : 0) }),
      ...(max === undefined ? {} : { max: Math.max(max, before?.max ?? max) }),
    });
  }

  return {
    take(told) {
      for (const metric of told) {
        const kinds = [
          ["counter", metric.sum],
          ["gauge", metric.gauge],
          ["histogram", metric.histogram],
        ] as const;
        for (const [kind, points] of kinds) {
          const isDelta = points?.aggregationTemporality === delta;
          for (const point of points?.dataPoints ?? []) takePoint(metric, kind, point, isDelta);
        }
      }
    },
    list: () =>
      [...series.values()].sort((a, b) =>
        `${a.name} ${JSON.stringify(a.attributes)}` < `${b.name} ${JSON.stringify(b.attributes)}`
          ? -1
          : 1,
      ),
  };
}
