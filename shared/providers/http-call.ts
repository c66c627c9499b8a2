// One call to one provider, sent once: what was heard, or why nothing was. POST acts; GET only looks.
//
//   answered   a whole answer: status, parsed body, the few headers that matter
//   notSent    proof that no byte of the request left: no such host, no connection, no handshake, a bad certificate
//   noAnswer   everything else: it may have been carried out
//
// Sent once means: over node:http itself, which follows no redirect and repeats nothing, and on a connection of its own (a
// keep-alive socket that dies under the request would be an unknown). The time-out destroys the socket. Credentials go to the
// configured origin and nowhere else. A question asks every cache on its way to pass it on, and takes no answer of one:
// what is kept of an earlier absence is no absence now.
import {
  type IncomingMessage,
  request as httpRequest,
  validateHeaderName,
  validateHeaderValue,
} from "node:http";
import { request as httpsRequest } from "node:https";
import type { HttpAnswers } from "../domain/contract.ts";
import { isFromCache, readAnswer, type Answered } from "./http-answer.ts";
import { assertHttpUrl } from "./http-url.ts";

export interface HttpCall {
  /** Segments below the base URL, not yet encoded. */
  path: readonly string[];
  headers?: Readonly<Record<string, string>>;
  body: unknown;
  timeoutMs: number;
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
      const headers = { "cache-control": "no-cache" };
      const built = build(base, options.token, { path, headers, query });
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
  const connection = { stands: false };
  try {
    const response = await responseTo(built, connection, abort.signal);
    const answer = await readAnswer(response, provider.replayMarker);
    if (answer.kind === "unread") return { kind: "noAnswer", reason: answer.reason };
    return built.bytes === undefined && isFromCache(response)
      ? { kind: "noAnswer", reason: `${answer.status} out of a cache` }
      : answer;
  } catch (error) {
    // Whatever it is: the request may have left, so it becomes a value (style: the one hard line).
    const late = abort.signal.aborted ? `within ${timeoutMs} ms` : undefined;
    if (!connection.stands) {
      return { kind: "notSent", reason: `no connection ${late ?? `(${codeOf(error)})`}` };
    }
    const reason =
      late === undefined ? `the connection broke (${codeOf(error)})` : `no answer ${late}`;
    return { kind: "noAnswer", reason };
  } finally {
    clearTimeout(timer);
  }
}

/** `connection.stands` from the moment on at which a byte of the request may leave: Node writes none before. */
function responseTo(
  { bytes, headers, url }: Built,
  connection: { stands: boolean },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const method = bytes === undefined ? "GET" : "POST";
  // No agent: a connection of its own, closed after the answer.
  const request = (isSecure ? httpsRequest : httpRequest)(url, {
    method,
    headers,
    agent: false,
    signal,
  });
  // With TLS after the handshake, in which a bad certificate is turned down.
  request.once("socket", (socket) => {
    socket.once(isSecure ? "secureConnect" : "connect", () => (connection.stands = true));
  });
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.on("error", reject);
    // Also where there is neither: an answer that asks for another protocol.
    request.once("close", () => reject(new Error("closed without an answer")));
    request.end(bytes);
  });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "no code";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
