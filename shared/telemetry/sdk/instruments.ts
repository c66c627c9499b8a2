// The instruments of the catalogue (metrics.ts), each made when it is first used.
import type { Attributes, Meter } from "@opentelemetry/api";
import { metrics, type MetricName } from "../metrics.ts";
import type { Fields, Telemetry } from "../telemetry.ts";

const secondsBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

export function instrumentsOf(
  meter: Meter,
): Pick<Telemetry, "count" | "add" | "measure" | "gauge"> {
  const counters = cached((name) => {
    const { unit } = { unit: "", ...metrics[name] };
    return meter.createCounter(name, { unit });
  });
  const histograms = cached((name) => {
    const { unit } = { unit: "", ...metrics[name] };
    const advice = unit === "s" ? { explicitBucketBoundaries: secondsBounds } : {};
    return meter.createHistogram(name, { unit, advice });
  });
  const gauges = cached((name) => {
    const { unit } = { unit: "", ...metrics[name] };
    return meter.createGauge(name, { unit });
  });
  return {
    count: (name, attributes) => counters(name).add(1, plain(attributes)),
    add: (name, amount) => counters(name).add(amount),
    measure: (name, value) => histograms(name).record(value),
    gauge: (name, value) => gauges(name).record(value),
  };
}

function cached<Instrument>(make: (name: MetricName) => Instrument) {
  const made = new Map<MetricName, Instrument>();
  return (name: MetricName): Instrument => {
    const instrument = made.get(name) ?? make(name);
    made.set(name, instrument);
    return instrument;
  };
}

function plain(fields: Fields = {}): Attributes {
  return { ...fields };
}
