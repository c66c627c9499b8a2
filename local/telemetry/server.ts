// A small OTLP/HTTP collector with a page: what the app tells, for whoever looks and for tests. In memory only.
//
//   POST /v1/traces, /v1/metrics    as any OTLP exporter posts JSON
//   GET  /                          measurements and the latest cases;  /cases/{caseKey}: its traces as trees
//   GET  /_local/metrics            [{name, kind, unit, attributes, value, count?, max?}]
//   GET  /_local/cases              case keys, the newest first
//   GET  /_local/traces?case=KEY    [{traceId, roots: [{name, attributes, durationMs, children}]}]
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { newMeasured, type Measured } from "./metrics.ts";
import { MetricsTold, TracesTold } from "./otlp.ts";
import { casePage, metricsPage } from "./page.ts";
import { newTraces, type Traces } from "./traces.ts";

export interface TelemetryServer {
  url: string;
  close(): Promise<void>;
}

interface Told {
  measured: Measured;
  traces: Traces;
}

type Reply = { status: number; body: unknown } | { status: number; html: string };

export async function startTelemetry(options: { port?: number } = {}): Promise<TelemetryServer> {
  const told: Told = { measured: newMeasured(), traces: newTraces() };
  const server = createServer((request, response) => void answer(told, request, response));
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(told: Told, request: IncomingMessage, response: ServerResponse) {
  const reply = await replyTo(told, request);
  const isPage = "html" in reply;
  response.writeHead(reply.status, {
    "content-type": isPage ? "text/html; charset=utf-8" : "application/json",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
  });
  response.end(isPage ? reply.html : JSON.stringify(reply.body));
}

async function replyTo(told: Told, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  if (request.method === "POST") return take(told, url.pathname, request);
  const { measured, traces } = told;
  switch (url.pathname) {
    case "/":
      return { status: 200, html: metricsPage(measured.list(), traces.cases()) };
    case "/_local/metrics":
      return { status: 200, body: measured.list() };
    case "/_local/cases":
      return { status: 200, body: traces.cases() };
    case "/_local/traces":
      return { status: 200, body: traces.ofCase(url.searchParams.get("case") ?? "") };
  }
  const caseKey = /^\/cases\/([^/]+)$/.exec(url.pathname)?.[1];
  if (caseKey === undefined) return { status: 404, body: { code: "not_found" } };
  const key = decodeURIComponent(caseKey);
  return { status: 200, html: casePage(key, traces.ofCase(key)) };
}

async function take(told: Told, path: string, request: IncomingMessage): Promise<Reply> {
  const body = await json(request).catch(() => undefined);
  switch (path) {
    case "/v1/traces": {
      const parsed = TracesTold.safeParse(body);
      if (!parsed.success) return refused(parsed.error.message);
      told.traces.take(parsed.data);
      return { status: 200, body: {} };
    }
    case "/v1/metrics": {
      const parsed = MetricsTold.safeParse(body);
      if (!parsed.success) return refused(parsed.error.message);
      told.measured.take(parsed.data);
      return { status: 200, body: {} };
    }
    default:
      return { status: 404, body: { code: "not_found" } };
  }
}

function refused(detail: string): Reply {
  return { status: 400, body: { code: "not_otlp_json", detail } };
}
