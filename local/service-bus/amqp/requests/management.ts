// `<entity>/$management`: requests about messages and sessions outside a receiving link. This file
// is the frame; the operations are a table in management-operations.ts.
//
// An error reply always carries `errorCondition`: the SDK maps it before the status code, and
// several conditions share status 410.

import type { Receiver, Typed } from "rhea";

import type { Broker } from "../../broker/broker.ts";
import type { Refusal } from "../../broker/message.ts";
import type { Queue } from "../../broker/queue.ts";
import type { FaultOperation } from "../../control/fault-plan.ts";
import { types } from "../codec.ts";
import { discarding, operations, type ManagementReply } from "./management-operations.ts";
import { serveRequests, type Request } from "./replies.ts";
import { isRefusal, underFaults } from "../under-faults.ts";

const STATUS_CODES: Record<string, number> = {
  "amqp:not-allowed": 400,
  "com.microsoft:argument-error": 400,
  "amqp:link:message-size-exceeded": 403,
  "com.microsoft:message-not-found": 404,
  "com.microsoft:message-lock-lost": 410,
  "com.microsoft:session-lock-lost": 410,
  "amqp:not-implemented": 501,
  "com.microsoft:server-busy": 503,
};

const FAULT_OPERATIONS: Record<string, FaultOperation> = {
  "schedule-message": "schedule",
  "renew-lock": "renew",
  "renew-session-lock": "renew",
  "receive-by-sequence-number": "receive",
};

export function serveManagement(broker: Broker, queue: Queue, link: Receiver): void {
  serveRequests(link, (request) => serveOne(broker, queue, link, request));
}

function serveOne(broker: Broker, queue: Queue, link: Receiver, request: Request): void {
  const name = String(request.properties["operation"]).replace(/^com\.microsoft:/, "");
  const body = (request.body ?? {}) as Record<string, unknown>;
  const linkName = request.properties["associated-link-name"];
  const asked = {
    broker,
    queue,
    body,
    linkName: typeof linkName === "string" ? linkName : undefined,
  };
  const [operation, discard] = [operations[name], discarding[name]];
  underFaults<ManagementReply>(broker, {
    subject: faultSubject(name, queue, body),
    queue,
    connection: link.connection,
    apply() {
      if (operation === undefined) {
        return { condition: "amqp:not-implemented", description: `No operation "${name}" here.` };
      }
      return operation(asked);
    },
    answer(result) {
      if (isRefusal(result)) refuse(request, result);
      else request.reply(status(result.statusCode ?? 200, "OK"), bodyOf(result));
    },
    ...(discard === undefined ? {} : { pretend: { discard: () => discard(asked) } }),
  });
}

function faultSubject(name: string, queue: Queue, body: Record<string, unknown>) {
  const operation =
    name === "update-disposition" && body["disposition-status"] === "completed"
      ? "complete"
      : FAULT_OPERATIONS[name];
  if (operation === undefined) return undefined;
  const sessionId = body["session-id"] ?? firstSessionOf(body["messages"]);
  return {
    operation,
    queue: queue.name,
    sessionId: typeof sessionId === "string" ? sessionId : undefined,
  };
}

function firstSessionOf(messages: unknown): unknown {
  const [first] = Array.isArray(messages) ? (messages as Record<string, unknown>[]) : [];
  return first?.["session-id"];
}

function refuse(request: Request, refusal: Refusal): void {
  request.reply(
    {
      ...status(STATUS_CODES[refusal.condition] ?? 500, refusal.description),
      errorCondition: types.wrap_symbol(refusal.condition),
    },
    undefined,
  );
}

function status(code: number, description: string): Record<string, Typed | string> {
  return { statusCode: types.wrap_int(code), statusDescription: description };
}

function bodyOf(reply: ManagementReply): Typed | undefined {
  return reply.body === undefined ? undefined : types.wrap_map(reply.body);
}
