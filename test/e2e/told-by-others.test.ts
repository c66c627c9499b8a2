// What sets a case in motion besides a tenant's own webhook, through real SDKs and sockets: a provider's report that names
// nothing but the key it was called under, and a schedule.
import { afterAll, beforeAll, expect, test } from "vitest";
import { principalHeader } from "../../local/host/http/principal.ts";
import { isDone, openLocalWorld, type LocalWorld } from "./local-world.ts";

let world: LocalWorld;
beforeAll(async () => {
  world = await openLocalWorld({ workers: 2, settings: { SCHEDULES: JSON.stringify(schedules) } });
});
afterAll(() => world.close());

const raised = {
  invoice: "INV-S",
  supplier: "Contoso Paper",
  supplierAccount: "SUP-77",
  currency: "EUR",
  billed: "1249.00",
  ordered: "1199.00",
  reason: "price_variance",
  accountOwnerEmail: "owner-inv-s@acme.example",
};
const schedules = {
  yearly: {
    tenantId: "acme",
    workflow: "invoice-exception",
    everyMinutes: 365 * 24 * 60,
    startsAt: "2026-01-01T00:00:00Z",
    event: { type: "invoice.exception.raised", data: raised },
  },
};

test("the portal's report of a credit note, by its key alone, shows that credit note delivered", async () => {
  await world.post(world.raised("INV-K"));
  const done = await world.until("INV-K", isDone);
  const note = done.effects.find(({ action }) => action === "portal.request_credit_note.v1");
  expect(note?.receipt?.stage).toBe("accepted");
  const report = {
    source: "acme-portal",
    id: "portal-1",
    type: "credit_note.issued",
    timestamp: "2026-11-29T11:00:00Z",
    data: {
      id: note?.receipt?.providerId ?? "",
      idempotencyKey: note?.providerKey ?? "",
      invoice: "INV-K",
      amount: "50.00",
      currency: "EUR",
    },
  };
  expect(await world.post(report)).toBe(202);
  const told = await world.until("INV-K", ({ effects }) =>
    effects.some(
      ({ action, receipt }) =>
        action === "portal.request_credit_note.v1" && receipt?.stage === "delivered",
    ),
  );
  expect(told.case.version).toBe(done.case.version);
  expect(told.reviews.filter(({ resolution }) => resolution === undefined)).toEqual([]);
});

test("a report under a key that nobody bears is taken once, and its tenant's readers see it", async () => {
  const data = { id: "cn-x", idempotencyKey: "nobody", invoice: "X", amount: "1", currency: "EUR" };
  const timestamp = "2026-11-29T11:00:00Z";
  const report = {
    source: "acme-portal",
    id: "portal-2",
    type: "credit_note.issued",
    timestamp,
    data,
  };
  expect([await world.post(report), await world.post(report)]).toEqual([202, 202]);
  const reader = principalHeader({ id: "r-1", name: "Rea", roles: ["reader@acme"] });
  const headers = { "x-ms-client-principal": reader };
  const list = (tenant: string) => fetch(`${world.host.url}/api/reports/${tenant}`, { headers });
  const shown: unknown = await (await list("acme")).json();
  expect(shown).toMatchObject({
    reports: [{ eventId: "portal-2", about: { providerKey: "nobody" }, looks: 1 }],
  });
  expect((await list("globex")).status).toBe(403);
});

test("a schedule that fires twice at once opens one case, which is carried through", async () => {
  await Promise.all([world.fire("run-schedules"), world.fire("run-schedules")]);
  const done = await world.until("INV-S", isDone);
  expect(done.events.map(({ eventId, source }) => `${source} ${eventId}`)).toEqual([
    "schedule.yearly 2026-01-01T00:00:00Z",
  ]);
  expect(await world.applied("INV-S")).toMatchObject({ "portal.request_credit_note.v1": 1 });
});
