// One call to one provider, sent once: what was heard, or why nothing was. POST acts; GET only looks.
//
//   answered   a whole answer: status, parsed body, the few headers that matter
//   notSent    proof that no byte of the request left: refused connection, no such host, bad certificate
//   noAnswer   everything else: it may have been carried out
//
// Sent once means: over node:http itself, which follows no redirect and repeats nothing, and on a connection of its own (a
// keep-alive socket that dies under the request would be an unknown). The time-out destroys the socket; an
// answer over 64 KB is not read. Credentials go to the configured origin and nowhere else.
import {
  type IncomingMessage,
  request as httpRequest,
  validateHeaderName,
  validateHeaderValue,
} from "node:http";
import { request as httpsRequest } from "node:https";
import { brotliDecompressSync, unzipSync } from "node:zlib";
import type { HttpAnswers } from "../domain/contract.ts";
import { assertHttpUrl } from "./http-url.ts";
import { retryAfterMsOf } from "../domain/retry-after.ts";
import { codeOf, whyNothingLeft } from "./why-nothing-left.ts";

export interface HttpCall {
  /** Segments below the base URL, not yet encoded. */
  path: readonly string[];
  headers?: Readonly<Record<string, string>>;
  body: unknown;
  timeoutMs: number;
}

export interface Answered {
  kind: "answered";
  status: number;
  /** Undefined when the body is empty or no JSON. */
  body: unknown;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
  /** The provider says that it repeats an answer it kept under the key. */
  replayed: boolean;
}

export type Heard =
  | Answered
  | { kind: "notSent"; reason: string }
  | { kind: "noAnswer"; reason: string };

export interface HttpPoster {
  /** Never rejects, and settles within `timeoutMs`. */
  post(call: HttpCall): Promise<Heard>;
}

export interface HttpReader {
  /** Never rejects, and settles within `timeoutMs`. */
  get(question: {
    path: readonly string[];
    query?: Readonly<Record<string, string>>;
    timeoutMs: number;
  }): Promise<Heard>;
}

export const answerBytesMax = 64 * 1024;

export interface HttpProvider {
  provider: string;
  baseUrl: string;
  token: string;
  /** How the provider says that it repeats a stored answer; absent: it never says so. */
  replayMarker?: HttpAnswers["replayMarker"];
}

export function httpPoster(options: HttpProvider): HttpPoster {
  const base = baseOf(options);
  return {
    async post({ body, headers = {}, path, timeoutMs }) {
      const bytes = Buffer.from(JSON.stringify(body));
      const about = {
        "content-type": "application/json",
        "content-length": String(bytes.byteLength),
      };
      const built = build(base, options.token, { path, headers: { ...headers, ...about } });
      return built === undefined ? unwritable : send({ ...built, bytes }, options, timeoutMs);
    },
  };
}

export function httpReader(options: HttpProvider): HttpReader {
  const base = baseOf(options);
  return {
    async get({ path, query = {}, timeoutMs }) {
      const built = build(base, options.token, { path, headers: {}, query });
      return built === undefined ? unwritable : send(built, options, timeoutMs);
    },
  };
}

function baseOf({ baseUrl, provider, token }: HttpProvider): URL {
  const base = assertHttpUrl(provider, baseUrl);
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) {
    throw new Error(`${provider}: token must be 1 to 4096 printable characters.`);
  }
  return base;
}

const unwritable = {
  kind: "notSent",
  reason: "the request cannot be written down as a URL and headers",
} as const;

interface Built {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Absent: a GET. */
  bytes?: Buffer;
}

/** Undefined when a part of the call would change where it goes: a "..", a line break in a header. */
function build(
  base: URL,
  token: string,
  call: {
    path: readonly string[];
    headers: Readonly<Record<string, string>>;
    query?: Readonly<Record<string, string>>;
  },
): Built | undefined {
  const segments = call.path.map((segment) => encodeURIComponent(segment.toWellFormed()));
  const path = `${base.pathname.replace(/\/$/, "")}/${segments.join("/")}`;
  const url = new URL(path, base.origin);
  // "." and ".." would be resolved away, encoded or not.
  if (url.pathname !== path || url.origin !== base.origin) return undefined;
  for (const [name, value] of Object.entries(call.query ?? {})) {
    url.searchParams.set(name, value.toWellFormed());
  }
  const own = {
    authorization: `Bearer ${token}`,
    accept: "application/json",
    "accept-encoding": "identity",
    connection: "close",
  };
  const headers = { ...call.headers, ...own };
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    return { url, headers };
  } catch (error) {
    // A header with characters that no header may have; its text is not repeated.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function send(built: Built, provider: HttpProvider, timeoutMs: number): Promise<Heard> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const response = await responseTo(built, abort.signal);
    const text = await readBounded(response);
    if (text === undefined) {
      return { kind: "noAnswer", reason: `${response.statusCode} with more than 64 KB` };
    }
    return answered(response, text, provider.replayMarker);
  } catch (error) {
    // Whatever it is: the request may have left, so it becomes a value (style: the one hard line).
    if (abort.signal.aborted)
      return { kind: "noAnswer", reason: `no answer within ${timeoutMs} ms` };
    const proof = whyNothingLeft(error);
    return proof === undefined
      ? { kind: "noAnswer", reason: `the connection broke (${codeOf(error)})` }
      : { kind: "notSent", reason: proof };
  } finally {
    clearTimeout(timer);
  }
}

function responseTo({ bytes, headers, url }: Built, signal: AbortSignal): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const method = bytes === undefined ? "GET" : "POST";
  // No agent: a connection of its own, closed after the answer.
  const request = (isSecure ? httpsRequest : httpRequest)(url, {
    method,
    headers,
    agent: false,
    signal,
  });
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.on("error", reject);
    // Also where there is neither: an answer that asks for another protocol.
    request.once("close", () => reject(new Error("closed without an answer")));
    request.end(bytes);
  });
}

function answered(
  { headers, statusCode: status = 0 }: IncomingMessage,
  text: string,
  marker: HttpProvider["replayMarker"],
): Answered {
  const header = (name: string) => [headers[name] ?? []].flat()[0];
  return {
    kind: "answered",
    status,
    body: parsed(text),
    requestId: header("x-request-id")?.slice(0, 128),
    retryAfterMs: retryAfterMsOf(header("retry-after") ?? null, Date.now()),
    replayed:
      marker !== undefined &&
      header(marker.header.toLowerCase())?.toLowerCase() === marker.value.toLowerCase(),
  };
}

async function readBounded(response: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    byteCount += chunk.byteLength;
    // Leaving the loop destroys the socket.
    if (byteCount > answerBytesMax) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(unpacked(Buffer.concat(chunks), response.headers));
}

/** Some pack whatever they are asked for; what does not unpack throws. */
function unpacked(bytes: Buffer, headers: IncomingMessage["headers"]): Buffer {
  const limit = { maxOutputLength: answerBytesMax };
  switch (headers["content-encoding"]?.toLowerCase() ?? "identity") {
    case "identity":
      return bytes;
    case "gzip":
    case "x-gzip":
    case "deflate":
      return unzipSync(bytes, limit);
    case "br":
      return brotliDecompressSync(bytes, limit);
    default:
      throw new Error("its encoding is not known");
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
