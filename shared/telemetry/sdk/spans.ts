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
import type { Fields, SpanOptions, Telemetry } from "../telemetry.ts";
import { keeperOf, type Keeper } from "./keeper.ts";
import { contextFrom, linksOf, traceparentOf } from "./trace-context.ts";

interface Scope {
  span: Span;
  /** Of it and of all that begins in it from now on. */
  fields: Fields;
  outermost: Outermost;
  isOutermost: boolean;
}

/** What all within one outermost span share. */
interface Outermost {
  keeper: Keeper;
  hasWritten: boolean;
}

type Spans = Pick<
  Telemetry,
  "span" | "mark" | "note" | "traceparent" | "keep" | "wrote" | "hasWritten"
>;

/** `ratio`: which share of traces is told. */
export function spansOf(tracer: Tracer, ratio: number): Spans {
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
    const outermost = around?.outermost ?? {
      keeper: keeperOf(span.spanContext().traceId, ratio),
      hasWritten: false,
    };
    return { span, fields, outermost, isOutermost: around === undefined };
  }

  return {
    span(name, options, act) {
      const scope = begin(name, options);
      return scopes.run(scope, () => ended(scope, act));
    },
    mark: (name, fields) => end(begin(name, { fields })),
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
    keep: () => scopes.getStore()?.outermost.keeper.keep(),
    wrote() {
      const scope = scopes.getStore();
      if (scope !== undefined) scope.outermost.hasWritten = true;
    },
    hasWritten: () => scopes.getStore()?.outermost.hasWritten ?? false,
  };
}

/** Of an error only its class is told: a message may quote what was sent. */
async function ended<Result>(scope: Scope, act: () => Promise<Result>): Promise<Result> {
  const { outermost, span } = scope;
  try {
    return await act();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
    outermost.keeper.keep();
    throw error;
  } finally {
    end(scope);
  }
}

function end({ isOutermost, outermost, span }: Scope): void {
  outermost.keeper.end(span);
  if (isOutermost) outermost.keeper.close();
}

function attributesOf(fields: Fields): Attributes {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`countersign.${name}`, value]),
  );
}
