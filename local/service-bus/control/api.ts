// The control API: JSON over HTTP on the loopback address. It is for tests and people; no SDK uses
// it, and Azure has nothing like it.
//
//   GET    /queues        runtime counts per queue
//   GET    /log?after=N   what happened to messages since event N
//   GET    /counts        how often each has happened since the broker started
//   POST   /faults        plan faults: an array of Fault
//   GET    /faults        what is left of them, and how often each has struck
//   DELETE /faults
//   POST   /clock         {skewMs}: the broker's clock runs this much ahead of the machine's, or behind

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { z } from "zod";

import type { Broker } from "../broker/broker.ts";
import type { Queue } from "../broker/queue.ts";
import type { Fault } from "./fault-plan.ts";

export type QueueCounts = {
  name: string;
  /** Ready or locked. */
  active: number;
  scheduled: number;
  deadLetter: number;
  deferred: number;
  sessionsLocked: number;
};

const FaultRequest = z.object({
  match: z
    .object({
      queue: z.string().optional(),
      sessionId: z.string().optional(),
      operation: z.enum(["connect", "send", "schedule", "receive", "complete", "renew"]).optional(),
      userAgentContains: z.string().optional(),
    })
    .optional(),
  fault: z.enum([
    "dropBefore",
    "dropAfterCommit",
    "delay",
    "loseSessionLock",
    "redeliverCompleted",
    "serverBusy",
    "discard",
  ]),
  times: z.int().positive().optional(),
  probability: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
  delayMs: z.number().nonnegative().optional(),
});

const ClockRequest = z.strictObject({ skewMs: z.number() });

export type ControlApi = { url: string; close(): Promise<void> };

export async function serveControlApi(broker: Broker, port: number): Promise<ControlApi> {
  const server = createServer((request, response) => {
    respond(broker, request, response).catch((error: unknown) => {
      // Who asked has gone in the middle of the question: nobody waits for the answer.
      if (!request.destroyed || request.complete) throw error;
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Answer = { status: number; body: unknown };

async function respond(
  broker: Broker,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, body } = await answer(broker, request);
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function answer(broker: Broker, request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? "/", "http://localhost");
  switch (`${request.method} ${url.pathname}`) {
    case "GET /queues":
      return { status: 200, body: broker.queues().map(countsOf) };
    case "GET /log":
      return { status: 200, body: broker.log.after(Number(url.searchParams.get("after") ?? 0)) };
    case "GET /counts":
      return { status: 200, body: broker.log.counts() };
    case "GET /faults":
      return { status: 200, body: broker.faults.list() };
    case "DELETE /faults":
      broker.faults.clear();
      return { status: 200, body: [] };
    case "POST /faults":
      return planFaults(broker, await textOf(request));
    case "POST /clock":
      return setClock(broker, await textOf(request));
    default:
      return { status: 404, body: { error: `No ${request.method} ${url.pathname} here.` } };
  }
}

function planFaults(broker: Broker, text: string): Answer {
  const parsed = z.array(FaultRequest).safeParse(parseJson(text));
  if (!parsed.success) return { status: 400, body: { error: z.prettifyError(parsed.error) } };
  return { status: 201, body: broker.faults.add(parsed.data as Fault[]) };
}

function setClock(broker: Broker, text: string): Answer {
  const parsed = ClockRequest.safeParse(parseJson(text));
  if (!parsed.success) return { status: 400, body: { error: z.prettifyError(parsed.error) } };
  const { clock } = broker;
  clock.skew(parsed.data.skewMs);
  return { status: 200, body: { skewMs: clock.skewMs, nowMs: clock.nowMs() } };
}

export function countsOf(queue: Queue): QueueCounts {
  const counts = { active: 0, scheduled: 0, deferred: 0 };
  for (const { state } of queue.messages.values()) counts[state] += 1;
  const held = [...queue.sessions.values()].filter((session) => session.hold !== undefined);
  return {
    name: queue.name,
    ...counts,
    deadLetter: queue.deadLetterQueue?.messages.size ?? 0,
    sessionsLocked: held.length,
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
