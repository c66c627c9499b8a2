// Over real sockets: each of four means rescues a stopped case while the other three are switched off.
import { afterEach, expect, test } from "vitest";
import { isDone, openLocalWorld, waitUntil, type LocalWorld } from "./local-world.ts";

const once = {
  "portal.request_credit_note.v1": 1,
  "portal.mark_invoice.v1": 1,
  "email.send_notification.v1": 1,
};
const noFeed = {
  AzureWebJobs_reconcile_effects_Disabled: "true",
  "AzureWebJobs.reconcile-effects.Disabled": "true",
};
const noSweep = { "AzureWebJobs.sweep-stale-effects.Disabled": "true" };

let world: LocalWorld;
afterEach(() => world.close());

async function killInMidCall(invoice: string): Promise<void> {
  const action = "portal.request_credit_note.v1";
  await world.providers.order([{ target: invoice, action, fault: "hang", times: 1 }]);
  await world.post(world.raised(invoice));
  await world.providers.waitFor((entry) => entry.event === "applied" && entry.target === invoice);
  await world.kill();
}

test("the redelivery of its message, when the worker died before its claim", async () => {
  world = await openLocalWorld({ settings: { ...noFeed, ...noSweep } });
  await world.serviceBus.plan({ match: { operation: "schedule" }, fault: "discard" });
  await world.cosmos.inject({ match: { kind: "batch" }, fault: "dropBefore" });
  await world.post(world.raised("INV-R1"));
  await waitUntil("the claim is tried", async () =>
    (await world.cosmos.faults()).some(({ fired }) => fired > 0),
  );
  await world.kill();
  await world.cosmos.clearFaults();
  await world.until("INV-R1", isDone);
  expect(await world.applied("INV-R1")).toEqual(once);
});

test("the scheduled hint, when the worker died in mid-call", async () => {
  world = await openLocalWorld({ settings: { ...noFeed, ...noSweep } });
  await killInMidCall("INV-R2");
  await world.until("INV-R2", isDone);
  expect(await world.applied("INV-R2")).toEqual(once);
});

test("the sweep, by way of queue reviews, when the worker died in mid-call and every hint was lost", async () => {
  // Long enough for the next worker to see the redelivered message while the call must still be waited for.
  const patient = { SUPPLIER_PORTAL_CALL_TIMEOUT_MS: "8000" };
  world = await openLocalWorld({ settings: { ...noFeed, ...patient } });
  await world.serviceBus.plan({ match: { operation: "schedule" }, fault: "discard" });
  await killInMidCall("INV-R3");
  const isFound = async () =>
    (await world.serviceBus.log()).some(
      ({ kind, queue }) => kind === "sent" && queue === "reviews",
    );
  // A sweep a second, as the timer would do it each minute.
  for (let sweep = 0; sweep < 25 && !(await isFound()); sweep += 1) {
    await world.fire("sweep-stale-effects");
    await waitUntil("the next sweep", isFound, 1000).catch(() => {});
  }
  await world.until("INV-R3", isDone);
  expect(await world.applied("INV-R3")).toEqual(once);
  const deliveries = (await world.serviceBus.log()).filter(({ kind }) => kind === "delivered");
  expect(deliveries.some(({ queue }) => queue === "reviews")).toBe(true);
});

test("the change feed, when the hint of the event was lost", async () => {
  world = await openLocalWorld({ settings: { ...noSweep } });
  await world.serviceBus.plan({ match: { operation: "send" }, fault: "discard", times: 1 });
  await world.post(world.raised("INV-R4"));
  await world.until("INV-R4", isDone);
  expect(await world.applied("INV-R4")).toEqual(once);
});
