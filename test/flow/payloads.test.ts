// Sensitive payloads: apart, encrypted, with a life of their own (design.md 3, 8). What is sent is what was frozen, or nothing.
import { describe, expect, test } from "vitest";
import type { Effect } from "../../shared/domain/records/effect.ts";
import { payloadTtlSeconds, type Payload } from "../../shared/domain/records/payload.ts";
import type { SendRequest } from "../../shared/domain/definitions.ts";
import type { Answer, Receipt } from "../../shared/domain/records/evidence.ts";
import { sweepDue } from "../../shared/flow/wake/sweep-due.ts";
import { keysNamed, planOfTwo, receiptFor } from "../domain/situations.ts";
import { key, mortal, newWorld, turnUntilDeath, type World } from "./world.ts";

const secret = "MARKER-7c1e";
const sensitive = ["keyed.first.v1", "bare.first.v1", "mail.tell.v1"];
const tell = { action: "mail.tell.v1", target: "owner-1", payload: { text: `for ${secret}` } };
const plan = {
  ...planOfTwo,
  actions: [
    { action: "keyed.first.v1", target: "T-1", payload: { to: secret, amount: "5.00" } },
    { action: "keyed.second.v1", target: "T-1", payload: { state: "marked" } },
  ],
  notifications: [tell],
};
const doneMs = 60_000;

const worldOf = (options: Parameters<typeof newWorld>[0] = {}) =>
  newWorld({ decide: () => plan, sensitive, ...options });

const everything = (world: World) => JSON.stringify(world.cases.stored(key));

function payloadsOf(world: World): Payload[] {
  return world.cases.stored(key).filter(({ type }) => type === "payload") as unknown as Payload[];
}

/** A worker whose instance knows these keys. */
const knowing = (world: World, keys: ReturnType<typeof keysNamed>) =>
  world.worker({ book: { ...world.book, payloadKeys: keys } });

async function effectOf(world: World, action: string): Promise<Effect> {
  const found = (await world.effects()).find((effect) => effect.action === action);
  if (found === undefined) throw new Error(`no effect ${action}`);
  return found;
}

describe.each([true, false])("a sensitive payload (writes fused: %s)", (fused) => {
  test("reaches its provider as it was frozen, and is nowhere readable in the store", async () => {
    const world = worldOf({ fused });
    await world.post(1);
    await world.run();
    expect(world.keyed.applied.map(({ payload }) => payload)).toEqual([
      { to: secret, amount: "5.00" },
      { state: "marked" },
    ]);
    expect(world.bare.applied.map(({ payload }) => payload)).toEqual([tell.payload]);
    expect(everything(world)).not.toContain(secret);
    const [first, second] = await world.effects();
    expect(first).toMatchObject({ payloadRef: `payload:${first?.operationId}` });
    expect(first).not.toHaveProperty("payload");
    expect(second).toMatchObject({ payload: { state: "marked" } });
  });

  test("is there with the plan that needs it, or neither is", async () => {
    for (const when of ["before", "after"] as const) {
      const world = worldOf({ fused });
      await world.post(1);
      const visit = fused ? 1 : 2;
      await turnUntilDeath(world, mortal(world, { boundary: "write", when, visit }));
      const there = when === "after";
      expect(payloadsOf(world)).toHaveLength(there ? 2 : 0);
      expect(await world.effects()).toHaveLength(there ? 2 : 0);
      // The sweep would find it: what its worker had not scheduled is due all the same.
      world.advance(60_000);
      await world.turn();
      await world.run();
      expect(world.keyed.applied[0]?.payload).toEqual({ to: secret, amount: "5.00" });
      expect(world.bare.applied).toHaveLength(1);
      expect((await world.record()).status).toBe("done");
    }
  });

  test("begins to end in the batch that gives its effect a final status, and not before", async () => {
    const world = worldOf({ fused });
    world.bare.script = ["appliedAndDropped"];
    await world.post(1);
    await world.run(world.worker(), doneMs);
    const ttls = new Map(payloadsOf(world).map(({ operationId, ttl }) => [operationId, ttl]));
    const statuses = (await world.effects()).filter(({ payloadRef }) => payloadRef !== undefined);
    expect(statuses.map(({ operationId, status }) => [status, ttls.get(operationId)])).toEqual([
      ["confirmed", payloadTtlSeconds],
      ["unknown", undefined],
    ]);
    world.advance(payloadTtlSeconds * 1000 + 2000);
    expect(payloadsOf(world).map(({ operationId }) => operationId)).toEqual([
      statuses[1]?.operationId,
    ]);
  });

  test("of a plan that ends unsent ends with it, the untold notification's too", async () => {
    let decided = 0;
    const decide = () => ((decided += 1) === 1 ? plan : ({ kind: "hold", why: "enough" } as const));
    const refused = worldOf({ fused, decide });
    refused.keyed.script = ["refuses"];
    await refused.post(1);
    await refused.run();
    expect((await refused.record()).held?.reason).toBe("DecisionHeld");
    expect(refused.bare.received).toEqual([]);
    expect(payloadsOf(refused).map(({ ttl }) => ttl)).toEqual(Array(2).fill(payloadTtlSeconds));
  });

  test("sent again after a lost answer has the same bytes, whatever key is the newest by then", async () => {
    const world = worldOf({ fused });
    world.keyed.script = ["appliedAndDropped"];
    await world.post(1);
    await world.turn();
    await world.run(knowing(world, keysNamed("k2", "k1")));
    const [first, again] = world.keyed.received;
    expect(again?.providerKey).toBe(first?.providerKey);
    expect(JSON.stringify(again?.payload)).toBe(JSON.stringify(first?.payload));
    expect(world.keyed.applied).toHaveLength(2);
    expect((await world.record()).status).toBe("done");
  });
});

