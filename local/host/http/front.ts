// The HTTP front: routes, keys, limits, Easy Auth's header, and the invocation behind a request.
//   401 no key that opens it; 404 no route, wrong method, disabled; 413 more than 100 MB; 429 too many at
//   once; 500 the handler threw (empty body); 502 the worker died; 503 no worker, or draining.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HostLog } from "../events.ts";
import type { Life } from "../instance.ts";
import type { Call, Invocations, Outcome } from "../invocations.ts";
import type { HostedFunction } from "../settings/functions.ts";
import { type AdminHost, answerAdmin } from "./admin.ts";
import {
  BODY_MAX_BYTES,
  joinedHeaders,
  readBody,
  requestData,
  sendAnswer,
  sendEmpty,
} from "./exchange.ts";
import { type Access, accessOf, allows, type HostKeys } from "./keys.ts";
import { applyPrincipal, type Principal } from "./principal.ts";
import { answerSignIn, personaOf } from "./sign-in.ts";
import type { RouteParams } from "./route-template.ts";
import { findRoute, pathSegments, type RouteTable } from "./route-table.ts";
import { forwardRequest, streamingMetadata } from "./streaming.ts";

export type FrontOptions = {
  keys: HostKeys;
  /** Whom a caller may be; none: nobody is ever signed in. */
  personas: readonly Principal[];
  maxOutstandingRequests: number;
  admin: AdminHost;
  log: HostLog;
  routes(): RouteTable;
  /** Still starting, or closing: only /admin is answered. */
  isClosed(): boolean;
  invocations: Invocations;
  /** A life that can take the call; waits for one that is just starting. */
  pickLife(): Promise<Life | undefined>;
};

type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  headers: Record<string, string>;
};

function failureStatus(outcome: Outcome): number {
  return outcome.kind === "workerLost" ? 502 : 500;
}

async function answerBuffered(
  { log, invocations }: FrontOptions,
  { request, response, url, headers }: Exchange,
  hosted: HostedFunction,
  params: RouteParams,
  life: Life,
): Promise<void> {
  const body = await readBody(request, BODY_MAX_BYTES);
  if (body === undefined) {
    response.setHeader("connection", "close");
    sendEmpty(response, 413);
    return;
  }
  const isChunked = request.headers["content-length"] === undefined && body.length > 0;
  if (isChunked) {
    const text =
      "A body without Content-Length is dropped, as on Azure without HTTP streaming; send Content-Length.";
    log("warning", `Function.${hosted.name}`, text, { functionName: hosted.name });
  }
  const http = requestData(request, url, headers, params, isChunked ? Buffer.alloc(0) : body);
  const call: Call = { inputs: [{ name: hosted.trigger.name, data: { http } }] };
  const outcome = await invocations.once(life, hosted, call);
  if (outcome.kind === "succeeded") sendAnswer(response, outcome.response.returnValue);
  else sendEmpty(response, failureStatus(outcome));
}

async function answerStreamed(
  { invocations }: FrontOptions,
  { request, response, headers }: Exchange,
  hosted: HostedFunction,
  params: RouteParams,
  life: Life,
  uri: string,
): Promise<void> {
  const invocationId = randomUUID();
  const forwarded = forwardRequest(uri, request, response, headers, invocationId);
  const outcome = await invocations.once(life, hosted, {
    inputs: [{ name: hosted.trigger.name, data: { http: {} } }],
    metadata: streamingMetadata(headers, params),
    invocationId,
  });
  if (outcome.kind !== "succeeded") forwarded.fail(failureStatus(outcome));
}

export function createFront(options: FrontOptions) {
  let outstanding = 0;

  async function answerRoute(exchange: Exchange, access: Access): Promise<void> {
    const { request, response, url } = exchange;
    const found = findRoute(options.routes(), request.method ?? "GET", url.pathname);
    if (found === undefined) return sendEmpty(response, 404);
    const { hosted, authLevel } = found.route;
    if (hosted.disabled && access !== "admin") return sendEmpty(response, 404);
    if (!allows(access, authLevel)) return sendEmpty(response, 401);
    const limit = options.maxOutstandingRequests;
    if (limit >= 0 && outstanding >= limit) return sendEmpty(response, 429);
    outstanding += 1;
    try {
      const life = await options.pickLife();
      if (life === undefined) return sendEmpty(response, 503);
      const uri = life.capabilities["HttpUri"];
      const persona = personaOf(exchange.headers, options.personas);
      applyPrincipal(exchange.headers, persona, options.personas.length > 0);
      if (uri === undefined) await answerBuffered(options, exchange, hosted, found.params, life);
      else await answerStreamed(options, exchange, hosted, found.params, life, uri);
    } finally {
      outstanding -= 1;
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const base = `http://${request.headers.host ?? "localhost"}`;
    if (!URL.canParse(request.url ?? "/", base)) return sendEmpty(response, 400);
    const url = new URL(request.url ?? "/", base);
    const headers = joinedHeaders(request);
    const key = headers["x-functions-key"];
    const access = accessOf(options.keys, key, url.searchParams.get("code"));
    const [first, ...rest] = pathSegments(url.pathname) ?? [];
    if (first?.toLowerCase() === "admin") {
      return await answerAdmin(options.admin, access, rest, request, response);
    }
    if (first === ".auth" && answerSignIn(options.personas, { request, response, url }, rest)) {
      return undefined;
    }
    if (options.isClosed()) return sendEmpty(response, 503);
    return await answerRoute({ request, response, url, headers }, access);
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch((error: unknown) => {
      options.log("error", "Host.Http", `${request.method} ${request.url}: ${String(error)}`);
      if (response.headersSent) response.destroy();
      else sendEmpty(response, 500);
    });
  };
}
