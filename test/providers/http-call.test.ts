// One POST, sent once, against servers that answer in every odd way.
import type { Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerBytesMax } from "../../shared/providers/http-answer.ts";
import { httpPoster, httpReader } from "../../shared/providers/http-call.ts";
import type { Heard } from "../../shared/providers/http-call.ts";
import { CERTIFICATE } from "../local/cosmos/service/loopback-certificate.ts";
import { answering, oddServer, rawServer, refusingUrl } from "./odd-server.ts";
import { tlsServer } from "./tls-server.ts";

const token = "secret-token";
const replayMarker = { header: "Idempotent-Replayed", value: "true" };

function post(
  baseUrl: string,
  options: { timeoutMs?: number; path?: string[] } = {},
): Promise<Heard> {
  const poster = httpPoster({ provider: "odd", baseUrl, token, replayMarker });
  const { path = ["v1", "things"], timeoutMs = 2000 } = options;
  return poster.post({ path, headers: { "idempotency-key": "key-1" }, body: { a: 1 }, timeoutMs });
}

describe("a whole answer", () => {
  test("is given back with its status, its parsed body and the few headers that matter", async () => {
    const headers = { "x-request-id": "req-1", "retry-after": "2", "idempotent-replayed": "true" };
    const server = await oddServer(answering(418, { code: "teapot" }, headers));
    expect(await post(server.url)).toEqual({
      kind: "answered",
      status: 418,
      body: { code: "teapot" },
      requestId: "req-1",
      retryAfterMs: 2000,
      replayed: true,
    });
    expect(server.received).toMatchObject([
      {
        path: "/v1/things",
        body: '{"a":1}',
        headers: {
          authorization: `Bearer ${token}`,
          "content-length": "7",
          "content-type": "application/json",
          "idempotency-key": "key-1",
        },
      },
    ]);
  });

  test.each(["", "It works!", "{", "[1,", "null garbage"])(
    "that is no JSON (%j) has no body",
    async (text) => {
      const server = await oddServer(answering(200, text));
      expect(await post(server.url)).toMatchObject({
        kind: "answered",
        status: 200,
        body: undefined,
      });
    },
  );

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("that is packed (%s), though nobody asked for it, is read", async (encoding, pack) => {
    const server = await oddServer((response) => {
      response.writeHead(201, { "content-encoding": encoding }).end(pack('{"id":"p-1"}'));
    });
    expect(await post(server.url)).toMatchObject({ kind: "answered", body: { id: "p-1" } });
  });

  test("of exactly 64 KB is read", async () => {
    const server = await oddServer(answering(200, `"${"x".repeat(answerBytesMax - 2)}"`));
    expect(await post(server.url)).toMatchObject({ kind: "answered", status: 200 });
  });
});

describe("a time to come again at", () => {
  test("that is a date is by the clock of whoever set it, however wrong that or ours is", async () => {
    const date = "Thu, 01 Jan 2032 00:00:00 GMT";
    const headers = { date, "retry-after": "Thu, 01 Jan 2032 00:01:30 GMT" };
    const server = await oddServer(answering(429, "", headers));
    expect(await post(server.url)).toMatchObject({ retryAfterMs: 90_000 });
  });
});

describe("a request", () => {
  test.each([200, 401, 403, 407, 408, 421, 425, 429, 500, 502, 503])(
    "is sent once when the answer is %d",
    async (status) => {
      const headers = { "www-authenticate": "Basic realm=x", "retry-after": "0" };
      const server = await oddServer(answering(status, {}, headers));
      await post(server.url);
      await post(server.url);
      expect(server.received).toHaveLength(2);
    },
  );

  test("has a connection of its own, so that no idle socket dies under it", async () => {
    const server = await oddServer(answering(200, {}));
    for (let n = 0; n < 3; n += 1) await post(server.url);
    expect(server.sockets).toHaveLength(3);
    expect(server.received.map(({ headers }) => headers.connection)).toEqual(
      Array(3).fill("close"),
    );
  });

  test("is sent once when its connection is reset, and that proves nothing", async () => {
    const server = await rawServer((socket) => socket.resetAndDestroy());
    expect(await post(server.url)).toEqual({
      kind: "noAnswer",
      reason: "the connection broke (ECONNRESET)",
    });
    expect(server.received).toHaveLength(1);
  });

  test("is sent once when its connection ends without an answer, and that proves nothing", async () => {
    const server = await rawServer((socket) => socket.end());
    expect(await post(server.url)).toMatchObject({ kind: "noAnswer" });
    expect(server.received).toHaveLength(1);
  });

  test.each([
    ["..", "x"],
    [".", "x"],
    ["a", ".."],
  ])("that would leave its path (%s/%s) is not sent", async (...path) => {
    const server = await oddServer(answering(200, {}));
    expect(await post(server.url, { path })).toMatchObject({ kind: "notSent" });
    expect(server.sockets).toEqual([]);
  });

  test("keeps any other segment as it is", async () => {
    const server = await oddServer(answering(200, {}));
    await post(`${server.url}/base/`, { path: ["R/1?x#y %2e", "..."] });
    expect(server.received[0]?.path).toBe("/base/R%2F1%3Fx%23y%20%252e/...");
  });

  test("with a line break in a header is not sent, and the header is not repeated", async () => {
    const server = await oddServer(answering(200, {}));
    const poster = httpPoster({ provider: "odd", baseUrl: server.url, token });
    const heard = await poster.post({
      path: ["x"],
      headers: { "idempotency-key": "a\r\nx: b" },
      body: {},
      timeoutMs: 1000,
    });
    expect(heard).toEqual({
      kind: "notSent",
      reason: "the request cannot be written down as a URL and headers",
    });
    expect(server.sockets).toEqual([]);
  });
});

