// The portal's adapter against the real local portal, and against one that answers as it never should.
import { describe, expect, test } from "vitest";
import { bookOf } from "../../shared/domain/book-of.ts";
import { digestOf } from "../../shared/domain/canonical-json.ts";
import type { SendRequest } from "../../shared/domain/definitions.ts";
import type { Answer, Receipt } from "../../shared/domain/records/evidence.ts";
import { portalActions, supplierPortal } from "../../shared/providers/supplier-portal.ts";
import { startWorld } from "../local/providers/world.ts";
import { answering, oddServer, refusingUrl } from "./odd-server.ts";

const operationId = "a".repeat(26);
const note = { invoice: "INV 1/ü", amount: "50.00", currency: "EUR", reason: "price_variance" };
const mark = { invoice: "INV-1", state: "approved" };

function requestOf(action: string, payload: Record<string, string>, timeoutMs = 2000): SendRequest {
  return {
    action,
    account: "acme",
    binding: { operationId, target: payload["invoice"] ?? "", payloadDigest: digestOf(payload) },
    providerKey: operationId,
    payload,
    fence: 1,
    timeoutMs,
  };
}

const creditNote = requestOf("portal.request_credit_note.v1", note);
const invoiceMark = requestOf("portal.mark_invoice.v1", mark);

function send(baseUrl: string, request = creditNote): Promise<Answer> {
  return supplierPortal({ baseUrl, token: "t" }).send(request);
}

async function portalWorld() {
  const world = await startWorld();
  const baseUrl = `${world.url}/supplier-portal`;
  return { ...world, send: (request = creditNote) => send(baseUrl, request) };
}

/** What the portal would say to `creditNote`, with some of it changed. */
function echo(changed: Record<string, unknown> = {}): Record<string, unknown> {
  const { invoice, amount, currency } = note;
  return {
    id: "CN-1",
    status: "accepted",
    invoice,
    amount,
    currency,
    operation: operationId,
    ...changed,
  };
}

function receiptIn(answer: Answer): Receipt {
  if (answer.kind !== "receipt") throw new Error(`${answer.kind} where a receipt was expected`);
  return answer.receipt;
}

describe("a credit note request that the portal takes", () => {
  test("is one receipt, bound by the portal's own echo, and one credit note", async () => {
    const { send, applied } = await portalWorld();
    const { invoice, amount, currency } = note;
    expect(await send()).toEqual({
      kind: "receipt",
      receipt: {
        stage: "accepted",
        providerId: "CN-000001",
        boundTo: creditNote.binding,
        content: {
          id: "CN-000001",
          operation: operationId,
          status: "accepted",
          invoice,
          amount,
          currency,
        },
      },
    });
    expect(await applied()).toMatchObject([
      { account: "acme", target: invoice, operation: operationId, key: operationId },
    ]);
  });

  test("and is sent again after its answer was lost, is the same receipt and one credit note", async () => {
    const { send, applied, local } = await portalWorld();
    await local.order([{ fault: "commitThenDrop" }]);
    expect(await send()).toMatchObject({ kind: "noAnswer" });
    expect(await send()).toMatchObject({ kind: "receipt", receipt: { providerId: "CN-000001" } });
    expect(await applied()).toHaveLength(1);
  });
});

describe("an invoice mark that the portal takes", () => {
  test("is one receipt for that invoice and state", async () => {
    const { send, applied } = await portalWorld();
    const { invoice, state } = mark;
    expect(await send(invoiceMark)).toEqual({
      kind: "receipt",
      receipt: {
        stage: "delivered",
        providerId: "MK-000001",
        boundTo: invoiceMark.binding,
        content: { id: "MK-000001", operation: operationId, invoice, state },
      },
    });
    expect(await applied()).toMatchObject([{ target: "INV-1", body: { state: "approved" } }]);
  });
});

