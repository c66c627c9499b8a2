// The whole path through real SDKs and sockets: a signed webhook in, confirmed effects out.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { isDone, openLocalWorld, waitUntil, type LocalWorld } from "./local-world.ts";

const once = {
  "portal.request_credit_note.v1": 1,
  "portal.mark_invoice.v1": 1,
  "email.send_notification.v1": 1,
};

const Email = z.object({
  subject: z.string(),
  text: z.string(),
  headers: z.record(z.string(), z.string()),
});

let world: LocalWorld;
beforeAll(async () => {
  world = await openLocalWorld({ workers: 2 });
});
afterAll(() => world.close());

test("an exception becomes a credit note, a mark, a commit and an email, in N + 1 batches and one intake write", async () => {
  expect(await world.post(world.raised("INV-1"))).toBe(202);
  const done = await world.until("INV-1", isDone);
  expect(await world.applied("INV-1")).toEqual(once);
  const { entries } = await world.cosmos.log();
  const ours = entries.filter(({ partitionKey }) =>
    JSON.stringify(partitionKey ?? "").includes(done.case.caseId),
  );
  const writes = ours.filter(({ kind }) => kind === "batch" || kind === "create");
  expect(writes.map(({ kind }) => kind)).toEqual(["create", "batch", "batch", "batch", "batch"]);
});

test("an email's words are in the database under a key only, from the decision to the end", async () => {
  await world.post(world.raised("INV-SEC"));
  const done = await world.until("INV-SEC", isDone);
  const email = done.effects.find(({ action }) => action === "email.send_notification.v1");
  expect(email).toMatchObject({ payloadRef: `payload:${email?.operationId}` });
  expect(email).not.toHaveProperty("payload");
  const stored = await world.stored(done.case.caseId);
  const payload = stored.find(({ type }) => type === "payload");
  expect(payload).toMatchObject({ keyId: "test-1", ttl: 30 * 24 * 3600 });
  const sent = (await world.providers.journal()).flatMap(
    ({ body }) => Email.safeParse(body).data ?? [],
  );
  const [ours] = sent.filter(({ headers }) => headers["X-Operation-Id"] === email?.operationId);
  expect(ours?.text).toContain("INV-SEC");
  expect(JSON.stringify(stored)).not.toContain(ours?.text);
  expect(JSON.stringify(stored)).not.toContain(ours?.subject);
});

test("the same event fifty times at once is one event, and each effect is applied once", async () => {
  const delivery = world.raised("INV-50");
  const answers = await Promise.all(Array.from({ length: 50 }, () => world.post(delivery)));
  expect(new Set(answers)).toEqual(new Set([202]));
  const done = await world.until("INV-50", isDone);
  expect(done.events).toHaveLength(1);
  expect(await world.applied("INV-50")).toEqual(once);
});

test("twenty events of one case, over two workers, repeat nothing", async () => {
  const first = world.raised("INV-20");
  const deliveries = Array.from({ length: 20 }, (_, n) => ({
    ...first,
    id: `again-${n}`,
    timestamp: `2026-11-29T10:00:${String(n).padStart(2, "0")}Z`,
  }));
  await Promise.all(deliveries.map((delivery) => world.post(delivery)));
  const done = await world.until(
    "INV-20",
    (view) => isDone(view) && view.events.every(({ folded }) => folded !== undefined),
  );
  expect(done.case.version).toBe(2);
  expect(await world.applied("INV-20")).toEqual(once);
});

describe("a delivery that is refused", () => {
  test("with a bad signature, a broken body, or too much of it, says what is wrong and changes nothing", async () => {
    const url = `${world.host.url}/api/webhooks/acme-erp`;
    const headers = {
      "webhook-id": "x1",
      "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
      "webhook-signature": "v1,bm9wZQ==",
    };
    const bad = await fetch(url, { method: "POST", body: "{}", headers });
    expect([bad.status, bad.headers.get("content-type")]).toEqual([
      401,
      "application/problem+json",
    ]);
    const large = await fetch(url, { method: "POST", body: "x".repeat(300 * 1024), headers });
    expect(large.status).toBe(413);
    expect(await world.post({ ...world.raised("INV-B"), data: { invoice: "INV-B" } })).toBe(400);
    expect(await world.view("INV-B")).toBeUndefined();
  });
});

test("a case settles by itself and then rests: no write and no hint keeps it busy", async () => {
  await world.post(world.raised("INV-REST"));
  const done = await world.until("INV-REST", isDone);
  const batches = done.log.length;
  await waitUntil("the queue is empty", async () =>
    (await world.serviceBus.queues()).every(({ active }) => active === 0),
  );
  expect((await world.view("INV-REST"))?.log).toHaveLength(batches);
});
