// Real workers, killed by SIGKILL in each of three windows, or left behind by the broker's clock; the end state is read from the
// provider's journal.
import { afterAll, beforeAll, expect, test } from "vitest";
import { isDone, openLocalWorld, waitUntil, type LocalWorld } from "./local-world.ts";

const once = {
  "portal.request_credit_note.v1": 1,
  "portal.mark_invoice.v1": 1,
  "email.send_notification.v1": 1,
};

/** What a sweep woke in vain, the next minute's wakes again. */
const rescuedWithinMs = 75_000;

let world: LocalWorld;
beforeAll(async () => {
  world = await openLocalWorld();
});
afterAll(() => world.close());

async function batchesOf(caseId: string): Promise<number> {
  const { entries } = await world.cosmos.log();
  return entries.filter(
    ({ kind, partitionKey, status }) =>
      kind === "batch" && status === 200 && JSON.stringify(partitionKey ?? "").includes(caseId),
  ).length;
}

async function sendsOf(invoice: string, action: string): Promise<number> {
  const journal = await world.providers.journal();
  return journal.filter(
    (entry) => entry.event === "received" && entry.action === action && entry.target === invoice,
  ).length;
}

test("a worker killed after its claim and before the send: the effect is applied once", async () => {
  const invoice = "INV-C1";
  // The gate reads the grant just before the send; there the worker is held.
  await world.cosmos.inject({
    match: { kind: "read", container: "grants" },
    fault: "delay",
    delayMs: 60_000,
  });
  await world.post(world.raised(invoice));
  const claimed = await world.until(invoice, (view) =>
    view.effects.some(({ status }) => status === "started"),
  );
  expect(await batchesOf(claimed.case.caseId)).toBe(1);
  await world.kill();
  await world.cosmos.clearFaults();
  expect(await sendsOf(invoice, "portal.request_credit_note.v1")).toBe(0);
  const done = await world.until(invoice, isDone);
  expect(await world.applied(invoice)).toEqual(once);
  expect(await sendsOf(invoice, "portal.request_credit_note.v1")).toBe(1);
  const [first] = done.effects;
  expect(first?.attempts.map(({ end }) => end?.kind)).toEqual(["orphaned", "receipt"]);
});

test("a worker killed after the provider committed: the same key is sent again, and applied once", async () => {
  const invoice = "INV-C2";
  const action = "portal.request_credit_note.v1";
  await world.providers.order([{ target: invoice, action, fault: "hang", times: 1 }]);
  await world.post(world.raised(invoice));
  await world.providers.waitFor((entry) => entry.event === "applied" && entry.target === invoice);
  await world.kill();
  await world.until(invoice, isDone);
  expect(await world.applied(invoice)).toEqual(once);
  expect(await sendsOf(invoice, action)).toBe(2);
});

test("a worker killed between settlement and commit: nothing is repeated, and the case is committed", async () => {
  const invoice = "INV-C3";
  const action = "portal.mark_invoice.v1";
  // The answer is held back until the look before the commit is sure to be held, too.
  await world.providers.order([
    { target: invoice, action, fault: "answerLate", delayMs: 600, times: 1 },
  ]);
  await world.post(world.raised(invoice));
  await world.providers.waitFor(
    (entry) => entry.event === "applied" && entry.target === invoice && entry.action === action,
  );
  await world.cosmos.inject({
    match: { kind: "query", container: "cases" },
    fault: "delay",
    delayMs: 60_000,
  });
  await world.providers.waitFor(
    (entry) => entry.event === "answered" && entry.target === invoice && entry.action === action,
  );
  await waitUntil("the look is held", async () =>
    (await world.cosmos.faults()).some(({ fired }) => fired > 0),
  );
  await world.kill();
  await world.cosmos.clearFaults();
  await world.until(invoice, isDone);
  expect(await world.applied(invoice)).toEqual(once);
});

test("a worker killed while an email hangs: it stays unknown, and a person is shown it", async () => {
  const invoice = "INV-C4";
  const action = "email.send_notification.v1";
  await world.providers.order([{ action, fault: "hang", times: 1 }]);
  await world.post(world.raised(invoice));
  await world.providers.waitFor(
    (entry) =>
      entry.event === "applied" && entry.action === action && entry.target.includes("inv-c4"),
  );
  await world.kill();
  const held = await world.until(invoice, ({ reviews }) => reviews.length > 0);
  expect(held.case.status).toBe("credit_requested");
  expect(held.effects.at(-1)).toMatchObject({ status: "unknown" });
  expect(held.reviews.map(({ kind }) => kind)).toEqual(["UnknownEffect"]);
  expect(await world.applied(invoice)).toEqual(once);
});

test.each([
  ["ahead", 2 * 3_600_000],
  ["behind", -2 * 3_600_000],
])(
  "a broker whose clock goes %s in the middle of a call: each effect is applied once",
  async (which, skewMs) => {
    const invoice = `INV-C5-${which}`;
    const action = "portal.request_credit_note.v1";
    await world.providers.order([{ target: invoice, action, fault: "hang", times: 1 }]);
    await world.post(world.raised(invoice));
    await world.providers.waitFor((entry) => entry.event === "applied" && entry.target === invoice);
    // Ahead, the lock on the case's session is over while its holder still works, and every hint that is scheduled comes before it is
    // due; behind, none comes. Either way the sweep is left, which goes by the workers' clock.
    await world.serviceBus.skewClock(skewMs);
    const isThere = async () => {
      await world.fire("sweep-stale-effects");
      const view = await world.view(invoice);
      return view !== undefined && isDone(view);
    };
    await waitUntil(`${invoice} is done`, isThere, rescuedWithinMs);
    const lost = (await world.serviceBus.log()).filter(({ kind }) => kind === "sessionLockLost");
    await world.serviceBus.skewClock(0);
    expect(await world.applied(invoice)).toEqual(once);
    expect(which === "behind" || lost.length > 0).toBe(true);
  },
  2 * rescuedWithinMs,
);
