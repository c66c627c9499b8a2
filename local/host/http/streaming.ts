// HTTP streaming: an app that calls `app.setup({ enableHttpStream: true })` opens an HTTP server of its own in the
// worker. The host forwards the request there under its invocation id, and sends the invocation beside it; the
// answer's bytes pass through as they come.
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import type { TypedData } from "../protocol.ts";
import { sendEmpty } from "./exchange.ts";
import type { RouteParams } from "./route-template.ts";

/** What the library reads its request from when it streams: header names and parameters, no body. */
export function streamingMetadata(
  headers: Record<string, string>,
  params: RouteParams,
): Record<string, TypedData> {
  const values = Object.entries(params).map(([name, value]) => [name, { string: value }]);
  return { ...Object.fromEntries(values), Headers: { json: JSON.stringify(headers) } };
}

export type Forwarded = {
  /** Ends the exchange when the invocation has failed before it answered. */
  fail(status: number): void;
};

export function forwardRequest(
  uri: string,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string>,
  invocationId: string,
): Forwarded {
  const target = new URL(request.url ?? "/", uri);
  const outgoing = httpRequest(target, {
    method: request.method ?? "GET",
    headers: {
      ...headers,
      host: target.host,
      "x-ms-invocation-id": invocationId,
      "x-forwarded-host": headers["host"] ?? "localhost",
      "x-forwarded-proto": "http",
    },
  });
  const fail = (status: number) => {
    outgoing.destroy();
    if (response.headersSent) response.destroy();
    else sendEmpty(response, status);
  };
  outgoing.on("response", (answer) => {
    const { "x-ms-invocation-id": _, ...answerHeaders } = answer.headers;
    response.writeHead(answer.statusCode ?? 500, answerHeaders);
    response.flushHeaders();
    // A cut stream is the client's to see: the response is destroyed, never ended as if complete.
    pipeline(answer, response, () => {});
  });
  outgoing.on("error", () => fail(502));
  request.pipe(outgoing);
  return { fail };
}
