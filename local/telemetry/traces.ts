// Spans by trace, and the traces of one case as trees: every trace that has a span with the case's key in it.
//
// A span whose parent was told to somebody else (the Functions host's own, a sender's) stands at the root.
import type { Attributes, SpanTold } from "./otlp.ts";

export interface Node {
  name: string;
  spanId: string;
  parentSpanId: string;
  startMs: number;
  durationMs: number;
  failed: boolean;
  attributes: Attributes;
  children: Node[];
}

export interface Trace {
  traceId: string;
  roots: Node[];
}

export interface Traces {
  take(told: readonly SpanTold[]): void;
  /** The newest first. */
  cases(): string[];
  ofCase(caseKey: string): Trace[];
}

const tracesMax = 5000;
const caseAttribute = "countersign.caseKey";
const failedCode = 2;

export function newTraces(): Traces {
  const traces = new Map<string, SpanTold[]>();
  const caseTraces = new Map<string, Set<string>>();

  function takeSpan(span: SpanTold): void {
    const spans = traces.get(span.traceId) ?? [];
    spans.push(span);
    traces.set(span.traceId, spans);
    const caseKey = span.attributes[caseAttribute];
    if (typeof caseKey !== "string") return;
    const known = caseTraces.get(caseKey) ?? new Set();
    caseTraces.delete(caseKey);
    caseTraces.set(caseKey, known.add(span.traceId));
  }

  function forgetOldest(): void {
    for (const traceId of traces.keys()) {
      if (traces.size <= tracesMax) return;
      traces.delete(traceId);
    }
  }

  return {
    take(told) {
      told.forEach(takeSpan);
      forgetOldest();
    },
    cases: () => [...caseTraces.keys()].toReversed(),
    ofCase(caseKey) {
      const ids = [...(caseTraces.get(caseKey) ?? [])].filter((traceId) => traces.has(traceId));
      return ids
        .map((traceId) => ({ traceId, roots: rootsOf(traces.get(traceId) ?? []) }))
        .sort((a, b) => (a.roots[0]?.startMs ?? 0) - (b.roots[0]?.startMs ?? 0));
    },
  };
}

function rootsOf(spans: readonly SpanTold[]): Node[] {
  const nodes = new Map(spans.map((span) => [span.spanId, nodeOf(span)]));
  const roots: Node[] = [];
  for (const node of [...nodes.values()].sort((a, b) => a.startMs - b.startMs)) {
    const siblings = nodes.get(node.parentSpanId)?.children ?? roots;
    siblings.push(node);
  }
  return roots;
}

function nodeOf(span: SpanTold): Node {
  const { attributes, name, parentSpanId, spanId, startTimeUnixNano, endTimeUnixNano } = span;
  return {
    name,
    spanId,
    parentSpanId,
    attributes,
    startMs: startTimeUnixNano,
    durationMs: Math.max(0, endTimeUnixNano - startTimeUnixNano),
    failed: span.status.code === failedCode,
    children: [],
  };
}
