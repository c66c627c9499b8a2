// An endpoint that speaks the chat completions API on a real socket, and says what a test wants it to say.
import type { ServerResponse } from "node:http";
import { answering, oddServer, type Received } from "../providers/odd-server.ts";

export type Reply = (response: ServerResponse, asked: Asked) => void;

export interface Asked {
  path: string;
  authorization: string | undefined;
  headers: Received["headers"];
  body: string;
  messages: { role: string; content: string }[];
  /** The JSON Schema of the answer, as sent. */
  schema: Record<string, unknown>;
}

export interface ChatServer {
  /** What MODEL_ENDPOINT would be. */
  url: string;
  asked: Asked[];
}

/** One reply a question; the last one is given again and again. */
export async function chatServer(...replies: Reply[]): Promise<ChatServer> {
  const asked: Asked[] = [];
  const server = await oddServer((response, received) => {
    const one = askedOf(received);
    asked.push(one);
    const reply = replies[Math.min(asked.length, replies.length) - 1];
    reply?.(response, one);
  });
  return { url: `${server.url}/v1`, asked };
}

function askedOf({ body, headers, path }: Received): Asked {
  const request = JSON.parse(body) as {
    messages: Asked["messages"];
    response_format: { json_schema: { schema: Record<string, unknown> } };
  };
  const { authorization } = headers;
  const { schema } = request.response_format.json_schema;
  return { path, authorization, headers, body, messages: request.messages, schema };
}

const json = { "content-type": "application/json" };

/** The model's answer: a value becomes JSON, a text stays as it is. */
export function says(
  answer: unknown,
  change: { finishReason?: string; message?: object; id?: string; after?: string } = {},
): Reply {
  const content = typeof answer === "string" ? answer : JSON.stringify(answer);
  const choice = {
    index: 0,
    finish_reason: change.finishReason ?? "stop",
    message: { role: "assistant", content, refusal: null, ...change.message },
  };
  const { after = "", id = "chatcmpl-1" } = change;
  const body = JSON.stringify({ id, object: "chat.completion", choices: [choice] });
  return answering(200, body + after, json);
}

export function fails(status: number, error: object = {}, headers: Record<string, string> = {}) {
  return answering(status, { error }, { ...json, ...headers });
}

/** Takes the question and says nothing. */
export const hangs: Reply = () => {};

export const resets: Reply = (response) => void response.socket?.resetAndDestroy();