describe("what cannot be read", () => {
  const withheld: [string, (world: World, id: string) => void, RegExp][] = [
    ["is gone", (world, id) => lose(world, id), /no longer stored/],
    ["was erased", (world, id) => change(world, id, { ciphertext: "" }), /erased/],
    ["was changed", (world, id) => change(world, id, { ciphertext: "A".repeat(80) }), /decrypt/],
    ["names an unknown key", (world, id) => change(world, id, { keyId: "k0" }), /no key named k0/],
    ["fits no schema", (world, id) => change(world, id, { nonce: 7 as never }), /cannot be read/],
  ];

  test.each(withheld)("because it %s is held and never sent", async (_why, spoil, why) => {
    const world = await atTheNotification();
    const [payload] = payloadsOf(world).filter(({ ttl }) => ttl === undefined);
    spoil(world, payload?.id ?? "");
    await world.run();
    expect(world.bare.received).toEqual([]);
    expect(await effectOf(world, "mail.tell.v1")).toMatchObject({
      status: "prepared",
      attempts: [],
      mayHaveLeft: false,
    });
    const reviews = await world.reviews();
    expect(reviews.map(({ kind }) => kind)).toEqual(["PayloadUnavailable"]);
    expect(reviews[0]?.why).toMatch(why);
  });

  test("because another payload stands in its place is a mismatch, and never sent", async () => {
    const world = await atTheNotification();
    const [payload] = payloadsOf(world).filter(({ ttl }) => ttl === undefined);
    if (payload === undefined) throw new Error("no payload");
    const other = keysNamed("k1").seal(payload, '{"text":"for somebody else"}');
    change(world, payload.id, other);
    await world.run();
    expect(world.bare.received).toEqual([]);
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["PayloadMismatch"]);
  });

  test("is looked at again for as long as it takes, never parked, and goes on once its key is back", async () => {
    const world = await atTheNotification();
    const without = knowing(world, keysNamed("k7"));
    for (let look = 0; look < 8; look += 1) {
      await world.turn(without);
      world.advance(16 * 60_000);
    }
    expect(world.bare.received).toEqual([]);
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["PayloadUnavailable"]);
    expect((await world.record()).held).toBeUndefined();
    await sweepDue(world.worker(), { wallClockMs: world.nowMs() });
    await world.run();
    expect(world.bare.applied.map(({ payload }) => payload)).toEqual([tell.payload]);
    expect(await world.reviews()).toEqual([]);
    expect(await effectOf(world, "mail.tell.v1")).not.toHaveProperty("payloadHold");
  });

  test("is in review no longer once its key is back, though it waits for something else", async () => {
    const world = await atTheNotification();
    await world.turn(knowing(world, keysNamed("k7")));
    const revoked = { by: "p", atMs: 0, reason: "test" };
    await world.grants.revoke("acme", "grant:mail.tell.v1", revoked);
    await world.turn();
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["NoGrant"]);
  });

  test("of one notification does not stop the next", async () => {
    const two = { ...plan, actions: [], notifications: [tell, { ...tell, target: "owner-2" }] };
    const world = worldOf({ fused: false, decide: () => two });
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "grants", when: "before" }));
    const [first] = await world.effects();
    lose(world, first?.payloadRef ?? "");
    await world.run();
    expect(world.bare.applied.map(({ target }) => target)).toEqual(["owner-2"]);
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["PayloadUnavailable"]);
  });

  test("because nobody grants it, a notification keeps its payload, whatever its case decides in the same turn", async () => {
    const revoked = { by: "test", atMs: 0, reason: "test" };
    const [first] = plan.actions;
    const world = worldOf({
      decide: ({ version }) =>
        version === 1
          ? { ...plan, actions: [], nextStatus: "open" }
          : { ...plan, actions: first === undefined ? [] : [first], notifications: [] },
    });
    const grant = await world.grants.read("acme", "grant:mail.tell.v1");
    if (grant === undefined) throw new Error("no grant");
    await world.grants.revoke("acme", "grant:mail.tell.v1", revoked);
    await world.post(1);
    await world.run(world.worker(), doneMs);
    expect(world.keyed.applied).toHaveLength(1);
    world.grants.put(grant);
    await world.run();
    expect(world.bare.applied.map(({ payload }) => payload)).toEqual([tell.payload]);
  });

  test("keeps an unknown effect from being retried, and its late receipt still settles it", async () => {
    const world = worldOf();
    world.keyed.script = ["appliedAndDropped"];
    await world.post(1);
    await world.turn();
    await world.run(knowing(world, keysNamed("k7")), 20 * 60_000);
    expect(world.keyed.received).toHaveLength(1);
    const unknown = await effectOf(world, "keyed.first.v1");
    expect(unknown.status).toBe("unknown");
    await world.report({ ...receiptFor(unknown, "P-late"), stage: "delivered" });
    await world.turn(knowing(world, keysNamed("k7")));
    expect((await effectOf(world, "keyed.first.v1")).status).toBe("confirmed");
    expect(
      (await world.reviews()).filter(({ subject }) => subject === unknown.operationId),
    ).toEqual([]);
  });
});