describe("a portal that misbehaves", () => {
  test.each([
    ["commitThenDrop", {}, "noAnswer", 1],
    ["errorAfterCommit", {}, "noAnswer", 1],
    ["garbage", {}, "noAnswer", 1],
    ["hugeBody", {}, "noAnswer", 1],
    ["redirect", { status: 301 }, "noAnswer", 0],
    ["redirect", { status: 303 }, "noAnswer", 0],
    ["unavailable", { retryAfter: 7 }, "noAnswer", 0],
    ["down", {}, "noAnswer", 0],
    ["tooManyRequests", { retryAfter: 7 }, "notApplied", 0],
    ["refuse", { reason: "no such invoice" }, "refused", 0],
  ] as const)("by %s %j gets %s, whatever was applied", async (fault, more, kind, count) => {
    const { send, applied, local } = await portalWorld();
    await local.order([{ fault, ...more }]);
    expect((await send()).kind).toBe(kind);
    expect(await applied()).toHaveLength(count);
    // The same key afterwards: one credit note in the end, however the first answer read.
    expect((await send()).kind).toBe("receipt");
    expect(await applied()).toHaveLength(1);
  });

  test("by answering after the time-out is unknown, although it was applied (cases.md 42)", async () => {
    const { send, applied, local } = await portalWorld();
    await local.order([{ fault: "answerLate", delayMs: 60_000 }]);
    expect(await send({ ...creditNote, timeoutMs: 200 })).toEqual({
      kind: "noAnswer",
      reason: "no answer within 200 ms",
    });
    expect(await applied()).toHaveLength(1);
  });

  test("by never answering is unknown at the time-out", async () => {
    const { send, local } = await portalWorld();
    await local.order([{ fault: "hangBefore" }]);
    expect((await send({ ...creditNote, timeoutMs: 150 })).kind).toBe("noAnswer");
  });
});

describe("what a status proves (cases.md 45)", () => {
  const inProgress = { code: "idempotency_in_progress" };
  const reused = { code: "idempotency_key_reused" };
  test.each([
    [422, { code: "refused", reason: "closed" }, {}, { kind: "refused", reason: "closed" }],
    [422, { code: "later" }, {}, { kind: "noAnswer" }],
    [422, "<html>", {}, { kind: "noAnswer" }],
    [400, { code: "invalid_body" }, {}, { kind: "refused", reason: "400 invalid_body" }],
    [400, "<html>", {}, { kind: "noAnswer" }],
    [401, { code: "unauthorized" }, {}, { kind: "notApplied", reason: "401 unauthorized" }],
    [403, "", {}, { kind: "notApplied" }],
    [404, { code: "not_found" }, {}, { kind: "notApplied" }],
    [429, "", { "retry-after": "2" }, { kind: "notApplied", retryAfterMs: 2000 }],
    [409, inProgress, { "retry-after": "1" }, { kind: "noAnswer", retryAfterMs: 1000 }],
    [409, reused, {}, { kind: "noAnswer", keyReused: true }],
    [409, { id: "CN-1" }, {}, { kind: "noAnswer" }],
    [200, "It works!", {}, { kind: "noAnswer" }],
    [202, {}, {}, { kind: "noAnswer" }],
    [204, "", {}, { kind: "noAnswer" }],
    [304, "", {}, { kind: "noAnswer" }],
    [418, {}, {}, { kind: "noAnswer" }],
    [500, { code: "refused" }, {}, { kind: "noAnswer" }],
    [503, "", { "retry-after": "soon" }, { kind: "noAnswer" }],
  ] as const)("%d %j %j", async (status, body, headers, answer) => {
    const more = { "x-request-id": "req-1", ...headers };
    const server = await oddServer(answering(status, body, more));
    expect(await send(server.url)).toMatchObject({ ...answer, providerRequestId: "req-1" });
  });

  test("a refusal never speaks for earlier attempts", async () => {
    const server = await oddServer(answering(422, { code: "refused" }));
    expect(await send(server.url)).toMatchObject({ kind: "refused", speaksForOperation: false });
  });

  test.each([500, 422, 409, 429])(
    "an error %d that the portal repeats from its store proves nothing new (cases.md 46)",
    async (status) => {
      const server = await oddServer(
        answering(status, { code: "refused" }, { "idempotent-replayed": "true" }),
      );
      expect(await send(server.url)).toMatchObject({ kind: "noAnswer", replayedError: true });
    },
  );

  test("no connection proves that nothing was sent", async () => {
    expect(await send(await refusingUrl())).toMatchObject({ kind: "notSent" });
  });
});

