// Every metric of the app. Alerts and the workbook ask for these names (infra/); METRICS.md there says how to read them.
//
//   counter     how often, since the last export; the sum over all instances is the truth
//   histogram   each value once
//   gauge       as the last sweep saw it, told once: the instance that swept last is the only one that tells it
export const metrics = {
  "countersign.effects.settled": { kind: "counter", attributes: ["outcome", "provider"] },
  "countersign.effects.contradicted": { kind: "counter", attributes: [] },
  "countersign.invariants.broken": { kind: "counter", attributes: [] },
  "countersign.attempts": { kind: "counter", attributes: ["answer", "provider"] },
  "countersign.duplicates.absorbed": { kind: "counter", attributes: ["place"] },
  "countersign.checkpoints.failed": { kind: "counter", attributes: [] },
  "countersign.cases.completed": { kind: "counter", attributes: [] },
  "countersign.deliveries.refused": { kind: "counter", attributes: ["problem"] },
  "countersign.reports.unmatched": { kind: "counter", attributes: [] },
  "countersign.batches": { kind: "counter", unit: "{batch}", attributes: [] },
  "countersign.store.charge": { kind: "counter", unit: "{RU}", attributes: [] },
  "countersign.store.throttled": { kind: "counter", attributes: [] },
  "countersign.sweep.runs": { kind: "counter", attributes: [] },
  "countersign.turns": { kind: "counter", attributes: ["result"] },
  "countersign.commit.duration": { kind: "histogram", unit: "s", attributes: [] },
  "countersign.feed.lag": { kind: "histogram", unit: "s", attributes: [] },
  "countersign.unknown.count": { kind: "gauge", unit: "{effect}", attributes: [] },
  "countersign.unknown.oldest_age": { kind: "gauge", unit: "s", attributes: [] },
  "countersign.reviews.open": { kind: "gauge", unit: "{review}", attributes: [] },
  "countersign.reviews.oldest_age": { kind: "gauge", unit: "s", attributes: [] },
  "countersign.cases.unresolved": { kind: "gauge", unit: "{case}", attributes: [] },
} as const satisfies Record<
  string,
  { kind: "counter" | "histogram" | "gauge"; unit?: string; attributes: readonly string[] }
>;

export type MetricName = keyof typeof metrics;

type NameOf<Kind> = {
  [Name in MetricName]: (typeof metrics)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];
export type CounterName = NameOf<"counter">;
export type HistogramName = NameOf<"histogram">;
export type GaugeName = NameOf<"gauge">;
