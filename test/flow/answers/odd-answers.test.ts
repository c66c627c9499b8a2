// What others have reported of HTTP answers, end to end: each answer through the shipped adapter's socket, its contract and the turns
// that follow. Whatever it is: done once, confirmed only by proof, and sent again only where the contract covers it.
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { answering } from "../../providers/odd-server.ts";
import { answerWorld, type Respond, type Turn } from "./answer-world.ts";

const html = "<html>Bad Gateway</html>";
const raw =
  (bytes: string): Respond =>
  (response) =>
    void response.socket?.end(bytes);
const reset: Respond = (response) => response.socket?.resetAndDestroy();
const silent: Respond = () => {};
/** The echo of a success in another encoding than JSON's own. */
const latin1: Respond = (response, { body }) => {
  const { operation } = JSON.parse(body) as { operation: string };
  const echo = {
    id: "CN-1",
    status: "accepted",
    operation,
    invoice: "INV-\u00fc",
    amount: "50.00",
  };
  const head = { "content-type": "application/json; charset=iso-8859-1" };
  response
    .writeHead(201, head)
    .end(Buffer.from(JSON.stringify({ ...echo, currency: "EUR" }), "latin1"));
};

/** Answers that leave open what was done, however they sound. */
const open: readonly [string, Respond][] = [
  ["a gateway's 502 page", answering(502, html)],
  ["a gateway's 504 page", answering(504, html)],
  ["a 503 that says when to come again", answering(503, "", { "retry-after": "1" })],
  ["a 500 whose code sounds like a refusal", answering(500, { code: "refused" })],
  ["a 408", answering(408, { code: "timeout" })],
  ["a 425", answering(425, "")],
  ["a 400 page of a firewall", answering(400, html)],
  ["a 409 that says nothing more", answering(409, "")],
  ["a 409 for one in progress", answering(409, { code: "idempotency_in_progress" })],
  ["a 422 with another code", answering(422, { code: "busy" })],
  ["a 301 to elsewhere", answering(301, "", { location: "http://127.0.0.1:1/" })],
  ["a 303 after success", answering(303, "", { location: "/done" })],
  ["a 307 to elsewhere", answering(307, "", { location: "http://127.0.0.1:1/" })],
  ["a 200 with an error inside", answering(200, { ok: false, error: "channel_not_found" })],
  ["a 200 with a list of errors", answering(200, { data: null, errors: [{ message: "no" }] })],
  ["a 200 page", answering(200, "<html>Log in</html>")],
  ["a 201 without a body", answering(201, "")],
  ["a 202 that is still pending", answering(202, { id: "X-1", status: "pending" })],
  ["a 204", answering(204, "")],
  ["a 207 of several parts", answering(207, { results: [{ status: 201 }, { status: 422 }] })],
  ["text that is no UTF-8", latin1],
  ["half an answer", raw('HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":')],
  ["an early hint, and then nothing", raw("HTTP/1.1 103 Early Hints\r\n\r\n")],
  [
    "a switch of protocols",
    raw("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n"),
  ],
  [
    "packed bytes that were cut",
    (response) =>
      void response
        .writeHead(201, { "content-encoding": "gzip" })
        .end(gzipSync("{}".repeat(99)).subarray(0, 20)),
  ],
  ["a reset", reset],
  ["silence", silent],
];
const openTurns = open.flatMap(([what, says]): [string, Turn][] => [
  [`${what}, done`, { does: true, says }],
  [`${what}, not done`, { does: false, says }],
]);

describe("a provider under whose key a request is done once answers with", () => {
  test.each(openTurns)("%s: it is asked again under the same key, once", async (_what, turn) => {
    const world = await answerWorld("portal", [turn]);
    await world.run();
    expect(await world.ends()).toEqual({ status: "confirmed", reviews: [], calls: 2, applied: 1 });
  });
});

describe("a provider that can be asked what it did answers with", () => {
  test.each(openTurns)(
    "%s: what it did is found, and what it did not do is done once",
    async (_what, turn) => {
      const world = await answerWorld("crm", [turn]);
      await world.run();
      const calls = turn.does ? 1 : 2;
      expect(await world.ends()).toEqual({ status: "confirmed", reviews: [], calls, applied: 1 });
    },
  );
});

