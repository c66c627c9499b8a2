// HTTP in, HTTP out: reads a request, checks the key, finds its route, lets the fault rules have their
// say, runs it through the commit queue and sends the reply once it is durable.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { FaultRule } from "../faults.ts";
import { sessionToken } from "../items/session.ts";
import type { FaultRules } from "../observe/fault-rules.ts";
import { answerLocal } from "../observe/local-api.ts";
import type { RequestLog } from "../observe/request-log.ts";
import type { Service } from "../service.ts";
import type { CommitQueue } from "../store/commit-queue.ts";
import { authorize } from "./authorize.ts";
import type { Credentials } from "./authorize.ts";
import { refusalCharge } from "./charges.ts";
import type { CosmosRequest, Reply } from "./exchange.ts";
import { Refusal, refusalBody, tooLarge } from "./refusals.ts";
import { routeOf } from "./routes.ts";
import type { Route } from "./routes.ts";
import type { Throttle } from "./throttle.ts";

const BODY_BYTES_MAX = 8 * 1024 * 1024;
const LOOPBACK = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

export interface ListenerParts {
  service: Service;
  queue: CommitQueue;
  log: RequestLog;
  faults: FaultRules;
  throttle: Throttle;
  credentials: Credentials;
  scheme: "http" | "https";
}

export function requestListener(parts: ListenerParts) {
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    serve(incoming, outgoing, parts).catch((error: unknown) => {
      // A defect of this server; the client is told, and so is whoever runs it.
      console.error(error);
      outgoing.destroy();
    });
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (bytes > BODY_BYTES_MAX) throw tooLarge("Request size is too large.");
  return Buffer.concat(chunks).toString("utf8");
}

