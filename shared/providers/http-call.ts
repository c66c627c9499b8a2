// One POST to one provider, sent once: what was heard, or why nothing was.
//
//   answered   a whole answer: status, parsed body, the few headers that matter
//   notSent    proof that no byte of the request left: refused connection, no such host, bad certificate
//   noAnswer   everything else: it may have been carried out
//
// Sent once means: no redirect is followed, no pooled connection is used (a keep-alive socket that dies under the
// request would be an unknown), and the body is a stream, because fetch itself sends a request whose
// body it can replay a second time when the answer is 421. The time-out destroys the socket; an
// answer over 64 KB is not read. Credentials go to the configured origin and nowhere else.
import { assertHttpUrl } from "./http-url.ts";
import { retryAfterMsOf } from "./retry-after.ts";

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

export const answerBytesMax = 64 * 1024;

export function httpPoster(options: {
  provider: string;
  baseUrl: string;
  token: string;
}): HttpPoster {
  const base = assertHttpUrl(options.provider, options.baseUrl);
  if (!/^[\x21-\x7e]{1,4096}$/.test(options.token)) {
    throw new Error(`${options.provider}: token must be 1 to 4096 printable characters.`);
  }
  return {
    async post(call) {
      const request = build(base, options.token, call);
      return request === undefined
        ? { kind: "notSent", reason: "the request cannot be written down as a URL and headers" }
        : send(request, call.timeoutMs);
    },
  };
}

interface Built {
  url: URL;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Undefined when a part of the call would change where it goes: a "..", a line break in a header. */
function build(base: URL, token: string, call: HttpCall): Built | undefined {
  const segments = call.path.map((segment) => encodeURIComponent(segment.toWellFormed()));
  const path = `${base.pathname.replace(/\/$/, "")}/${segments.join("/")}`;
  const url = new URL(path, base.origin);
  // "." and ".." would be resolved away, encoded or not.
  if (url.pathname !== path || url.origin !== base.origin) return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify(call.body));
  const own = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": String(bytes.byteLength),
    accept: "application/json",
    "accept-encoding": "identity",
    connection: "close",
  };
  try {
    return { url, bytes, headers: new Headers({ ...call.headers, ...own }) };
  } catch (error) {
    // A header with characters that no header may have; its text is not repeated.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function send(request: Built, timeoutMs: number): Promise<Heard> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const response = await fetch(request.url, {
      method: "POST",
      headers: request.headers,
      body: new Blob([request.bytes]).stream(),
      duplex: "half",
      redirect: "manual",
      credentials: "omit",
      cache: "no-store",
      signal: abort.signal,
    });
    const text = await readBounded(response);
    if (text === undefined) {
      return { kind: "noAnswer", reason: `${response.status} with more than 64 KB` };
    }
    return answered(response, text);
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

function answered(response: Response, text: string): Answered {
  const { headers, status } = response;
  const requestId = headers.get("x-request-id");
  return {
    kind: "answered",
    status,
    body: parsed(text),
    requestId: requestId === null ? undefined : requestId.slice(0, 128),
    retryAfterMs: retryAfterMsOf(headers.get("retry-after"), Date.now()),
    replayed: headers.get("idempotent-replayed")?.toLowerCase() === "true",
  };
}

async function readBounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of response.body ?? []) {
    byteCount += chunk.byteLength;
    // Leaving the loop destroys the socket.
    if (byteCount > answerBytesMax) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The request is written only after the handshake, so a certificate that was turned down saw none of it. */
const certificateCodes: ReadonlySet<string> = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Undefined unless the failure happened before there was a connection: a reset never proves that. */
export function whyNothingLeft(error: unknown): string | undefined {
  const cause = error instanceof TypeError ? error.cause : error;
  if (cause instanceof AggregateError) {
    // One attempt per address of the host; all of them must have failed in connecting.
    const reasons = cause.errors.map(whyNothingLeft);
    return reasons.length > 0 && !reasons.includes(undefined) ? reasons[0] : undefined;
  }
  if (!(cause instanceof Error)) return undefined;
  const code = codeOf(cause);
  const syscall = "syscall" in cause ? cause.syscall : undefined;
  if (syscall === "getaddrinfo") return `the host name was not found (${code})`;
  if (syscall === "connect" || code === "UND_ERR_CONNECT_TIMEOUT") return `no connection (${code})`;
  if (certificateCodes.has(code)) return `the certificate was turned down (${code})`;
  return undefined;
}

function codeOf(error: unknown): string {
  const cause = error instanceof TypeError ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return "no code";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}
