// HTTP beyond plain requests: streaming, Easy Auth's header, limits, drain.
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { startFixture, until } from "./fixture-app.ts";

const PRINCIPAL_APP = `
const { app } = require("@azure/functions");
app.get("who", (request) => ({ body: request.headers.get("x-ms-client-principal") ?? "nobody" }));
app.post("size", async (request) => ({ body: String((await request.arrayBuffer()).byteLength) }));
app.get("held", () => new Promise(() => {}));
app.timer("second", { schedule: "* * * * * *", handler: () => {} });
`;
const app = { files: { "main.js": PRINCIPAL_APP } };

describe("Easy Auth's header", () => {
  const forged = { headers: { "x-ms-client-principal": "forged" } };

  test("never comes from outside", async () => {
    const { fetch } = await startFixture(app);
    expect(await (await fetch("/api/who", forged)).text()).toBe("nobody");
  });

  test("names the configured principal, unless the caller plays another one", async () => {
    const principal = { id: "p1", name: "Ada", roles: ["approver"] };
    const { fetch } = await startFixture(app, { principal });
    const text = await (await fetch("/api/who")).text();
    const document: unknown = JSON.parse(Buffer.from(text, "base64").toString("utf8"));
    expect(document).toMatchObject({
      role_typ: "roles",
      claims: expect.arrayContaining([{ typ: "roles", val: "approver" }]) as unknown,
    });
    expect(await (await fetch("/api/who", forged)).text()).toBe("forged");
  });
});

describe("a request", () => {
  test("without Content-Length loses its body, as on Azure, and the log says so", async () => {
    const { fetch, logs } = await startFixture(app);
    const body = new Blob(["some text"]).stream();
    const chunked: RequestInit & { duplex: "half" } = { method: "POST", body, duplex: "half" };
    expect(await (await fetch("/api/size", chunked)).text()).toBe("0");
    expect(logs().join("\n")).toContain("A body without Content-Length is dropped");
    const sized = { method: "POST", body: "some text" };
    expect(await (await fetch("/api/size", sized)).text()).toBe("9");
  });

  test("that says it has more than 100 MB is refused before it is read", async () => {
    const { host } = await startFixture(app);
    const status = await new Promise((resolve, reject) => {
      const headers = { "content-length": "104857601" };
      const sent = request(`${host.url}/api/size`, { method: "POST", headers });
      sent.on("response", (response) => resolve(response.statusCode));
      sent.on("error", reject);
      sent.flushHeaders();
    });
    expect(status).toBe(413);
  });

  test("beyond maxOutstandingRequests is refused with 429", async () => {
    const { fetch, host, events } = await startFixture({
      ...app,
      hostJson: { extensions: { http: { maxOutstandingRequests: 2 } } },
    });
    const held = fetch("/api/held");
    await until("the held call", () =>
      events.some((e) => e.kind === "log" && e.message.includes("Executing 'held'")),
    );
    const second = fetch("/api/held");
    await until(
      "the second",
      () =>
        events.filter((e) => e.kind === "log" && e.message.includes("Executing 'held'")).length ===
        2,
    );
    expect((await fetch("/api/who")).status).toBe(429);
    for (const { pid } of host.workers()) process.kill(pid, "SIGKILL");
    expect([(await held).status, (await second).status]).toEqual([502, 502]);
    expect((await fetch("/api/who")).status).toBe(200);
  });
});

describe("a streaming app", () => {
  const STREAMING = `
    const { app } = require("@azure/functions");
    app.setup({ enableHttpStream: true });
    app.http("events", { route: "events/{name}", handler: async (request) => {
      const parts = (async function* () {
        yield "hello " + request.params.name + ";";
        for await (const chunk of request.body) yield "got " + Buffer.from(chunk) + ";";
      })();
      return { body: ReadableStream.from(parts), headers: { "content-type": "text/event-stream" } };
    } });
    app.http("throws", { handler: () => { throw new Error("no"); } });
  `;

  test("answers before the request has ended, chunk by chunk", async () => {
    const { host, fetch } = await startFixture({ files: { "main.js": STREAMING } });
    const received: string[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      const sent = request(`${host.url}/api/events/ada`, { method: "POST" });
      sent.on("error", reject);
      sent.on("response", (response) => {
        expect(response.headers["content-type"]).toBe("text/event-stream");
        response.on("data", (chunk: Buffer) => {
          received.push(chunk.toString());
          // The answer's first part has come while the request still waits for this one.
          if (received.length === 1) sent.end("late");
        });
        response.on("end", resolve);
      });
      sent.write("early");
    });
    await ended;
    expect(received.join("")).toBe("hello ada;got early;got late;");
    expect((await fetch("/api/throws")).status).toBe(500);
  });
});

describe("a host told to drain", () => {
  test("stops its timers, answers HTTP, and goes on when resumed", async () => {
    const { fetch, host, invocations } = await startFixture(app);
    const headers = { "x-functions-key": host.keys.master };
    await until("the timer runs", () => invocations("second").length > 0);
    expect((await fetch("/admin/host/drain", { method: "POST", headers })).status).toBe(202);
    const status = await until("the drain is over", async () => {
      const answer = await fetch("/admin/host/drain/status", { headers });
      const now = (await answer.json()) as { state: string };
      return now.state === "Completed" && now;
    });
    expect(status).toEqual({ state: "Completed", outstandingInvocations: 0 });
    expect((await fetch("/api/who")).status).toBe(200);
    const before = invocations("second").length;
    expect((await fetch("/admin/host/resume", { method: "POST", headers })).status).toBe(200);
    await until("the timer runs again", () => invocations("second").length > before);
  });
});