describe("a provider that promises nothing answers with", () => {
  test.each(openTurns)("%s: a person looks, and nothing is sent again", async (_what, turn) => {
    const world = await answerWorld("email", [turn]);
    await world.run();
    expect(await world.ends()).toMatchObject({
      status: "unknown",
      reviews: ["UnknownEffect"],
      calls: 1,
    });
  });

  test.each<[string, Respond]>([
    ["429 without a time", answering(429, "")],
    [
      "429 with a time that has passed",
      answering(429, "", { "retry-after": "Mon, 01 Jan 2024 00:00:00 GMT" }),
    ],
    ["401", answering(401, "")],
    ["403 of a firewall", answering(403, html)],
    ["404", answering(404, html)],
  ])(
    "%s, by which it documents that nothing was done: it is sent once more",
    async (_what, says) => {
      const world = await answerWorld("email", [{ does: false, says }]);
      await world.run();
      expect(await world.ends()).toEqual({
        status: "confirmed",
        reviews: [],
        calls: 2,
        applied: 1,
      });
    },
  );
});

describe("a case that is closed already", () => {
  const already = answering(409, { code: "already_closed", by: "earlier" });

  test("by our own request, which a proxy sent twice, is found to be ours", async () => {
    const world = await answerWorld("crm", [{ does: true, says: already }]);
    await world.run();
    expect(await world.ends()).toEqual({ status: "confirmed", reviews: [], calls: 1, applied: 1 });
  });

  test("by somebody else is not ours: a person looks, and it is not asked for again", async () => {
    const world = await answerWorld("crm", [{ does: false, says: already }]);
    await world.run();
    expect(await world.ends()).toEqual({
      status: "unknown",
      reviews: ["UnknownEffect"],
      calls: 1,
      applied: 0,
    });
    expect((await world.reviews())[0]?.why).toContain("there already");
  });
});

describe("a look-up that is answered with", () => {
  const absent = { code: "no_such_operation" };
  const shownToAPerson = { status: "unknown", reviews: ["UnknownEffect"], calls: 1, applied: 1 };
  test.each<[string, Respond]>([
    ["403: the identity may not look", answering(403, absent)],
    ["401", answering(401, absent)],
    ["404 by something that is not the provider", answering(404, html)],
    ["404 in other words", answering(404, { code: "not_found" })],
    ["410", answering(410, absent)],
    ["an absence out of a cache", answering(404, absent, { age: "31" })],
    ["an absence with the wrong status", answering(200, absent)],
    ["a redirect to a log-in", answering(302, "", { location: "/login" })],
    ["a log-in page", answering(200, "<html>Log in</html>")],
    ["nothing", answering(200, "")],
    ["the final state, and not by whom", answering(200, { case: "CASE-1", outcome: "completed" })],
    ["a 500", answering(500, absent)],
    ["a reset", reset],
    ["silence", silent],
  ])("%s is no absence: what was done is not done again", async (_what, says) => {
    const always = Array(50).fill(says) as Respond[];
    const world = await answerWorld("crm", [{ does: true, says: reset }], always);
    await world.run(world.worker(), 24 * 3_600_000);
    expect(await world.ends()).toEqual(shownToAPerson);
    expect(world.lookCount()).toBeGreaterThan(1);
  });

  test.each<[string, unknown]>([
    ["the first of several pages", { items: [{ id: "TK-9", marker: "another" }], next: "?page=2" }],
    ["no hit, for as long as it lags", { items: [] }],
    [
      "the same task without our marker",
      { items: [{ id: "TK-9", customer: "Contoso", title: "Welcome", marker: "" }] },
    ],
  ])("%s, by a search, is no absence: what was done is not done again", async (_what, hits) => {
    const always = Array(50).fill(answering(200, hits)) as Respond[];
    const world = await answerWorld("board", [{ does: true, says: reset }], always);
    await world.run(world.worker(), 24 * 3_600_000);
    expect(await world.ends()).toEqual(shownToAPerson);
  });

  test("another operation is no proof of ours, and no reason to do it again", async () => {
    const other = {
      id: "CC-9",
      case: "CASE-1",
      outcome: "completed",
      operation: "x".repeat(26),
      version: 3,
    };
    const world = await answerWorld("crm", [{ does: true, says: reset }], [answering(200, other)]);
    await world.run();
    expect(await world.ends()).toMatchObject({
      status: "unknown",
      reviews: ["EvidenceMismatch"],
      calls: 1,
    });
  });
});
