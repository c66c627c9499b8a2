// Plans at the edge of what is allowed: forty effects, each with its own question; a compensation of which nobody hears; reports in
// any order. Whatever comes, each effect is applied once or not at all, and what is not known is shown.
import { describe, expect, test } from "vitest";
import type { Facts, Workflow } from "../../shared/domain/definitions.ts";
import { TransientFault } from "../../shared/domain/faults.ts";
import { answerApproval } from "../../shared/flow/operate/approvals/answer-approval.ts";
import type { Receipt } from "../../shared/domain/records/evidence.ts";
import { planOf, receiptFor } from "../domain/situations.ts";
import { key, mortal, newWorld, turnUntilDeath, type World } from "./world.ts";

const forty = Array.from({ length: 40 }, (_, n) => ({
  action: "keyed.first.v1",
  target: `T-${n}`,
  payload: { n },
}));

async function answerAll(world: World, decisionOf: (n: number) => "approve" | "refuse") {
  const { approvals } = (await world.cases.read(key)).snapshot;
  for (const [n, { id }] of approvals.entries()) {
    const answer = { answerId: id, decision: decisionOf(n), by: "ana", atMs: world.nowMs() };
    await world.cases.answerApproval(key, { id, answer });
  }
  return approvals.length;
}

const statuses = async (world: World) => [
  ...new Set((await world.effects()).map(({ status }) => status)),
];

describe("a plan of forty effects, each of which a person must approve", () => {
  const asked = async (decide: Workflow["decide"] = () => planOf(forty)) => {
    const world = newWorld({ decide, approve: ["keyed.first.v1"] });
    await world.post(1);
    await world.run(world.worker(), 1000);
    return world;
  };

  test("is carried out once, in its order, although its worker dies in the middle", async () => {
    const world = await asked();
    expect(await answerAll(world, () => "approve")).toBe(40);
    await world.hints.send("cases", { ...key, hintId: "answered", reason: "test" });
    await turnUntilDeath(world, mortal(world, { boundary: "send", when: "after", visit: 20 }));
    await world.run();
    expect(world.keyed.applied.map(({ target }) => target)).toEqual(forty.map((one) => one.target));
    expect((await world.record()).status).toBe("done");
  });

  test("of which the last is refused ends as a whole, in one batch, with nothing sent", async () => {
    const world = await asked(({ version }) =>
      version === 1 ? planOf(forty) : { kind: "hold", why: "refused" },
    );
    await answerAll(world, (n) => (n === 39 ? "refuse" : "approve"));
    await world.turn();
    expect(world.keyed.received).toEqual([]);
    expect(await statuses(world)).toEqual(["cancelled"]);
  });

  test("is asked about anew, all of it, when nobody answered in time", async () => {
    const world = await asked();
    world.advance(73 * 3_600_000);
    await world.turn();
    expect((await world.cases.read(key)).snapshot.approvals).toHaveLength(80);
    expect(world.keyed.received).toEqual([]);
  });
});

test("a fact that the record does not have any more is gone from the case, too, and the next question can be answered", async () => {
  const seen: Facts[] = [];
  const world = newWorld({
    approve: ["keyed.first.v1"],
    decide: ({ facts }) => {
      seen.push(facts);
      return planOf(forty.slice(0, 1));
    },
    refresh: async ({ purchaseOrder: _gone, ...facts }) => facts,
  });
  const { book, cases, hints } = world;
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const random = () => crypto.randomUUID();
  const principal = { id: "ana", isPerson: true, roleClaims: ["approver"] };
  const answer = async () => {
    const approvalId = (await cases.read(key)).snapshot.approvals.at(-1)?.id ?? "";
    const said = { key, approvalId, decision: "approve", answerId: random(), principal } as const;
    const { kind } = await answerApproval({ book, cases, hints, log, random }, said);
    await world.run(world.worker(), 1000);
    return kind;
  };
  await world.post(1, { n: 1, purchaseOrder: "PO-7" });
  await world.run(world.worker(), 1000);
  expect(await answer()).toBe("void");
  expect(await answer()).toBe("answered");
  expect(seen).toEqual([{ n: 1, purchaseOrder: "PO-7" }, { n: 1 }]);
  expect((await world.record()).status).toBe("done");
});

