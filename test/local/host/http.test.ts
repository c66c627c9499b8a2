// The HTTP front, through real requests to a fixture app.
import { expect, describe, test } from "vitest";
import { startFixture } from "./fixture-app.ts";

const ECHO = `
const { app } = require("@azure/functions");
app.http("echo", {
  route: "echo/{id:int?}", methods: ["GET", "POST"],
  handler: async (request, context) => ({
    jsonBody: {
      url: request.url, method: request.method, params: request.params,
      query: Object.fromEntries(request.query), header: request.headers.get("x-test"),
      bytes: Buffer.from(await request.arrayBuffer()).toString("hex"),
      principal: request.headers.get("x-ms-client-principal"),
      metadata: context.triggerMetadata ?? null,
    },
    headers: { "x-answer": "yes" },
    cookies: [{ name: "a", value: "b", sameSite: "Lax" }],
  }),
});
app.http("masters", { authLevel: "admin", handler: () => ({ body: "in" }) });
app.http("nothing", { handler: () => undefined });
app.http("throws", { handler: () => { throw new Error("broken on purpose"); } });
app.http("text", { handler: () => "not an object" });
app.http("bytes", { handler: () => ({ body: Buffer.from([0, 255, 10]) }) });
app.http("b", { route: "things/new", handler: () => ({ body: "b" }) });
app.http("A", { route: "things/{x}", handler: () => ({ body: "A" }) });
`;

describe("an app with HTTP functions", () => {
  test("sees the request as it was sent, bytes included, and its answer is passed on", async () => {
    const { fetch } = await startFixture({ files: { "main.js": ECHO } });
    const body = Buffer.from([0, 1, 254, 255]);
    const response = await fetch("/api/echo/7?q=1&q=2&r=x%20y", {
      method: "POST",
      body,
      headers: { "x-test": "here", "x-ms-client-principal": "forged" },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-answer")).toBe("yes");
    expect(response.headers.get("set-cookie")).toBe("a=b; path=/; samesite=Lax");
    expect(await response.json()).toMatchObject({
      method: "POST",
      params: { id: "7" },
      query: { q: "1,2", r: "x y" },
      header: "here",
      bytes: "0001feff",
      principal: null,
      metadata: null,
    });
  });

  test("is asked in the order of names, not of specificity", async () => {
    const { fetch } = await startFixture({ files: { "main.js": ECHO } });
    expect(await (await fetch("/api/things/new")).text()).toBe("A");
  });

  test("answers 204 for nothing, 500 without a body for a throw or a non-object", async () => {
    const { fetch, logs } = await startFixture({ files: { "main.js": ECHO } });
    expect((await fetch("/api/nothing")).status).toBe(204);
    const thrown = await fetch("/api/throws");
    expect([thrown.status, await thrown.text()]).toEqual([500, ""]);
    expect((await fetch("/api/text")).status).toBe(500);
    expect(Buffer.from(await (await fetch("/api/bytes")).arrayBuffer()).toString("hex")).toBe(
      "00ff0a",
    );
    expect(logs().some((line) => line.includes("broken on purpose"))).toBe(true);
  });

  test("takes the key of the header before the one of the query", async () => {
    const { fetch, host } = await startFixture({ files: { "main.js": ECHO } });
    const path = `/api/masters?code=${host.keys.master}`;
    const headers = { "x-functions-key": host.keys.host };
    expect((await fetch(path, { headers })).status).toBe(401);
    expect((await fetch(path)).status).toBe(200);
  });
});
