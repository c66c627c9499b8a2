// What was done, or was told, or may be yet, while a case went on: it is not done once more by the next claim or the next plan.
import { expect, test } from "vitest";
import type { LookupRequest } from "../../shared/domain/definitions.ts";
import { keyContract, planOf, receiptFor } from "../domain/situations.ts";
import { ana, operatorsOf } from "./operate/operators.ts";
import { lookedUp, newWorld } from "./world.ts";

const strongLookup = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
test("a look-up asks for what was sent: the same action, account, operation, key and payload", async () => {
  const world = newWorld({
    decide: () => planOf([{ action: "keyed.first.v1", target: "T-1", payload: { n: 1 } }]),
  });
  const { send } = world.keyed;
  world.keyed.contract = { ...keyContract, lookup: strongLookup };
  world.keyed.send = async (request) => {
    await send(request);
    return { kind: "noAnswer", reason: "500, repeated", replayedError: true };
  };
  const asked: LookupRequest[] = [];
  world.keyed.lookup = async (request) => {
    asked.push(request);
    return { kind: "absent" };
  };
  await world.post(1);
  await world.run(world.worker(), 5000);
  const [sent] = world.keyed.received;
  if (sent?.providerKey === undefined) throw new Error("nothing was sent under a key");
  const { account, action, binding, payload, providerKey } = sent;
  expect(asked).toMatchObject([{ account, action, binding, payload, providerKey }]);
});

test("a call that was cut off at once may land until its deadline and horizon have passed: no earlier look frees it", async () => {
  const world = newWorld({
    decide: () => planOf([{ action: "keyed.first.v1", target: "T-1", payload: {} }]),
  });
  world.keyed.contract = { ...keyContract, horizonMs: 1000, callTimeoutMs: 10_000 };
  lookedUp(world.keyed);
  world.keyed.script = ["appliesLate"];
  await world.post(1);
  await world.run(world.worker(), 10_000);
  world.applyLate();
  await world.run();
  expect(world.keyed.received).toHaveLength(1);
  expect(await world.record()).toMatchObject({ status: "done" });
});

test("what was refused and happened all the same is not done again once somebody has seen that", async () => {
  const credit = { action: "keyed.first.v1", target: "T-1", payload: { amount: "50.00" } };
  const world = newWorld({
    decide: ({ version }) => (version === 2 ? { kind: "wait", why: "refused" } : planOf([credit])),
  });
  world.keyed.script = ["refuses"];
  await world.post(1);
  await world.run();
  const [refused] = await world.effects();
  if (refused === undefined) throw new Error("no effect");
  await world.report(receiptFor(refused, "keyed-1"));
  await world.turn();
  for (const { id } of await world.reviews()) {
    await operatorsOf(world).resolve(id, { how: "acknowledge" }, ana);
  }
  await world.run();
  expect((await world.record()).held?.reason).toBe("RepeatedIntent");
  expect(world.keyed.received).toHaveLength(1);
});

test("what a notification is still to tell is not told by the next plan as well", async () => {
  const words = { action: "mail.tell.v1", target: "a@example.org", payload: { text: "credited" } };
  const world = newWorld({
    decide: ({ version }) =>
      version === 1
        ? planOf([], { nextStatus: "open", notifications: [words] })
        : planOf([{ action: "keyed.first.v1", target: "T-1", payload: {} }, words]),
  });
  world.bare.script = ["turnsAway"];
  await world.post(1);
  await world.run();
  expect(world.bare.applied.map(({ payload }) => payload)).toEqual([{ text: "credited" }]);
  expect((await world.record()).held?.reason).toBe("RepeatedIntent");
});
