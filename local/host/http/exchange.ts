// A request as an invocation's input, and an invocation's answer as a response.
// The body's bytes are passed on as they came (signatures are computed over them). As on Azure, a body without
// Content-Length (chunked) does not reach the function unless HTTP streaming is on.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpCookie, HttpData, TypedData } from "../protocol.ts";
import type { RouteParams } from "./route-template.ts";

/** Azure's limit on a request: 100 MB. */
export const BODY_MAX_BYTES = 104_857_600;

/** The whole body, or undefined as soon as it is longer than the limit. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

function nullable(values: Record<string, string>): Record<string, { value: string }> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }]));
}

export function joinedHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined) continue;
    headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

export function requestData(
  request: IncomingMessage,
  url: URL,
  headers: Record<string, string>,
  params: RouteParams,
  body: Buffer,
): HttpData {
  const query: Record<string, string> = {};
  for (const [name, value] of url.searchParams) {
    const earlier = query[name];
    query[name] = earlier === undefined ? value : `${earlier},${value}`;
  }
  return {
    url: url.href,
    method: request.method ?? "GET",
    nullableHeaders: nullable(headers),
    nullableParams: nullable(params),
    nullableQuery: nullable(query),
    ...(body.length > 0 ? { body: { bytes: body } } : {}),
  };
}

const SAME_SITE = { none: undefined, lax: "Lax", strict: "Strict", explicitNone: "None" } as const;

function cookieText(cookie: HttpCookie): string {
  const parts = [`${encodeURIComponent(cookie.name)}=${encodeURIComponent(cookie.value)}`];
  const expiresSeconds = cookie.expires?.value?.seconds;
  if (expiresSeconds !== undefined) {
    parts.push(`expires=${new Date(expiresSeconds * 1000).toUTCString()}`);
  }
  if (cookie.maxAge?.value !== undefined) parts.push(`max-age=${cookie.maxAge.value}`);
  if (cookie.domain?.value !== undefined) parts.push(`domain=${cookie.domain.value}`);
  parts.push(`path=${cookie.path?.value ?? "/"}`);
  if (cookie.secure?.value === true) parts.push("secure");
  const sameSite = SAME_SITE[cookie.sameSite ?? "none"];
  if (sameSite !== undefined) parts.push(`samesite=${sameSite}`);
  if (cookie.httpOnly?.value === true) parts.push("httponly");
  return parts.join("; ");
}

function bodyBytes(body: TypedData | null | undefined): Uint8Array | string {
  if (body?.bytes !== undefined) return body.bytes;
  return body?.string ?? body?.json ?? "";
}

export function sendEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-length": "0" }).end();
}

/** A handler that returns nothing answers 204; one that returns no HTTP object fails, which is 500. */
export function sendAnswer(response: ServerResponse, answer: TypedData | null | undefined): void {
  if (answer === null || answer === undefined) {
    response.writeHead(204).end();
    return;
  }
  const http = answer.http;
  if (http === undefined) {
    sendEmpty(response, 500);
    return;
  }
  const bytes = bodyBytes(http.body);
  const status = Number(http.statusCode ?? 200);
  for (const [name, value] of Object.entries(http.headers ?? {})) response.setHeader(name, value);
  const cookies = (http.cookies ?? []).map(cookieText);
  if (cookies.length > 0) response.setHeader("set-cookie", cookies);
  if (status !== 204 && status !== 304) {
    response.setHeader("content-length", Buffer.byteLength(bytes));
  }
  response.writeHead(status).end(bytes);
}
