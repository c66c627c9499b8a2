// Several grants speak for one send, and the list that a worker chooses from may be seconds old: what is sent is covered by a grant
// that was read just before, and a better one that stands beside a revoked one is found.
import { describe, expect, test } from "vitest";
import type { Decision } from "../../shared/domain/definitions.ts";
import type { Grant } from "../../shared/domain/records/grant.ts";
import { memoryGrants } from "../memory/memory-grants.ts";
import { newWorld, type World } from "./world.ts";

const once: Decision = {
  kind: "plan",
  why: "test",
  actions: [
    { action: "bare.first.v1", target: "T-1", payload: { amount: "50.00", currency: "EUR" } },
  ],
  nextStatus: "done",
  notifications: [],
};

const grant = (id: string, change: Partial<Grant> = {}): Grant => ({
  id,
  type: "grant",
  schemaVersion: 1,
  tenantId: "acme",
  subject: "test-flow",
  action: "bare.first.v1",
  target: "*",
  limits: {},
  grantedBy: "test",
  grantedAtMs: 0,
  ...change,
});

const revoked = { by: "ada", atMs: 1, reason: "left" };

/** A worker whose list of grants is `seen` for three looks, as a cache would have it, and whose gate reads `now`. */
async function sendUnder(seen: readonly Grant[], now: (world: World) => readonly Grant[]) {
  const world = newWorld({ decide: () => once });
  await world.post(1);
  const grants = memoryGrants(...now(world));
  let looks = 0;
  const cached = {
    read: grants.read,
    async candidates(wanted: Parameters<typeof grants.candidates>[0]) {
      looks += 1;
      return looks > 3 ? grants.candidates(wanted) : [...seen];
    },
  };
  await world.run(world.worker({ grants: cached }), 60_000);
  const [effect] = await world.effects();
  return { world, effect };
}

describe("an effect that two grants cover", () => {
  test("of which the first is revoked and still listed is sent once, under the other", async () => {
    const second = grant("g-2");
    const { effect, world } = await sendUnder([grant("g-1"), second], () => [
      grant("g-1", { revoked }),
      second,
    ]);
    expect(world.bare.received).toHaveLength(1);
    expect(effect).toMatchObject({ status: "confirmed", grantRef: "g-2" });
  });

  test("of which both are revoked is not sent, and waits for a grant", async () => {
    const { effect, world } = await sendUnder([grant("g-1"), grant("g-2")], () => [
      grant("g-1", { revoked }),
      grant("g-2", { revoked }),
    ]);
    expect(world.bare.received).toEqual([]);
    expect(effect?.status).toBe("prepared");
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["NoGrant"]);
  });
});

describe("a grant that almost covers", () => {
  test.each<[string, Partial<Grant>]>([
    ["is limited in another currency", { limits: { amount: "500" }, only: { currency: "USD" } }],
    ["is limited below the amount", { limits: { amount: "49.99" } }],
    ["limits a field that is not there", { limits: { total: "500" } }],
    ["is for another target", { target: "T-11" }],
    ["is for a pattern that nobody reads", { target: "T-*" }],
    ["is for another workflow", { subject: "test-flow-2" }],
    ["has just ended", { expiresAtMs: Date.parse("2026-11-29T12:00:00Z") }],
  ])("because it %s covers nothing", async (_why, change) => {
    const { effect, world } = await sendUnder([grant("g-1", change)], () => [grant("g-1", change)]);
    expect(world.bare.received).toEqual([]);
    expect(effect?.status).toBe("prepared");
  });

  test("because it ends in the second of the send covers nothing at the gate", async () => {
    const ends = (world: World) => grant("g-1", { expiresAtMs: world.nowMs() });
    const { effect, world } = await sendUnder([grant("g-1")], (world) => [ends(world)]);
    expect(world.bare.received).toEqual([]);
    expect(effect?.attempts.at(-1)?.end).toMatchObject({
      kind: "notSent",
      reason: "the grant no longer covers it",
    });
  });

  test("but is the same amount to the last digit covers it", async () => {
    const exact = grant("g-1", { limits: { amount: "50" }, only: { currency: "EUR" } });
    const { effect } = await sendUnder([exact], () => [exact]);
    expect(effect?.status).toBe("confirmed");
  });
});

test("forty notifications that wait for one grant cost two looks a turn, and all leave once it is given", async () => {
  const told = Array.from({ length: 40 }, (_, n) => ({
    action: "mail.tell.v1",
    target: `owner-${n}`,
    payload: { text: `done ${n}` },
  }));
  const world = newWorld({ decide: () => ({ ...once, notifications: told }) });
  const revokedNow = { by: "ada", atMs: world.nowMs(), reason: "left" };
  await world.grants.revoke("acme", "grant:mail.tell.v1", revokedNow);
  await world.post(1);
  await world.run();
  expect(world.bare.received).toHaveLength(1);
  let looks = 0;
  const worker = world.worker({
    at: (boundary, act) => {
      if (boundary === "grants") looks += 1;
      return act();
    },
  });
  await world.turn(worker);
  expect(looks).toBe(2);
  world.grants.put(grant("again", { action: "mail.tell.v1" }));
  await world.turn(worker);
  await world.run(worker);
  expect(new Set(world.bare.received.map(({ binding }) => binding.target)).size).toBe(41);
});
