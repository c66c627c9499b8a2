// The app's own identity as the credential: the real SDK fetches a token from a local identity endpoint, as on Azure Functions.
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { openModel } from "../../shared/agent/ask-model.ts";
import { azureToken } from "../../shared/agent/azure-token.ts";
import { answering, oddServer, type OddServer } from "../providers/odd-server.ts";
import { chatServer, says } from "./chat-server.ts";

const clientId = "11111111-2222-4333-8444-555555555555";
const question = { task: "Say.", about: {}, answer: z.object({ said: z.string() }) };
const signal = new AbortController().signal;

afterEach(() => void vi.unstubAllEnvs());

function identityAt({ url }: OddServer): () => Promise<string> {
  vi.stubEnv("IDENTITY_ENDPOINT", `${url}/msi/token`);
  vi.stubEnv("IDENTITY_HEADER", "header-secret");
  return azureToken({ clientId });
}

const json = { "content-type": "application/json" };

test("a token for Azure's model endpoints is fetched once, for the named identity, and shown with each question", async () => {
  const expiresOn = Math.floor(Date.now() / 1000) + 3600;
  const token = { access_token: "a-token", expires_on: expiresOn, token_type: "Bearer" };
  const identity = await oddServer(answering(200, token, json));
  const server = await chatServer(says({ said: "yes" }));
  const settings = { baseUrl: server.url, model: "m", callTimeoutMs: 20_000, repairsMax: 0 };
  const model = openModel({ ...settings, key: identityAt(identity) });
  for (const _n of [1, 2]) await model.ask(question, signal);
  expect(server.asked.map(({ authorization }) => authorization)).toEqual([
    "Bearer a-token",
    "Bearer a-token",
  ]);
  const [asked, ...others] = identity.received;
  expect(others).toEqual([]);
  const { searchParams } = new URL(asked?.path ?? "", identity.url);
  expect(searchParams.get("resource")).toBe("https://ai.azure.com");
  expect(searchParams.get("client_id")).toBe(clientId);
});
