// A request that a provider has understood, before anything is done about it.
//
// A provider file turns an HTTP request into one of these; everything after that (faults, keys, the
// journal, the answer) is the same for all of them and lives in serve-call.ts.
import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import type { Action, Journal, ProviderName } from "../journal.ts";

export interface ProviderRequest {
  method: string;
  /** Without the provider's prefix, still encoded. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  query?: URLSearchParams;
}

export interface Refusal {
  status: number;
  code: string;
  detail: string;
}

export interface Call {
  provider: ProviderName;
  action: Action;
  account: string;
  target: string;
  operation: string;
  /** Only where the provider promises something about it. */
  key?: string;
  body: unknown;
  /** The request is wrong in itself; this is the answer and nothing is applied. */
  refusal?: Refusal;
  /** True: its target allows it one time only, whoever asks. */
  once?: boolean;
  /** Results are numbered within a series, such as `CN-000123`. */
  series: string;
  result(id: string): { status: number; body: unknown };
}

/** `undefined`: no such resource. */
export type ReadCall = (request: ProviderRequest) => Call | undefined;

/** A look-up: it changes nothing, and is no line of the journal. */
export type ReadQuestion = (
  request: ProviderRequest,
) => ((journal: Journal, nowMs: number) => Promise<{ status: number; body: unknown }>) | undefined;

export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function textOf(body: unknown, field: string): string {
  if (typeof body !== "object" || body === null) return "";
  const value: unknown = Reflect.get(body, field);
  return typeof value === "string" ? value : "";
}

export function tokenRefusal(headers: IncomingHttpHeaders): Refusal | undefined {
  if (/^Bearer \S+$/.test(headers.authorization ?? "")) return undefined;
  return { status: 401, code: "unauthorized", detail: "A bearer token is required." };
}

export function bodyRefusal(parsed: z.ZodSafeParseResult<unknown>): Refusal | undefined {
  if (parsed.success) return undefined;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  return {
    status: 400,
    code: "invalid_body",
    detail: `${where}: ${issue?.message ?? "not valid"}`,
  };
}