describe("a success", () => {
  test.each([
    ["another operation", { operation: "b".repeat(26) }, ["operationId"]],
    ["another invoice", { invoice: "INV-2" }, ["target", "payloadDigest"]],
    ["another amount", { amount: "500.00" }, ["payloadDigest"]],
    ["the amount in another form", { amount: "50.0" }, ["payloadDigest"]],
    ["another currency", { currency: "USD" }, ["payloadDigest"]],
  ] as const)("for %s does not match what was asked for", async (_what, changed, differing) => {
    const server = await oddServer(answering(201, echo(changed)));
    const { boundTo } = receiptIn(await send(server.url));
    const fields = ["operationId", "target", "payloadDigest"] as const;
    expect(fields.filter((field) => boundTo[field] !== creditNote.binding[field])).toEqual(
      differing,
    );
  });

  test("that names the invoice in letters composed otherwise is for what was asked for", async () => {
    const invoice = note.invoice.normalize("NFD");
    expect(invoice).not.toBe(note.invoice);
    const server = await oddServer(answering(201, echo({ invoice })));
    const { boundTo } = receiptIn(await send(server.url));
    expect(boundTo).toEqual(creditNote.binding);
  });

  test.each([
    ["no operation", { operation: undefined }],
    ["no id", { id: "" }],
    ["another status", { status: "pending" }],
    ["an amount that is a number", { amount: 50 }],
    ["text that is no Unicode", { invoice: "\uD800" }],
    ["endless text", { invoice: "x".repeat(5000) }],
  ])("with %s proves nothing", async (_what, changed) => {
    const server = await oddServer(answering(201, echo(changed)));
    expect(await send(server.url)).toMatchObject({ kind: "noAnswer" });
  });

  test("for another state of the invoice does not match what was asked for", async () => {
    const said = { id: "MK-1", invoice: "INV-1", state: "paid", operation: operationId };
    const server = await oddServer(answering(200, said));
    const { boundTo } = receiptIn(await send(server.url, invoiceMark));
    expect(boundTo.payloadDigest).toBe(digestOf({ ...mark, state: "paid" }));
  });
});

describe("a request that the portal could not tell apart or carry out", () => {
  const { providerKey: _none, ...keyless } = creditNote;
  test.each([
    ["without its key", keyless],
    ["with an amount that is a number", { ...creditNote, payload: { ...note, amount: 50 } }],
    ["with a field of its own", { ...creditNote, payload: { ...note, to: "x" } }],
    ["for an invoice that is a path", { ...invoiceMark, payload: { ...mark, invoice: ".." } }],
    ["for an action it does not know", { ...creditNote, action: "portal.refund.v1" }],
  ])("is not sent: %s", async (_what, request) => {
    const server = await oddServer(answering(201, echo()));
    expect(await send(server.url, request)).toMatchObject({ kind: "notSent" });
    expect(server.sockets).toEqual([]);
  });
});

describe("the portal's contract", () => {
  test("refuses a time-out that its margin does not cover, at start-up", () => {
    const portal = supplierPortal({ baseUrl: "http://h", token: "t", callTimeoutMs: 15 * 60_000 });
    const start = () => bookOf({ workflows: [], actions: portalActions, providers: [portal] });
    expect(start).toThrow("marginMs must be at least");
  });

  test("has actions whose payloads refuse what is not text", () => {
    const [request] = portalActions;
    expect(request.payload.safeParse({ ...note, amount: 50 }).success).toBe(false);
    expect(request.payload.safeParse(note).success).toBe(true);
  });
});