describe("a redirect (cases.md 56)", () => {
  test.each([300, 301, 302, 303, 307, 308])(
    "%d is an answer, and the other host receives nothing",
    async (status) => {
      const other = await oddServer(answering(201, { id: "CN-1" }));
      const server = await oddServer(answering(status, "", { location: `${other.url}/v1/things` }));
      expect(await post(server.url)).toMatchObject({ kind: "answered", status });
      expect(other.sockets).toEqual([]);
      expect(server.received).toHaveLength(1);
    },
  );
});

describe("an answer that cannot be read to its end", () => {
  test("proves nothing when it is over 64 KB, and its connection is closed", async () => {
    const server = await oddServer((response) => {
      response.writeHead(201, { "content-type": "application/json" });
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(16_384)));
      };
      response.on("drain", more);
      more();
    });
    expect(await post(server.url, { timeoutMs: 5000 })).toEqual({
      kind: "noAnswer",
      reason: "201 with more than 64 KB",
    });
    await expect.poll(() => server.sockets[0]?.destroyed).toBe(true);
  });

  test.each([
    ["a shorter body than announced", "HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{}"],
    ["a broken chunk", "HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
    ["half a head", "HTTP/1.1 201 Cre"],
    ["no HTTP at all", "SSH-2.0-OpenSSH_9.6\r\n"],
    [
      "broken gzip",
      "HTTP/1.1 201 Created\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}",
    ],
  ])("proves nothing: %s", async (_what, bytes) => {
    const server = await rawServer((socket) => socket.end(bytes));
    expect(await post(server.url)).toMatchObject({ kind: "noAnswer" });
  });
});

describe("a call that takes too long", () => {
  test.each([
    ["says nothing", ""],
    ["says half a head", "HTTP/1.1 200 OK\r\ncontent-"],
    ["says half a body", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"],
  ])("settles at its time-out and destroys its socket: the provider %s", async (_what, bytes) => {
    const server = await rawServer((socket) => socket.write(bytes));
    const startedMs = performance.now();
    expect(await post(server.url, { timeoutMs: 150 })).toEqual({
      kind: "noAnswer",
      reason: "no answer within 150 ms",
    });
    expect(performance.now() - startedMs).toBeLessThan(3000);
    await expect.poll(() => server.sockets[0]?.destroyed).toBe(true);
  });

  test("is cut off although its answer drips", async () => {
    const server = await oddServer((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(" "), 20);
      response.once("close", () => clearInterval(drip));
    });
    expect(await post(server.url, { timeoutMs: 200 })).toMatchObject({ kind: "noAnswer" });
    await expect.poll(() => server.sockets[0]?.destroyed).toBe(true);
  });
});

describe("whatever bytes a server sends", () => {
  const head = fc.constantFrom(
    "",
    "HTTP/1.1 201 Created\r\n",
    "HTTP/1.1 307 Go\r\n",
    "HTTP/1.1 100 \r\n\r\n",
  );
  const line = fc.constantFrom(
    "content-length: 2\r\n",
    "content-length: -1\r\n",
    "transfer-encoding: chunked\r\n",
    "content-encoding: br\r\n",
    "connection: upgrade\r\nupgrade: h2c\r\n",
    "retry-after: -5\r\n",
    "x\r\n",
    "\r\n",
  );
  const answer = fc.record({
    bytes: fc
      .tuple(head, fc.array(line, { maxLength: 4 }), fc.string())
      .map((parts) => parts.flat().join("")),
    end: fc.constantFrom("end", "reset", "stay"),
  });

  test("a call settles within its time-out, is proof that nothing left only where nothing arrived, and is sent at most once", async () => {
    let now: { bytes: string; end: string } = { bytes: "", end: "end" };
    const server = await rawServer((socket) => {
      socket.write(now.bytes);
      if (now.end === "end") socket.end();
      if (now.end === "reset") socket.resetAndDestroy();
    });
    let mayHaveLeft = 0;
    await fc.assert(
      fc.asyncProperty(answer, async (next) => {
        now = next;
        const startedMs = performance.now();
        const heard = await post(server.url, { timeoutMs: 60 });
        if (heard.kind !== "notSent") mayHaveLeft += 1;
        expect(performance.now() - startedMs).toBeLessThan(3000);
        expect(server.received.length).toBeLessThanOrEqual(mayHaveLeft);
      }),
      { numRuns: 80 },
    );
  });
});

