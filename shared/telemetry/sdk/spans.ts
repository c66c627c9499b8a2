// Spans: the current one travels in an AsyncLocalStorage of our own, with the fields that all inside it inherit.
//
// They are `internal`, or `client` where a call leaves: a request of Azure Monitor is the host's own, told once.
import { AsyncLocalStorage } from "node:async_hooks";
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import type { Fields, Spent, SpanOptions, Telemetry } from "../telemetry.ts";
import { contextFrom, linksOf, traceparentOf } from "./trace-context.ts";

interface Scope {
  span: Span;
  /** Of it and of all that begins in it from now on. */
  fields: Fields;
  /** Of the outermost span around it. */
  spent: Map<Spent, number>;
}

type Spans = Pick<Telemetry, "span" | "mark" | "note" | "traceparent" | "spend" | "spent">;

export function spansOf(tracer: Tracer): Spans {
  const scopes = new AsyncLocalStorage<Scope>();

  function begin(name: string, options: SpanOptions): Scope {
    const around = options.from === undefined ? scopes.getStore() : undefined;
    const fields = { ...around?.fields, ...options.fields };
    const span = tracer.startSpan(
      name,
      {
        kind: options.outside === true ? SpanKind.CLIENT : SpanKind.INTERNAL,
        attributes: attributesOf(fields),
        links: linksOf(options),
      },
      around === undefined ? contextFrom(options.from) : trace.setSpan(ROOT_CONTEXT, around.span),
    );
    return { span, fields, spent: around?.spent ?? new Map() };
  }

  return {
    span(name, options, act) {
      const scope = begin(name, options);
      return scopes.run(scope, () => ended(scope.span, act));
    },
    mark: (name, fields) => begin(name, { fields }).span.end(),
    note(fields) {
      const scope = scopes.getStore();
      if (scope === undefined) return;
      scope.fields = { ...scope.fields, ...fields };
      scope.span.setAttributes(attributesOf(fields));
    },
    traceparent() {
      const scope = scopes.getStore();
      return scope === undefined ? undefined : traceparentOf(scope.span.spanContext());
    },
    spend(what, amount) {
      const spent = scopes.getStore()?.spent;
      spent?.set(what, (spent.get(what) ?? 0) + amount);
    },
    spent(what) {
      const spent = scopes.getStore()?.spent;
      return spent === undefined ? undefined : (spent.get(what) ?? 0);
    },
  };
}

/** Of an error only its class is told: a message may quote what was sent. */
async function ended<Result>(span: Span, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
    throw error;
  } finally {
    span.end();
  }
}

function attributesOf(fields: Fields): Attributes {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`countersign.${name}`, value]),
  );
}
