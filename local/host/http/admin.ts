// The host's own endpoints under /admin. All but ping need the master key.
//   GET  /admin/host/ping, /admin/host/status            POST /admin/host/drain, /admin/host/resume
//   GET  /admin/host/drain/status, /admin/functions, /admin/functions/{name}, /admin/functions/{name}/status
//   POST /admin/functions/{name}  {"input": "text"}      fires any function, also a disabled one: 202 at once
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HostedFunction } from "../settings/functions.ts";
import { HOST_VERSION } from "../worker-process.ts";
import { readBody, sendEmpty } from "./exchange.ts";
import type { Access } from "./keys.ts";

export type HostState = "Starting" | "Running" | "Draining";

export type AdminHost = {
  hostId: string;
  startedAtMs: number;
  state(): HostState;
  functions(): HostedFunction[];
  errors(): { functionName: string; message: string }[];
  invokeUrl(hosted: HostedFunction): string | undefined;
  fire(hosted: HostedFunction, input: string): void;
  /** Invocations that have begun and not ended, on all workers. */
  inFlight(): number;
  drain(): void;
  resume(): void;
};

const INPUT_MAX_BYTES = 10_485_760;

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response
    .writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(text),
    })
    .end(text);
}

function hostStatus(host: AdminHost): object {
  const errors = host.errors();
  return {
    id: host.hostId,
    state: host.state(),
    version: HOST_VERSION,
    versionDetails: HOST_VERSION,
    platformVersion: "",
    instanceId: String(process.pid),
    computerName: "local",
    processUptime: Math.round(performance.now() - host.startedAtMs),
    ...(errors.length === 0
      ? {}
      : { errors: errors.map((error) => `${error.functionName}: ${error.message}`) }),
  };
}

function description(host: AdminHost, hosted: HostedFunction): object {
  const { name } = hosted;
  return {
    name,
    isDisabled: hosted.disabled,
    language: "node",
    href: `/admin/functions/${name}`,
    invoke_url_template: host.invokeUrl(hosted) ?? null,
    config: { name, bindings: [hosted.trigger, ...hosted.outputs] },
  };
}

async function fire(
  host: AdminHost,
  hosted: HostedFunction,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request, INPUT_MAX_BYTES);
  let input: unknown;
  try {
    const parsed: unknown = JSON.parse(body?.toString("utf8") ?? "");
    input = typeof parsed === "object" && parsed !== null && "input" in parsed ? parsed.input : "";
  } catch {
    sendEmpty(response, 400);
    return;
  }
  host.fire(hosted, typeof input === "string" ? input : JSON.stringify(input));
  sendEmpty(response, 202);
}

async function answerFunctions(
  host: AdminHost,
  path: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [name, rest] = path;
  const isGet = request.method === "GET";
  if (name === undefined) {
    if (!isGet) return sendEmpty(response, 404);
    const all = host.functions().map((hosted) => description(host, hosted));
    return sendJson(response, 200, all);
  }
  const hosted = host.functions().find((f) => f.name.toLowerCase() === name.toLowerCase());
  if (hosted === undefined) return sendEmpty(response, 404);
  if (rest === "status" && isGet) {
    const errors = host.errors().filter((error) => error.functionName === hosted.name);
    return sendJson(response, 200, {
      isDisabled: hosted.disabled,
      ...(errors.length === 0 ? {} : { errors: errors.map((error) => error.message) }),
    });
  }
  if (rest !== undefined) return sendEmpty(response, 404);
  if (isGet) return sendJson(response, 200, description(host, hosted));
  if (request.method === "POST") return await fire(host, hosted, request, response);
  return sendEmpty(response, 404);
}

export async function answerAdmin(
  host: AdminHost,
  access: Access,
  path: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [area, ...rest] = path;
  const isPost = request.method === "POST";
  if (area === "host" && rest.join("/") === "ping") return sendEmpty(response, 200);
  if (access !== "admin") return sendEmpty(response, 401);
  if (area === "functions") return await answerFunctions(host, rest, request, response);
  if (area !== "host") return sendEmpty(response, 404);
  switch (rest.join("/")) {
    case "status":
      return sendJson(response, 200, hostStatus(host));
    case "drain":
      if (!isPost) return sendEmpty(response, 404);
      host.drain();
      return sendEmpty(response, 202);
    case "drain/status":
      return sendJson(response, 200, {
        state:
          host.state() === "Draining"
            ? host.inFlight() > 0
              ? "InProgress"
              : "Completed"
            : "Disabled",
        outstandingInvocations: host.inFlight(),
      });
    case "resume":
      if (!isPost) return sendEmpty(response, 404);
      host.resume();
      return sendJson(response, 200, { state: host.state() });
    default:
      return sendEmpty(response, 404);
  }
}