describe("proof that nothing left", () => {
  test("is a refused connection", async () => {
    expect(await post(await refusingUrl())).toEqual({
      kind: "notSent",
      reason: "no connection (ECONNREFUSED)",
    });
  });

  test("is a host that has no address", async () => {
    const heard = await post("http://no-such-host.invalid");
    expect(heard).toMatchObject({ kind: "notSent" });
  });

  const tlsUrl = (url: string) => url.replace(/^http:/, "https:");

  test.each<[string, (socket: Socket) => void]>([
    ["is never answered", () => {}],
    ["is reset", (socket) => socket.resetAndDestroy()],
    ["is ended", (socket) => socket.end()],
    ["is answered in plain text", (socket) => socket.end("HTTP/1.1 201 Created\r\n\r\n{}")],
  ])("is a handshake that %s", async (_what, respond) => {
    const server = await rawServer(respond);
    expect(await post(tlsUrl(server.url), { timeoutMs: 150 })).toMatchObject({
      kind: "notSent",
      reason: expect.stringMatching(/^no connection /),
    });
    // Only a client's hello.
    expect(server.received.map(({ body }) => body.includes("POST"))).toEqual([false]);
  });

  test("is a certificate that nobody trusts", async () => {
    const server = await tlsServer({ answers: 201 });
    expect(await post(server.url)).toEqual({
      kind: "notSent",
      reason: "no connection (DEPTH_ZERO_SELF_SIGNED_CERT)",
    });
    expect(server.received).toEqual([]);
  });
});

describe("a connection whose handshake is over", () => {
  const trusted = getCACertificates("default");
  beforeAll(() => setDefaultCACertificates([...trusted, CERTIFICATE]));
  afterAll(() => setDefaultCACertificates(trusted));

  test("carries a request and its answer", async () => {
    const server = await tlsServer({ answers: 201 });
    expect(await post(server.url)).toMatchObject({ kind: "answered", status: 201 });
    expect(server.received).toEqual(['{"a":1}']);
  });

  test.each<[string, Parameters<typeof tlsServer>[0]]>([
    ["is reset", { answers: "reset" }],
    ["stays silent", { answers: "silence" }],
    // With TLS 1.3 this is told only after the request was sent.
    ["wants a certificate of ours", { answers: 201, requestCert: true, rejectUnauthorized: true }],
  ])("and then %s is no proof that nothing left", async (_what, options) => {
    const server = await tlsServer(options);
    expect(await post(server.url, { timeoutMs: 300 })).toMatchObject({ kind: "noAnswer" });
  });
});

describe("a poster's configuration", () => {
  test.each([
    ["not a url", token],
    ["file:///etc/passwd", token],
    ["data:application/json,{}", token],
    ["https://user:hunter2@host/", token],
    ["https://host/?key=hunter2", token],
    ["https://host/", "hunter2\n"],
    ["https://host/", ""],
  ])("is refused at start-up, and its value is not repeated: %s", (baseUrl, given) => {
    const make = (): unknown => httpPoster({ provider: "odd", baseUrl, token: given });
    expect(make).toThrow(/^odd: (baseUrl|token) must /);
    expect(make).not.toThrow(/hunter2/);
  });
});

describe("a question", () => {
  const ask = (baseUrl: string, path = ["v1", "tasks"], query = { q: "a b&c=d#e" }) =>
    httpReader({ provider: "odd", baseUrl, token }).get({ path, query, timeoutMs: 2000 });

  test("is a GET with its query encoded, and no body", async () => {
    const server = await oddServer(answering(200, { items: [] }));
    expect(await ask(server.url)).toMatchObject({ kind: "answered", body: { items: [] } });
    expect(server.received).toMatchObject([{ path: "/v1/tasks?q=a+b%26c%3Dd%23e", body: "" }]);
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${token}`);
  });

  test("passes every cache on its way, and takes no answer of one", async () => {
    const fresh = await oddServer(answering(404, {}, { age: "0" }));
    expect(await ask(fresh.url)).toMatchObject({ kind: "answered", status: 404 });
    expect(fresh.received[0]?.headers["cache-control"]).toBe("no-cache");
    const kept = await oddServer(answering(404, {}, { age: "7" }));
    expect(await ask(kept.url)).toEqual({ kind: "noAnswer", reason: "404 out of a cache" });
  });

  test("is not carried to where a redirect points", async () => {
    const elsewhere = await oddServer(answering(200, { items: [] }));
    const server = await oddServer(answering(302, "", { location: elsewhere.url }));
    expect(await ask(server.url)).toMatchObject({ kind: "answered", status: 302 });
    expect(elsewhere.received).toEqual([]);
  });

  test("whose path would lead elsewhere is not asked", async () => {
    const server = await oddServer(answering(200, {}));
    expect(await ask(server.url, ["v1", ".."])).toMatchObject({ kind: "notSent" });
    expect(server.sockets).toEqual([]);
  });
});