test("an echo of a sensitive payload in a provider's answer is kept nowhere, whatever the answer is", async () => {
  const said = `no mailbox for ${secret}`;
  const answers: ((request: SendRequest) => Answer)[] = [
    () => ({ kind: "noAnswer", reason: said }),
    () => ({ kind: "notApplied", reason: said }),
    () => ({ kind: "notSent", reason: said }),
    () => ({ kind: "refused", reason: said, speaksForOperation: true }),
    ({ binding, payload }) => {
      const content = { ...payload } as Receipt["content"];
      const receipt = { stage: "accepted", providerId: "P-1", boundTo: binding, content } as const;
      return { kind: "receipt", receipt };
    },
  ];
  const ofOne = { ...plan, actions: plan.actions.slice(0, 1) };
  const world = worldOf({ decide: () => ofOne });
  let calls = 0;
  const answer = async (request: SendRequest) =>
    answers[Math.min(calls++, answers.length - 1)]?.(request) ?? { kind: "noAnswer", reason: said };
  world.keyed.send = answer;
  world.bare.send = answer;
  await world.post(1);
  await world.run();
  // Refused once, decided anew, and the notification after it.
  expect(calls).toBe(answers.length + 1);
  expect((await world.record()).status).toBe("done");
  expect(everything(world)).toContain("[withheld]");
  expect(everything(world)).not.toContain(secret);
});

test("a plain payload that was changed in the store is not sent either", async () => {
  const world = newWorld({ fused: false });
  await world.post(1);
  await turnUntilDeath(world, mortal(world, { boundary: "grants", when: "before" }));
  const [first] = await world.effects();
  if (first === undefined) throw new Error("no effect");
  const changed = { ...first, payload: { amount: "5000.00" } };
  world.cases.plant(key, changed);
  await world.run();
  expect(world.keyed.received).toEqual([]);
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["PayloadMismatch"]);
});

/** The plan is committed and its sensitive notification not yet claimed. */
async function atTheNotification(): Promise<World> {
  const world = worldOf({ fused: false });
  await world.post(1);
  const death = { boundary: "grants", when: "before", visit: 3 } as const;
  await turnUntilDeath(world, mortal(world, death));
  expect((await effectOf(world, "mail.tell.v1")).status).toBe("prepared");
  return world;
}

function change(world: World, id: string, to: Partial<Payload>): void {
  const stored = payloadsOf(world).find((one) => one.id === id);
  if (stored === undefined) throw new Error(`no ${id}`);
  world.cases.plant(key, { ...stored, ...to });
}

function lose(world: World, id: string): void {
  change(world, id, { ttl: 1 });
  world.advance(2000);
}
