// The host's own endpoints, and the time limit. Rules from Microsoft Learn: "Manually run a non-HTTP-triggered function",
// "Work with access keys", "host.json reference" (functionTimeout), "How to disable functions".
import { describe, expect, test } from "vitest";
import { awaited, runningHost } from "./running-host.ts";

const { asMaster, fetch, records } = await runningHost();
const post = (input: string) => ({ method: "POST", body: JSON.stringify({ input }) });

describe("an admin endpoint", () => {
  test("wants the master key", async () => {
    expect((await fetch("/admin/host/status")).status).toBe(401);
    expect((await fetch("/admin/functions/by-hand", post(""))).status).toBe(401);
  });

  test("tells that the host is running", async () => {
    expect(await (await asMaster("/admin/host/status")).json()).toMatchObject({ state: "Running" });
  });

  test("lists the functions", async () => {
    const all = (await (await asMaster("/admin/functions")).json()) as { name: string }[];
    const names = all.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["echo", "by-hand", "in-session", "feed"]));
  });

  test("runs a function by hand: 202 at once", async () => {
    const before = (await records("by-hand")).length;
    expect((await asMaster("/admin/functions/by-hand", post(""))).status).toBe(202);
    await awaited("the run", async () => (await records("by-hand")).length === before + 1);
  });

  test("runs a queue's function with the input as its message", async () => {
    const body = `by hand ${crypto.randomUUID()}`;
    expect((await asMaster("/admin/functions/plain-queue", post(body))).status).toBe(202);
    await awaited("the message", async () =>
      (await records<{ body: unknown }>("plain")).some((row) => row.body === body),
    );
  });

  test("does not know a function that is not there: 404", async () => {
    expect((await asMaster("/admin/functions/nobody", post(""))).status).toBe(404);
  });
});

describe("functionTimeout", () => {
  test("ends an invocation that takes longer, and the app goes on (waits)", async () => {
    const startedAtMs = Date.now();
    const status = await fetch("/api/hangs", { signal: AbortSignal.timeout(10_000) }).then(
      (response) => response.status,
      () => 0,
    );
    expect(status).toBeGreaterThanOrEqual(500);
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(2900);
    expect((await fetch("/api/plain-name")).status).toBe(200);
  });
});