function toRequest(incoming: IncomingMessage, body: string, scheme: string): CosmosRequest {
  const path = (incoming.url ?? "/").split("?")[0] ?? "/";
  return {
    method: incoming.method ?? "GET",
    segments: path
      .split("/")
      .filter((segment) => segment !== "")
      .map(decodeURIComponent),
    header: (name) => {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    body,
    activityId: String(incoming.headers["x-ms-activity-id"] ?? randomUUID()),
    origin: `${scheme}://${incoming.headers.host ?? "127.0.0.1"}`,
    staleTransactions: 0,
  };
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  parts: ListenerParts,
): Promise<void> {
  let body: string;
  try {
    body = await readBody(incoming);
  } catch (error) {
    if (!(error instanceof Refusal)) return;
    return send(outgoing, refusalReply(error, randomUUID()), randomUUID(), parts);
  }
  if (incoming.url?.startsWith("/_local/") === true) {
    return serveLocal(incoming, outgoing, body, parts);
  }
  const request = toRequest(incoming, body, parts.scheme);
  const startedMs = performance.now();
  const route = routeOf(request);
  const fault = route === undefined ? undefined : parts.faults.pick(request, route.kind);
  const reply = await carryOut(request, route, fault, outgoing, parts);
  if (route !== undefined) record(request, route, reply, startedMs, fault, parts);
}

/** Undefined when the client was left without an answer. */
async function carryOut(
  request: CosmosRequest,
  route: Route | undefined,
  fault: FaultRule | undefined,
  outgoing: ServerResponse,
  parts: ListenerParts,
): Promise<Reply | undefined> {
  if (fault?.fault === "dropBefore") {
    outgoing.destroy();
    return undefined;
  }
  if (fault?.fault === "delay" || fault?.fault === "landLater") await wait(fault.delayMs ?? 0);
  if (fault?.fault === "staleReads") request.staleTransactions = fault.versions ?? 1;
  if (fault?.fault === "status" && fault.afterCommit !== true) {
    const reply = refusalReply(injected(fault), request.activityId);
    await send(outgoing, reply, request.activityId, parts);
    return reply;
  }
  const reply = await answer(request, route, parts);
  switch (fault?.fault) {
    case "dropAfterCommit":
      outgoing.destroy();
      return { ...reply, status: 0 };
    case "hangAfterCommit":
    case "landLater":
      return { ...reply, status: 0 };
    case "halfBody":
      await sendHalf(outgoing, reply, request.activityId, parts);
      return { ...reply, status: 0 };
    case "status": {
      const refused = refusalReply(injected(fault), request.activityId);
      await send(outgoing, refused, request.activityId, parts);
      return refused;
    }
    default:
      await send(outgoing, reply, request.activityId, parts);
      return reply;
  }
}

function injected({ status = 500, substatus, retryAfterMs }: FaultRule): Refusal {
  return new Refusal(status, "Injected fault.", {
    ...(substatus === undefined ? {} : { subStatus: substatus }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

async function answer(
  request: CosmosRequest,
  route: Route | undefined,
  { service, queue, credentials, throttle }: ListenerParts,
): Promise<Reply> {
  try {
    authorize(request, credentials, service.clock);
    if (route === undefined) {
      throw new Refusal(405, `${request.method} /${request.segments.join("/")} is not supported.`);
    }
    throttle.admit(request, service);
    const reply = await queue.submit({
      isWrite: route.isWrite,
      run: () => route.handler(request, service),
    });
    throttle.charge(reply, service);
    return reply;
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error, request.activityId);
    console.error(error);
    const message = error instanceof Error ? error.message : String(error);
    return refusalReply(new Refusal(500, message), request.activityId);
  }
}

function refusalReply(refusal: Refusal, activityId: string): Reply {
  const { subStatus, retryAfterMs } = refusal.details;
  return {
    status: refusal.status,
    body: refusalBody(refusal, activityId),
    headers: {
      ...(subStatus === undefined ? {} : { "x-ms-substatus": subStatus }),
      ...(retryAfterMs === undefined ? {} : { "x-ms-retry-after-ms": retryAfterMs }),
    },
    charge: refusal.status === 429 ? 0 : refusalCharge(refusal.status),
  };
}

function headersOf(reply: Reply, activityId: string, { service }: ListenerParts) {
  const { container } = reply;
  return {
    "content-type": "application/json",
    date: new Date(service.clock.nowMs()).toUTCString(),
    "x-ms-activity-id": activityId,
    "x-ms-request-charge": String(reply.charge),
    "x-ms-version": "2020-07-15",
    ...(container === undefined
      ? {}
      : {
          "x-ms-session-token": sessionToken(container, reply.rangeId),
          "x-ms-alt-content-path": `dbs/${container.databaseId}/colls/${container.id}`,
          "x-ms-content-path": container.rid,
          lsn: String(container.lsn),
        }),
    ...reply.headers,
  };
}

async function send(
  outgoing: ServerResponse,
  reply: Reply,
  activityId: string,
  parts: ListenerParts,
): Promise<void> {
  if (outgoing.destroyed) return;
  const headers: Record<string, string | number> = headersOf(reply, activityId, parts);
  if (reply.body !== undefined) headers["content-length"] = Buffer.byteLength(reply.body);
  outgoing.writeHead(reply.status, headers);
  outgoing.end(reply.body);
}

async function sendHalf(
  outgoing: ServerResponse,
  reply: Reply,
  activityId: string,
  parts: ListenerParts,
): Promise<void> {
  const body = Buffer.from(reply.body ?? "{}");
  const headers: Record<string, string | number> = headersOf(reply, activityId, parts);
  headers["content-length"] = body.length;
  outgoing.writeHead(reply.status, headers);
  const half = body.subarray(0, Math.floor(body.length / 2));
  await new Promise<void>((done) => outgoing.write(half, () => done()));
  outgoing.destroy();
}

function record(
  request: CosmosRequest,
  route: Route,
  reply: Reply | undefined,
  startedMs: number,
  fault: FaultRule | undefined,
  { log, service }: ListenerParts,
): void {
  log.add({
    atMs: service.clock.nowMs(),
    method: request.method,
    kind: route.kind,
    container: request.segments[3] ?? "",
    partitionKey: request.header("x-ms-documentdb-partitionkey") ?? "",
    ...(reply?.operations === undefined ? {} : { operations: reply.operations }),
    status: reply?.status ?? 0,
    charge: reply?.charge ?? 0,
    ms: Math.round((performance.now() - startedMs) * 100) / 100,
    userAgent: request.header("user-agent") ?? "",
    ...(fault === undefined ? {} : { fault: fault.fault }),
  });
}

function serveLocal(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: string,
  parts: ListenerParts,
): void {
  let answered: { status: number; body: unknown };
  if (!LOOPBACK.has(incoming.socket.remoteAddress ?? "")) {
    answered = { status: 403, body: { message: "loopback only" } };
  } else {
    try {
      const url = new URL(incoming.url ?? "/", "http://localhost");
      const parsed: unknown = body === "" ? undefined : JSON.parse(body);
      answered = answerLocal(incoming.method ?? "GET", url, parsed, parts);
    } catch (error) {
      answered = { status: 400, body: { message: error instanceof Error ? error.message : "" } };
    }
  }
  outgoing.writeHead(answered.status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(answered.body));
}
