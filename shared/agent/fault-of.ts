// What a call to the model's endpoint without a usable answer means: ask later, mend a setting, or ask a person.
//
//   nobody answered, 408, 409, 425, 429, 5xx      TransientFault, with the pause that the endpoint asked for
//   400 by a content filter                       declined: what it was asked about is for a person
//   a redirect, any other 4xx, no such API        TerminalFault that names the setting
//
// The library's own errors hold the request's answer and headers, and their causes the request: they end here. What is thrown
// on has a status, at most a short code, and our words.
import { APIConnectionError, APIError, APIUserAbortError, OpenAIError } from "openai";
import { TerminalFault, TransientFault } from "../domain/faults.ts";
import { retryAfterMsOf } from "../domain/retry-after.ts";

export type Silence =
  | { kind: "fault"; fault: TransientFault | TerminalFault }
  | { kind: "declined"; why: string };

const laterStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Undefined when it is none of what a call may throw: a defect. */
export function silenceOf(error: unknown): Silence | undefined {
  if (error instanceof APIUserAbortError || error instanceof APIConnectionError) {
    return later("the model's endpoint gave no answer");
  }
  if (error instanceof APIError) return ofStatus(error);
  // A body that is no JSON; its text is in the message and is not repeated.
  if (error instanceof SyntaxError) return { kind: "fault", fault: noSuchApi() };
  if (error instanceof OpenAIError) {
    return later("there is no token for the model's endpoint: see the app's identity");
  }
  return undefined;
}

export function noSuchApi(): TerminalFault {
  return new TerminalFault(
    "setting MODEL_ENDPOINT: what answers there does not speak chat completions.",
  );
}

function ofStatus(error: APIError): Silence {
  const status = error.status ?? 0;
  const code = shortCodeOf(error);
  if (laterStatuses.has(status) || status >= 500) {
    return later(`the model's endpoint answered ${status}`, pauseMsOf(error.headers));
  }
  if (status === 400 && (code === "content_filter" || code === "content_policy_violation")) {
    return { kind: "declined", why: "a content filter stopped the question" };
  }
  const fault = new TerminalFault(
    `the model's endpoint answered ${status}${code === "" ? "" : ` ${code}`}: ${remedyOf(status)}`,
  );
  return { kind: "fault", fault };
}

function remedyOf(status: number): string {
  if (status >= 300 && status < 400) {
    return "a redirect is not followed; set MODEL_ENDPOINT to the address itself.";
  }
  switch (status) {
    case 401:
      return "check MODEL_API_KEY, or without one the identity's role at the endpoint.";
    case 403:
      return "check MODEL_API_KEY or the identity's role, and who may reach the endpoint.";
    case 404:
      return "check the path in MODEL_ENDPOINT and the deployment in MODEL_NAME.";
    default:
      return "check that MODEL_NAME names a model with structured output (json_schema).";
  }
}

function later(why: string, retryAfterMs?: number): Silence {
  return { kind: "fault", fault: new TransientFault(why, { retryAfterMs }) };
}

/** Azure tells milliseconds, others the standard header. */
function pauseMsOf(headers: Headers | undefined): number | undefined {
  const ms = headers?.get("retry-after-ms")?.trim() ?? "";
  if (/^\d{1,9}$/.test(ms)) return retryAfterMsOf(String(Number(ms) / 1000), Date.now());
  return retryAfterMsOf(headers?.get("retry-after") ?? null, Date.now());
}

/** Only what looks like a code: the rest of an answer may repeat the question. */
function shortCodeOf({ code }: APIError): string {
  return typeof code === "string" && /^[A-Za-z_]{1,40}$/.test(code) ? code : "";
}
