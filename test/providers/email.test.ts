// The email adapter: accepted is not delivered, and an unclear outcome stays unclear.
import { describe, expect, test } from "vitest";
import { digestOf } from "../../shared/domain/canonical-json.ts";
import type { SendRequest } from "../../shared/domain/definitions.ts";
import type { Answer } from "../../shared/domain/records/evidence.ts";
import { email } from "../../shared/providers/email.ts";
import { startWorld } from "../local/providers/world.ts";
import { answering, oddServer } from "./odd-server.ts";

const from = "ap@example.com";
const payload = { to: "ana@example.com", subject: "Credit note", text: "It was requested.\nYours" };
const operationId = "c".repeat(26);
const request: SendRequest = {
  action: "email.send_notification.v1",
  account: from,
  binding: { operationId, target: payload.to, payloadDigest: digestOf(payload) },
  payload,
  fence: 1,
  timeoutMs: 2000,
};

function send(baseUrl: string, one = request): Promise<Answer> {
  return email({ baseUrl, token: "t", from }).send(one);
}

describe("a notification that the provider takes", () => {
  test("is accepted, not delivered, and carries its operation id in a header (cases.md 54)", async () => {
    const { url, applied } = await startWorld();
    expect(await send(`${url}/email`)).toEqual({
      kind: "receipt",
      receipt: {
        stage: "accepted",
        providerId: "msg_000001",
        boundTo: request.binding,
        content: { id: "msg_000001", status: "accepted" },
      },
    });
    expect(await applied()).toMatchObject([
      {
        operation: operationId,
        body: { ...payload, from, headers: { "X-Operation-Id": operationId } },
      },
    ]);
  });
});

describe("an email provider that misbehaves", () => {
  test.each([
    ["commitThenDrop", "noAnswer", 1],
    ["errorAfterCommit", "noAnswer", 1],
    ["hugeBody", "noAnswer", 1],
    ["down", "noAnswer", 0],
    ["redirect", "noAnswer", 0],
    ["unavailable", "noAnswer", 0],
    ["tooManyRequests", "notApplied", 0],
    ["refuse", "refused", 0],
  ] as const)("by %s gets %s, and the message is sent at most once", async (fault, kind, count) => {
    const { url, applied, local } = await startWorld();
    await local.order([{ fault }]);
    expect((await send(`${url}/email`)).kind).toBe(kind);
    expect(await applied()).toHaveLength(count);
  });

  test.each([
    [200, { id: "msg_1", status: "accepted" }],
    [202, { id: "msg_1", status: "queued" }],
    [202, { id: "", status: "accepted" }],
    [202, "OK"],
  ])("by answering %d %j proves nothing", async (status, body) => {
    const server = await oddServer(answering(status, body));
    expect(await send(server.url)).toMatchObject({ kind: "noAnswer" });
  });
});

describe("a notification that is not one message to one person", () => {
  test.each([
    ["two recipients", { to: "ana@example.com, bo@example.com" }],
    ["a line break in its subject", { subject: "Hi\r\nBcc: all@example.com" }],
    ["no recipient", { to: "" }],
    ["a field of its own", { bcc: "all@example.com" }],
  ])("is not sent: %s", async (_what, changed) => {
    const server = await oddServer(answering(202, { id: "msg_1", status: "accepted" }));
    const one = { ...request, payload: { ...payload, ...changed } };
    expect(await send(server.url, one)).toMatchObject({ kind: "notSent" });
    expect(server.sockets).toEqual([]);
  });
});

test("a sender that is no address is refused at start-up", () => {
  expect(() => email({ baseUrl: "http://h", token: "t", from: "accounts" })).toThrow(
    "from must be",
  );
});
