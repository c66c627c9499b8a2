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
  // Before its claim is written a worker has scheduled nothing: only the message itself can come back.
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
  const patient = { SUPPLIER_PORTAL_CALL_TIMEOUT_MS: "6000" };
  world = await openLocalWorld({ settings: { ...noFeed, ...patient } });
  const seen = async (kind: string, queue: string) =>
    (await world.serviceBus.log()).some((entry) => entry.kind === kind && entry.queue === queue);
  // The claim is held back until the event's own hint is out; every later one to `cases` is lost.
  await world.cosmos.inject({ match: { kind: "batch" }, fault: "delay", delayMs: 1000, times: 1 });
  const action = "portal.request_credit_note.v1";
  await world.providers.order([{ target: "INV-R3", action, fault: "hang", times: 1 }]);
  await world.post(world.raised("INV-R3"));
  await waitUntil("the hint is out", () => seen("delivered", "cases"));
  for (const operation of ["send", "schedule"] as const)
    await world.serviceBus.plan({ match: { queue: "cases", operation }, fault: "discard" });
  await world.providers.waitFor((entry) => entry.event === "applied" && entry.target === "INV-R3");
  await world.kill();
  // A sweep a second, as the timer would do it each minute.
  for (let sweep = 0; sweep < 25 && !(await seen("delivered", "reviews")); sweep += 1) {
    await world.fire("sweep-stale-effects");
    await waitUntil("the next sweep", () => seen("delivered", "reviews"), 1000).catch(() => {});
  }
  expect(await seen("delivered", "reviews")).toBe(true);
  await world.serviceBus.clearFaults();
  for (let sweep = 0; sweep < 25 && !(await isOver("INV-R3")); sweep += 1) {
    await world.fire("sweep-stale-effects");
    await waitUntil("the next sweep", () => isOver("INV-R3"), 1000).catch(() => {});
  }
  expect(await isOver("INV-R3")).toBe(true);
  expect(await world.applied("INV-R3")).toEqual(once);
});

async function isOver(invoice: string): Promise<boolean> {
  const view = await world.view(invoice);
  return view !== undefined && isDone(view);
}

test("the change feed, when the hint of the event was lost", async () => {
  world = await openLocalWorld({ settings: { ...noSweep } });
  await world.serviceBus.plan({ match: { operation: "send" }, fault: "discard", times: 1 });
  await world.post(world.raised("INV-R4"));
  await world.until("INV-R4", isDone);
  expect(await world.applied("INV-R4")).toEqual(once);
});