describe("a store that does not answer between the claim and the call", () => {
  const call = { action: "bare.first.v1", target: "T-1", payload: {} };

  test("makes no unknown of what never left: its worker says so, and it is sent once, later", async () => {
    const world = newWorld({ decide: () => planOf([call]) });
    await world.post(1);
    let isDown = true;
    const throttled = world.worker({
      async at(name, act) {
        if (name !== "gate" || !isDown) return act();
        isDown = false;
        throw new TransientFault("the store is throttled");
      },
    });
    await expect(world.turn(throttled)).rejects.toThrow(TransientFault);
    await world.run();
    expect(world.bare.received).toHaveLength(1);
    expect((await world.effects())[0]).toMatchObject({
      status: "confirmed",
      attempts: [{ end: { kind: "notSent" } }, { end: { kind: "receipt" } }],
    });
    expect(await world.reviews()).toEqual([]);
  });

  test("and for as long as nobody can be told leaves an unknown, as a worker does that died there", async () => {
    const world = newWorld({ decide: () => planOf([call]) });
    await world.post(1);
    let isDown = false;
    const down = world.worker({
      async at(name, act) {
        isDown ||= name === "gate";
        if (isDown) throw new TransientFault("the store is down");
        return act();
      },
    });
    await expect(world.turn(down)).rejects.toThrow(TransientFault);
    await world.run();
    expect(world.bare.received).toEqual([]);
    expect((await world.effects())[0]).toMatchObject({ status: "unknown" });
    expect(await world.reviews()).toMatchObject([{ kind: "UnknownEffect" }]);
  });
});

test("a compensation of which nobody hears is neither taken for done nor made again, and what it makes good stays", async () => {
  const undo = { action: "bare.first.v1", target: "T-1", payload: {} };
  const world = newWorld({
    decide: ({ effects: [done] }) => {
      if (done === undefined) return { ...planOf(forty.slice(0, 1)), nextStatus: "open" };
      return planOf([{ ...undo, compensates: done.operationId }]);
    },
  });
  world.bare.script = ["appliedAndDropped"];
  await world.post(1);
  await world.run();
  await world.post(2, { recalled: true });
  await world.run();
  expect(world.bare.received).toHaveLength(1);
  expect((await world.effects()).map(({ status }) => status)).toEqual(["confirmed", "unknown"]);
  expect(await world.reviews()).toMatchObject([{ kind: "UnknownEffect" }]);
  expect((await world.record()).status).toBe("open");
});

describe("a provider's reports of one message", () => {
  const stages = ["accepted", "delivered", "failed"] as const;
  const orders = stages.flatMap((a) =>
    stages.flatMap((b) => stages.map((c) => [a, b, c] as const)),
  );

  async function told(world: World, order: readonly Receipt["stage"][]): Promise<void> {
    const [effect] = await world.effects();
    if (effect === undefined) throw new Error("no effect");
    for (const [n, stage] of order.entries()) {
      const receipt = { ...receiptFor(effect, "bare-1"), stage };
      await world.report(receipt);
      if (n !== 1) await world.turn();
    }
  }

  test.each(orders)(
    "as %s, %s, %s tell of one message that failed, if any says so, and contradict nothing",
    async (...order) => {
      const call = { action: "bare.first.v1", target: "a@example.org", payload: {} };
      const world = newWorld({ decide: () => planOf([call]) });
      world.bare.script = ["appliedAndDropped"];
      await world.post(1);
      await world.run();
      await told(world, order);
      const [effect] = await world.effects();
      const expected = stages.findLast((stage) => order.includes(stage));
      expect(effect).toMatchObject({ status: "confirmed", receipt: { stage: expected } });
      expect(effect?.contradicted).toBeUndefined();
      expect(world.bare.received).toHaveLength(1);
    },
  );
});
