// Each way of misbehaving: what the caller hears, and what was applied all the same.
import { describe, expect, test } from "vitest";
import { note, startWorld } from "./world.ts";

describe("a call that meets a fault", () => {
  test("commitThenDrop: is applied, hears nothing, and its key replays", async () => {
    const { credit, local, applied } = await startWorld();
    await local.order([{ fault: "commitThenDrop" }]);
    await expect(credit("key-1")).rejects.toThrow("fetch failed");
    expect(await applied()).toHaveLength(1);
    expect((await credit("key-1")).headers.get("idempotent-replayed")).toBe("true");
    expect(await applied()).toHaveLength(1);
  });

  test("answerLate: is applied before its late answer", async () => {
    const { credit, local, applied } = await startWorld();
    await local.order([{ fault: "answerLate", delayMs: 200 }]);
    const startedMs = performance.now();
    const answer = credit("key-1");
    await local.waitFor(({ event }) => event === "applied");
    expect((await answer).status).toBe(201);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(199);
    expect(await applied()).toHaveLength(1);
  });

  test("applyLate: hears nothing, is in progress, and is applied later", async () => {
    const { credit, local, applied } = await startWorld();
    await local.order([{ fault: "applyLate", delayMs: 300 }]);
    await expect(credit("key-1")).rejects.toThrow("fetch failed");
    expect(await applied()).toEqual([]);
    expect((await credit("key-1")).status).toBe(409);
    await local.waitFor(({ event }) => event === "applied");
    expect((await credit("key-1")).headers.get("idempotent-replayed")).toBe("true");
    expect(await applied()).toHaveLength(1);
  });

  test("errorAfterCommit: hears 500 although it was applied", async () => {
    const { credit, local, applied } = await startWorld();
    await local.order([{ fault: "errorAfterCommit" }]);
    expect((await credit("key-1")).status).toBe(500);
    expect(await applied()).toHaveLength(1);
    expect((await credit("key-1")).status).toBe(201);
  });

  test.each([
    ["tooManyRequests", 429, { retryAfter: 7 }, "7"],
    ["tooManyRequests", 429, { retryAfter: "soon" }, "soon"],
    ["unavailable", 503, {}, null],
    ["redirect", 307, {}, null],
    ["redirect", 302, { status: 302 }, null],
  ] as const)("%s: hears %d and is not applied", async (fault, status, more, retryAfter) => {
    const { credit, local, applied } = await startWorld();
    await local.order([{ fault, ...more }]);
    const response = await credit("key-1");
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe(retryAfter);
    expect(await applied()).toEqual([]);
    expect((await credit("key-1")).status).toBe(201);
  });

  test("redirect: whoever follows it gets a receipt for nothing", async () => {
    const { url, local, applied } = await startWorld();
    await local.order([{ fault: "redirect" }]);
    const followed = await fetch(`${url}/supplier-portal/v1/accounts/acme/credit-notes`, {
      method: "POST",
      headers: { authorization: "Bearer t", "idempotency-key": "k" },
      body: JSON.stringify(note),
    });
    expect(await followed.json()).toMatchObject({ id: "CN-999999" });
    expect(await applied()).toEqual([]);
  });

  test("down: hears nothing and leaves no trace but the fault's own", async () => {
    const { email, local } = await startWorld();
    await local.order([{ provider: "email", fault: "down" }]);
    await expect(email("ana@example.com")).rejects.toThrow("fetch failed");
    expect((await local.journal()).map(({ event, fault }) => [event, fault])).toEqual([
      ["faultFired", "down"],
    ]);
  });

  test("hang: is applied and waits until it is released", async () => {
    const { email, local, applied } = await startWorld();
    await local.order([{ fault: "hang" }]);
    const answer = email("ana@example.com");
    await local.waitFor(({ event }) => event === "applied");
    await expect.poll(() => local.release()).toBe(1);
    expect((await answer).status).toBe(202);
    expect(await applied()).toHaveLength(1);
  });

  test("garbage: hears 200 with something that is no JSON", async () => {
    const { credit, local, applied } = await startWorld();
    await local.order([{ fault: "garbage" }]);
    const response = await credit("key-1");
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toBeInstanceOf(SyntaxError);
    expect(await applied()).toHaveLength(1);
  });

  test("hugeBody: hears megabytes", async () => {
    const { credit, local } = await startWorld();
    await local.order([{ fault: "hugeBody" }]);
    const response = await credit("key-1");
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(8_000_000);
  });
});

describe("a fault", () => {
  test("fires only where it matches, and only so many times", async () => {
    const { credit, mark, local } = await startWorld();
    await local.order([
      { fault: "unavailable", action: "portal.mark_invoice.v1", target: "INV-7", times: 2 },
      { fault: "refuse", account: "globex" },
    ]);
    const statuses = [
      (await mark("m1", "INV-6")).status,
      (await credit("c1")).status,
      (await mark("m2", "INV-7")).status,
      (await mark("m2", "INV-7")).status,
      (await mark("m2", "INV-7")).status,
      (await credit("c2", note, "globex")).status,
    ];
    expect(statuses).toEqual([200, 201, 503, 503, 200, 422]);
    expect((await local.faults()).map(({ fired, remaining }) => [fired, remaining])).toEqual([
      [2, 0],
      [1, 0],
    ]);
  });

  test("is forgotten on request", async () => {
    const { credit, local } = await startWorld();
    await local.order([{ fault: "refuse" }]);
    await local.clearFaults();
    expect((await credit("key-1")).status).toBe(201);
    expect(await local.faults()).toEqual([]);
  });

  test("with an unknown name is refused, by its name", async () => {
    const { url } = await startWorld();
    const response = await fetch(`${url}/_local/faults`, {
      method: "POST",
      body: JSON.stringify([{ fault: "explode" }]),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("commitThenDrop");
  });
});
