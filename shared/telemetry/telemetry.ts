// The port through which the app tells what it does: spans, measurements, and the trace that goes with a hint.
//
// Flows know only this. `sdk/` implements it over OpenTelemetry, and is loaded only where an exporter is configured; else
// everything here is a no-op. Nothing of it may fail, block or decide anything.
// Fields are names, ids, counts and kinds: never a payload, a fact, a target or a business's own reference.
import type { CounterName, GaugeName, HistogramName } from "./metrics.ts";

export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** Everything inside inherits them. */
  fields?: Fields;
  /** W3C trace context to go on from; without it a span is a child of the one around it, or begins a trace. */
  from?: string | undefined;
  /** Another trace that belongs to it: the host's own, where `from` names one. */
  beside?: string | undefined;
  /** A call that leaves this process. */
  outside?: boolean;
}

export interface Telemetry {
  span<Result>(name: string, options: SpanOptions, act: () => Promise<Result>): Promise<Result>;
  /** Something that took no time of its own. */
  mark(name: string, fields: Fields): void;
  /** Adds to the span around it, and to all that begins in it from now on. */
  note(fields: Fields): void;
  /** Of the span around it; undefined where there is none. */
  traceparent(): string | undefined;
  /** What the outermost span around it did is told, whatever share of traces is. */
  keep(): void;
  /** Something was written; `hasWritten` asks it of all that the outermost span did. */
  wrote(): void;
  hasWritten(): boolean;
  count(name: CounterName, attributes?: Fields): void;
  add(name: CounterName, amount: number): void;
  measure(name: HistogramName, value: number): void;
  gauge(name: GaugeName, value: number): void;
}

export const silentTelemetry: Telemetry = {
  span: (_name, _options, act) => act(),
  mark: () => {},
  note: () => {},
  traceparent: () => undefined,
  keep: () => {},
  wrote: () => {},
  hasWritten: () => false,
  count: () => {},
  add: () => {},
  measure: () => {},
  gauge: () => {},
};
