// One question to an endpoint: what goes over the wire, whose credential, and when it ends.
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { openModel, type ModelSettings } from "../../shared/agent/ask-model.ts";
import { wireSchemaOf } from "../../shared/agent/wire-schema.ts";
import { TransientFault } from "../../shared/domain/faults.ts";
import type { Question } from "../../shared/domain/model.ts";
import { chatServer, hangs, says } from "./chat-server.ts";

const question: Question<{ amount: string }> = {
  task: "Say an amount.",
  about: { text: "marker" },
  answer: z.object({ amount: z.string().min(1).max(9).regex(/^\d+$/) }),
};
const ever = new AbortController().signal;

function ask(baseUrl: string, change: Partial<ModelSettings> = {}, signal = ever) {
  const settings = {
    baseUrl,
    model: "gpt-test",
    key: "secret",
    callTimeoutMs: 20_000,
    repairsMax: 1,
  };
  return openModel({ ...settings, ...change }).ask(question, signal);
}

async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("a question on the wire", () => {
  test("goes to chat completions with the key, the model and a strict schema", async () => {
    const server = await chatServer(says({ amount: "5" }));
    expect(await ask(server.url)).toEqual({ kind: "proposed", value: { amount: "5" } });
    const [asked] = server.asked;
    expect([asked?.path, asked?.authorization]).toEqual(["/v1/chat/completions", "Bearer secret"]);
    expect(JSON.parse(asked?.body ?? "")).toEqual({
      model: "gpt-test",
      messages: [
        { role: "system", content: expect.stringContaining("Say an amount.") },
        { role: "user", content: '{"text":"marker"}' },
      ],
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "proposal",
          strict: true,
          schema: {
            type: "object",
            properties: { amount: { type: "string" } },
            required: ["amount"],
            additionalProperties: false,
          },
        },
      },
    });
  });

  test("carries nothing that the library would read from the environment", async () => {
    vi.stubEnv("OPENAI_ORG_ID", "org-marker");
    vi.stubEnv("OPENAI_PROJECT_ID", "project-marker");
    vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:9/marker");
    const server = await chatServer(says({ amount: "5" }));
    await ask(server.url);
    expect(server.asked).toHaveLength(1);
    expect(JSON.stringify(server.asked[0]?.headers)).not.toContain("-marker");
  });
  afterEach(() => void vi.unstubAllEnvs());
});

describe("a call", () => {
  test("is given a token for itself", async () => {
    let tokens = 0;
    const key = async () => `token-${(tokens += 1)}`;
    const server = await chatServer(says("nonsense"), says({ amount: "5" }));
    await ask(server.url, { key });
    expect(server.asked.map(({ authorization }) => authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-2",
    ]);
  });

  test.each<[string, () => Promise<string>]>([
    ["cannot be fetched", () => Promise.reject(new Error("marker of a secret"))],
    ["never comes", () => new Promise(() => {})],
    ["is empty", async () => ""],
  ])("whose token %s is to be tried again later, and asks nothing", async (_what, key) => {
    const server = await chatServer(says({ amount: "5" }));
    const error = await thrownBy(ask(server.url, { key, callTimeoutMs: 300 }));
    expect(error).toBeInstanceOf(TransientFault);
    expect(error).toMatchObject({ message: expect.not.stringContaining("marker") });
    expect((error as Error).cause).toBeUndefined();
    expect(server.asked).toEqual([]);
  });

  test("ends with its turn, long before its own time-out", async () => {
    const turn = new AbortController();
    const server = await chatServer(() => turn.abort());
    const error = await thrownBy(ask(server.url, {}, turn.signal));
    expect(error).toBeInstanceOf(TransientFault);
  });

  test("of a turn that is over never leaves", async () => {
    const server = await chatServer(hangs);
    const error = await thrownBy(ask(server.url, {}, AbortSignal.abort()));
    expect(error).toBeInstanceOf(TransientFault);
    expect(server.asked).toEqual([]);
  });
});

describe("the schema on the wire", () => {
  test("keeps what strict output knows and drops what it refuses", () => {
    const schema = z.object({
      kind: z.enum(["a", "b"]).describe("which"),
      count: z.int().min(1).max(9),
      list: z.array(z.object({ pattern: z.string().max(3) })).max(2),
      either: z.union([z.string().max(3), z.array(z.number())]),
    });
    expect(wireSchemaOf(schema)).toEqual({
      type: "object",
      properties: {
        kind: { type: "string", enum: ["a", "b"], description: "which" },
        count: { type: "integer" },
        list: {
          type: "array",
          items: {
            type: "object",
            properties: { pattern: { type: "string" } },
            required: ["pattern"],
            additionalProperties: false,
          },
        },
        either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "number" } }] },
      },
      required: ["kind", "count", "list", "either"],
      additionalProperties: false,
    });
  });

  test.each([
    [
      "a field that may be missing",
      z.object({ note: z.string().optional() }),
      /make nullable: note/,
    ],
    ["no object", z.string(), /asked for an object/],
  ])("refuses %s", (_what, schema, why) => {
    expect(() => wireSchemaOf(schema)).toThrow(why);
  });
});
