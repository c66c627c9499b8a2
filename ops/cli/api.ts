// The operators' API over HTTP, and what its problems mean for the exit code.
//
// A request that was not answered, or answered "unavailable", is sent again a few times, the very same one: each that changes
// something carries an id made here, so twice is one.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { exitCodes, Failure } from "./exit-codes.ts";
import type { Target } from "./target.ts";

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Api {
  url: string;
  isLocal: boolean;
  /** `path` is below /api; its parts are encoded by `pathOf`. */
  get(path: string, query?: Query): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
  /** Asked once, and whatever is answered, "unavailable" too. */
  probe(path: string): Promise<unknown>;
}

const Problem = z.looseObject({
  type: z.string(),
  detail: z.string(),
  errors: z.array(z.object({ field: z.string(), detail: z.string() })).optional(),
});

const triesMax = 4;
const pauseMs = 500;
const pauseMaxMs = 5000;
const answerTimeoutMs = 60_000;

/** Refusals that mean "look again": somebody was faster, or the world has moved on. */
const lostRaces = new Set([
  "resolved-before",
  "changed-since-seen",
  "nothing-to-confirm",
  "answered-before",
  "approval-void",
  "revoked-before",
  "grant-exists",
]);

export function pathOf(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join("/");
}

export function apiOf(target: Target, signal: AbortSignal): Api {
  async function send(method: string, path: string, body?: object): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      const answer = await once(target, { method, path, body, signal });
      if (answer.kind === "answered") return answer.body;
      if (tries === triesMax) throw answer.failure;
      await delay(Math.min(answer.afterMs * tries, pauseMaxMs), undefined, { signal });
    }
  }
  return {
    url: target.url,
    isLocal: target.isLocal,
    get: (path, query = {}) => send("GET", `${path}${queryText(query)}`),
    post: (path, body) => send("POST", path, body),
    async probe(path) {
      const answer = await once(target, { method: "GET", path, body: undefined, signal });
      if (answer.kind === "answered") return answer.body;
      if (answer.body !== undefined) return answer.body;
      throw answer.failure;
    },
  };
}

function queryText(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value));
  }
  const text = given.toString();
  return text === "" ? "" : `?${text}`;
}

type Answer =
  | { kind: "answered"; body: unknown }
  /** `body`: of an answer that says "unavailable". */
  | { kind: "again"; failure: Failure; afterMs: number; body?: unknown };

async function once(
  target: Target,
  request: { method: string; path: string; body: object | undefined; signal: AbortSignal },
): Promise<Answer> {
  const { body, method, path, signal } = request;
  // A write that is under way is heard to its end: cut off, nobody would know what became of it.
  const timeout = AbortSignal.timeout(answerTimeoutMs);
  const ended = method === "GET" ? AbortSignal.any([signal, timeout]) : timeout;
  const headers = {
    accept: "application/json",
    ...(await target.headers()),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${target.url}/api/${path}`, {
      method,
      headers,
      redirect: "manual",
      signal: ended,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch (error) {
    if (method === "GET" && signal.aborted) throw error;
    const isWire = error instanceof TypeError || (error as Error).name === "TimeoutError";
    if (!isWire) throw error;
    const what = `${target.url} does not answer; nothing is known of this request. Run the same command again.`;
    return { kind: "again", failure: new Failure(exitCodes.unavailable, what), afterMs: pauseMs };
  }
  const json = jsonOf(text);
  if (response.ok && json !== undefined) return { kind: "answered", body: json };
  const failure = failureOf(response.status, json);
  if (failure.exitCode !== exitCodes.unavailable) throw failure;
  const afterMs = Number(response.headers.get("retry-after") ?? 0) * 1000 || pauseMs;
  return { kind: "again", failure, afterMs, body: json };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failureOf(status: number, json: unknown): Failure {
  const parsed = Problem.safeParse(json);
  if (!parsed.success) return new Failure(exitCodeOf(status, ""), inWords(status));
  const { detail, errors = [], type } = parsed.data;
  const fields = errors.map((error) => `\n  ${error.field}: ${error.detail}`).join("");
  const slug = type.slice(type.lastIndexOf(":") + 1);
  return new Failure(exitCodeOf(status, slug), `${detail}${fields}`, parsed.data);
}

/** Answers of the platform itself: no problem document. */
function inWords(status: number): string {
  if (status === 401) return "not signed in.";
  if (status === 403) return "the platform refuses this identity.";
  if (status >= 300 && status < 400) return "not signed in: the app sends to a login page.";
  if (status === 404) return "this address serves no such route; is it the app, and new enough?";
  return `it answered ${status}, without saying why.`;
}

function exitCodeOf(status: number, slug: string): number {
  if (status === 401 || status === 403 || (status >= 300 && status < 400))
    return exitCodes.forbidden;
  if (status === 400) return exitCodes.usage;
  if (status === 409) return lostRaces.has(slug) ? exitCodes.conflict : exitCodes.refused;
  if (status === 429 || status === 502 || status === 503 || status === 504)
    return exitCodes.unavailable;
  return exitCodes.refused;
}
