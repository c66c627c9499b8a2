// One call to an OpenAI-compatible endpoint: messages and a schema in, what the model said out.
//
//   text       what it said, unchecked
//   declined   it refused, a filter stopped it, or its answer is cut off: a person decides
//
// Everything else is thrown as a fault (fault-of.ts). Sent once: no retries and no redirects of the library, so the credential
// goes to the configured address and nowhere else. A call ends with its time-out or with the turn's signal, whichever
// is first, even if a token or a body never comes; what arrives later is not read. Of an answer only the first choice's
// text counts; tools are not offered, and a call id is never looked at (cases.md 72).
import OpenAI from "openai";
import { z } from "zod";
import { TransientFault } from "../domain/faults.ts";
import { noSuchApi, silenceOf } from "./fault-of.ts";

export interface ChatSettings {
  baseUrl: string;
  model: string;
  /** A key, or what fetches a token; asked for each call. */
  key: string | (() => Promise<string>);
  callTimeoutMs: number;
}

export interface Message {
  role: "system" | "user" | "assistant";
  content: string;
}

export type Said = { kind: "text"; text: string } | { kind: "declined"; why: string };

export type Chat = (
  asked: { messages: readonly Message[]; schema: Record<string, unknown> },
  signal: AbortSignal,
) => Promise<Said>;

const answerBytesMax = 1024 * 1024;

const Completion = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string().nullish(),
      message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
    }),
  ),
});
/** What some gateways answer with 200. */
const ErrorInside = z.object({ error: z.looseObject({}) });

export function chatEndpoint({ baseUrl, callTimeoutMs, key, model }: ChatSettings): Chat {
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: key,
    // Null where the library would else read the environment.
    organization: null,
    project: null,
    logLevel: "off",
    maxRetries: 0,
    timeout: callTimeoutMs,
    fetch: fetchOnce,
  });
  return async ({ messages, schema }, signal) => {
    const call = within(callTimeoutMs, signal);
    try {
      const completion = client.chat.completions.create(
        {
          model,
          messages: [...messages],
          response_format: {
            type: "json_schema",
            json_schema: { name: "proposal", strict: true, schema },
          },
        },
        { signal: call.signal },
      );
      return saidIn(await Promise.race([completion, call.over]));
    } catch (error) {
      const silence = silenceOf(error);
      if (silence?.kind === "declined") return silence;
      throw silence?.fault ?? error;
    } finally {
      call.close();
    }
  };
}

/** Rejects at the time-out or with the outer signal, and says so to whoever still works on the call. */
function within(timeoutMs: number, outer: AbortSignal) {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const abort = new AbortController();
  const stop = () => {
    reject(new TransientFault("the model gave no answer in time"));
    abort.abort();
  };
  const timer = setTimeout(stop, timeoutMs);
  outer.addEventListener("abort", stop, { once: true });
  if (outer.aborted) stop();
  return {
    signal: abort.signal,
    over,
    close() {
      clearTimeout(timer);
      outer.removeEventListener("abort", stop);
    },
  };
}

function saidIn(answer: unknown): Said {
  const completion = Completion.safeParse(answer);
  if (!completion.success) {
    throw ErrorInside.safeParse(answer).success
      ? new TransientFault("the model's endpoint answered 200 with an error")
      : noSuchApi();
  }
  const [choice] = completion.data.choices;
  if (choice === undefined) return { kind: "text", text: "" };
  const { content, refusal } = choice.message;
  if (refusal) return { kind: "declined", why: "the model refused" };
  switch (choice.finish_reason) {
    case "content_filter":
      return { kind: "declined", why: "a content filter stopped the answer" };
    case "length":
      return { kind: "declined", why: "the model's answer was cut off" };
    // A gateway's words for what broke behind it, in an answer that is called a success.
    case "error":
    case "insufficient_system_resource":
      throw new TransientFault("the model's endpoint broke off its answer");
    default:
      return { kind: "text", text: content ?? "" };
  }
}

/** Follows no redirect, and reads no more than a model has to say. */
async function fetchOnce(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: "manual", credentials: "omit" });
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of response.body ?? []) {
    byteCount += chunk.byteLength;
    if (byteCount > answerBytesMax) throw new Error("more than 1 MB");
    chunks.push(chunk);
  }
  const { headers, status } = response;
  return new Response(byteCount === 0 ? null : Buffer.concat(chunks), { status, headers });
}
