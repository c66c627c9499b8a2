// The supplier portal's promises, through its front door.
import { describe, expect, test } from "vitest";
import { note, startWorld } from "./world.ts";

describe("a credit note", () => {
  test("is accepted with a number of its own and bound to the operation", async () => {
    const { credit } = await startWorld();
    const response = await credit("key-1");
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      id: "CN-000001",
      status: "accepted",
      invoice: "INV-1",
      amount: "50.00",
      currency: "EUR",
      operation: "op-1",
    });
  });

  test.each([
    ["no bearer token", 401, { authorization: "" }],
    ["no key", 400, { "idempotency-key": "" }],
    ["a key of 65 characters", 400, { "idempotency-key": "k".repeat(65) }],
    ["a key with a colon", 400, { "idempotency-key": "a:b" }],
  ])("with %s is refused with %d and not applied", async (_what, status, headers) => {
    const { url, applied } = await startWorld();
    const response = await fetch(`${url}/supplier-portal/v1/accounts/acme/credit-notes`, {
      method: "POST",
      headers: { authorization: "Bearer t", "idempotency-key": "k", ...headers },
      body: JSON.stringify(note),
    });
    expect(response.status).toBe(status);
    expect(await applied()).toEqual([]);
  });

  test.each([
    ["no JSON", "{"],
    ["a number as its amount", { ...note, amount: 50 }],
    ["an unknown field", { ...note, total: "1" }],
  ])("with %s as its body is refused with 400", async (_what, body) => {
    const { credit, applied } = await startWorld();
    expect((await credit("key-1", body)).status).toBe(400);
    expect(await applied()).toEqual([]);
  });

  test("larger than 64 KB is refused with 413", async () => {
    const { credit } = await startWorld();
    expect((await credit("key-1", "x".repeat(70_000))).status).toBe(413);
  });
});

describe("an invoice mark", () => {
  test("keeps an invoice number with a slash, a space and an umlaut whole", async () => {
    const { mark, applied } = await startWorld();
    const response = await mark("key-1", "RE 2026/10-ä");
    expect(await response.json()).toMatchObject({ id: "MK-000001", invoice: "RE 2026/10-ä" });
    expect(await applied()).toMatchObject([{ target: "RE 2026/10-ä", operation: "op-2" }]);
  });
});

describe("the same key", () => {
  test("with the same bytes gets the first answer again and applies nothing", async () => {
    const { credit, applied } = await startWorld();
    const first = await credit("key-1");
    const second = await credit("key-1");
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(second.status).toBe(201);
    expect(await second.json()).toEqual(await first.json());
    expect(await applied()).toHaveLength(1);
  });

  test("with other bytes, even only other white space, is a conflict", async () => {
    const { credit, applied } = await startWorld();
    await credit("key-1", JSON.stringify(note));
    const second = await credit("key-1", JSON.stringify(note, null, 1));
    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({ code: "idempotency_key_reused" });
    expect(await applied()).toHaveLength(1);
  });

  test("for another invoice's mark with the same bytes is a conflict", async () => {
    const { mark, applied } = await startWorld();
    await mark("key-1", "INV-1");
    expect((await mark("key-1", "INV-2")).status).toBe(409);
    expect(await applied()).toHaveLength(1);
  });

  test("in another account is another key", async () => {
    const { credit, applied } = await startWorld();
    await credit("key-1", note, "acme");
    expect((await credit("key-1", note, "globex")).status).toBe(201);
    expect(await applied()).toHaveLength(2);
  });

  test("while the first request is executing is told to come back", async () => {
    const { credit, local, applied } = await startWorld();
    await local.order([{ fault: "hangBefore" }]);
    const first = credit("key-1");
    await local.waitFor(({ event }) => event === "faultFired");
    const second = await credit("key-1");
    expect(second.status).toBe(409);
    expect(second.headers.get("retry-after")).toBe("1");
    expect(await second.json()).toMatchObject({ code: "idempotency_in_progress" });
    await local.release();
    expect((await first).status).toBe(201);
    expect(await applied()).toHaveLength(1);
  });

  test("is free again when the caller of an unapplied request has hung up", async () => {
    const { url, credit, local, applied } = await startWorld();
    await local.order([{ fault: "hangBefore" }]);
    const caller = new AbortController();
    const first = fetch(`${url}/supplier-portal/v1/accounts/acme/credit-notes`, {
      method: "POST",
      headers: { authorization: "Bearer t", "idempotency-key": "key-1" },
      body: JSON.stringify(note),
      signal: caller.signal,
    });
    await local.waitFor(({ event }) => event === "faultFired");
    caller.abort();
    await expect(first).rejects.toThrow("aborted");
    await expect.poll(async () => (await credit("key-1")).status).toBe(201);
    expect(await applied()).toHaveLength(1);
  });

  test("after the retention is executed anew", async () => {
    const { credit, applied } = await startWorld({ keyRetentionMs: 0 });
    await credit("key-1");
    const second = await credit("key-1");
    expect(await second.json()).toMatchObject({ id: "CN-000002" });
    expect(await applied()).toHaveLength(2);
  });

  test("after a refused first request is executed: errors are not stored", async () => {
    const { credit, local, applied } = await startWorld();
    await local.order([{ fault: "refuse", reason: "no such invoice" }]);
    const first = await credit("key-1");
    expect(first.status).toBe(422);
    expect(await first.json()).toEqual({ code: "refused", reason: "no such invoice" });
    expect((await credit("key-1")).status).toBe(201);
    expect(await applied()).toHaveLength(1);
  });

  test("sent twenty times at once applies once", async () => {
    const { credit, applied } = await startWorld();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await credit("key-1")).status),
    );
    expect(statuses).toContain(201);
    expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
    expect(await applied()).toHaveLength(1);
  });
});

describe("another key for the same invoice", () => {
  test("is another credit note: the portal dedupes by key only", async () => {
    const { credit, applied } = await startWorld();
    await credit("key-1");
    await credit("key-2");
    expect((await applied()).map(({ target }) => target)).toEqual(["INV-1", "INV-1"]);
  });
});

describe("the email provider", () => {
  test("accepts the same message twice and sends it twice", async () => {
    const { email, applied } = await startWorld();
    const response = await email("ana@example.com");
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ id: "msg_000001", status: "accepted" });
    await email("ana@example.com");
    expect(await applied()).toMatchObject([
      { target: "ana@example.com", operation: "op-3" },
      { target: "ana@example.com", operation: "op-3" },
    ]);
  });
});
