// W3C trace context as text, in and out. What a sender made up badly is no context at all.
import {
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type SpanContext,
} from "@opentelemetry/api";
import type { SpanOptions } from "../telemetry.ts";

const pattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

export function contextFrom(traceparent: string | undefined): Context {
  const context = spanContextOf(traceparent);
  return context === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context);
}

/** To the trace beside it, unless it is the same one. */
export function linksOf({ beside, from }: SpanOptions): Link[] {
  const context = spanContextOf(beside);
  return context === undefined || context.traceId === spanContextOf(from)?.traceId
    ? []
    : [{ context }];
}

/** Always as one that is told: the host tells its own part whatever share of ours is, and its alerts count on it. */
export function traceparentOf({ spanId, traceId }: SpanContext): string {
  return `00-${traceId}-${spanId}-01`;
}

function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId] = pattern.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}
