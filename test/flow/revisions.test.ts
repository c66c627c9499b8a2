// Two revisions of one workflow side by side, and facts that must come forward (design.md 9).
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAction, defineUpcaster, type Decision } from "../../shared/domain/definitions.ts";
import type { Facts, Workflow } from "../../shared/domain/definitions.ts";
import { answerApproval } from "../../shared/flow/operate/approvals/answer-approval.ts";
import { planOfTwo } from "../domain/situations.ts";
import { codeOf } from "./codes.ts";
import { key, mortal, newWorld, turnUntilDeath, type World } from "./world.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const person = { id: "p-1", isPerson: true, roleClaims: [] };
const first = planOfTwo.kind === "plan" ? planOfTwo.actions.slice(0, 1) : [];
const planOfOne: Decision = { ...planOfTwo, actions: first } as Decision;

/** Revision 2 wants the amount, which was a number, as text; what it decides says that it was it. */
const Facts2 = z.looseObject({ amount: z.string() });
const revision2: Partial<Workflow> = {
  revision: 2,
  facts: Facts2 as unknown as z.ZodType<Facts>,
  upcasters: {
    2: defineUpcaster(z.looseObject({ amount: z.number() }), (facts) => ({
      ...(facts as Facts),
      amount: facts.amount.toFixed(2),
    })),
  },
  decide: ({ facts }) =>
    ({
      ...planOfTwo,
      why: "by revision 2",
      actions: [{ action: "bare.first.v1", target: "T-2", payload: { amount: facts["amount"] } }],
      notifications: [],
    }) as Decision,
};
/** Revision 2 that changes decisions only. */
const sameShape: Partial<Workflow> = { revision: 2, decide: () => ({ kind: "hold", why: "by 2" }) };

const sent = (world: World) =>
  [...world.keyed.applied, ...world.bare.applied].map(({ action }) => action);
const approvals = async (world: World) => (await world.cases.read(key)).snapshot.approvals;

function answer(world: World, approvalId: string, book = world.book) {
  const { cases, hints } = world;
  const ports = { cases, hints, book, log: silent, random: () => approvalId };
  const answerId = `answer-${approvalId}`;
  return answerApproval(ports, {
    key,
    approvalId,
    answerId,
    decision: "approve",
    principal: person,
  });
}

/** Takes turns between workers of both codes until nothing moves. */
async function interleaved(world: World, ...books: (typeof world.book)[]): Promise<void> {
  const workers = books.map((book) => world.worker({ book }));
  for (let round = 0; round < 12; round += 1) {
    for (const ports of workers) await world.turn(ports);
    world.advance(1000);
  }
}

describe("a plan that was frozen under revision 1", () => {
  test("is finished as it was frozen by workers of both revisions, in turns", async () => {
    const world = newWorld({ fused: false });
    await world.post(1, { amount: 5 });
    await turnUntilDeath(world, mortal(world, { boundary: "gate", when: "before" }));
    const frozen = (await world.effects()).map(({ payloadDigest }) => payloadDigest);
    world.advance(20_000);
    await interleaved(world, codeOf(world, { workflow: revision2 }), world.book);
    expect(sent(world)).toEqual(["keyed.first.v1", "keyed.second.v1", "mail.tell.v1"]);
    const effects = await world.effects();
    expect(effects.slice(0, 2).map(({ payloadDigest }) => payloadDigest)).toEqual(frozen);
    expect(await world.record()).toMatchObject({ status: "done", facts: { amount: 5 } });
  });

  test("and went stale is decided anew under current code, and the older one keeps its hands off", async () => {
    const world = newWorld({ approve: ["keyed.first.v1"], decide: () => planOfOne });
    await world.post(1, { amount: 5 });
    await world.turn();
    await world.post(2, { amount: 7 });
    const newer = codeOf(world, {
      workflow: {
        ...revision2,
        fold: (facts, { body }) => ({ ...facts, amount: JSON.stringify(body["amount"]) }),
      },
    });
    await world.turn(world.worker({ book: newer }));
    const decided = await world.record();
    expect(decided).toMatchObject({ workflow: { revision: 2 }, facts: { amount: "7" } });
    expect(sent(world)).toEqual(["bare.first.v1"]);
    const before = JSON.stringify(world.cases.stored(key));
    await world.post(3, { amount: 9 });
    expect(await world.turn()).toMatchObject({ kind: "left" });
    expect(JSON.stringify(world.cases.stored(key)).startsWith(before.slice(0, -1))).toBe(true);
  });

  test("with an action that has a newer version is sent as the version that was frozen", async () => {
    const world = newWorld({ approve: ["keyed.first.v1"], decide: () => planOfOne });
    await world.post(1, { amount: 5 });
    await world.turn();
    const v2 = defineAction({
      name: "keyed.first.v2",
      payload: z.object({ somethingElse: z.string() }),
      provider: "keyed",
      consequence: "twice",
    });
    const book = codeOf(world, { workflow: sameShape, actions: [v2] });
    expect(await answer(world, "approval:1:1", book)).toEqual({ kind: "answered" });
    await world.run(world.worker({ book }));
    expect(sent(world)).toEqual(["keyed.first.v1", "mail.tell.v1"]);
    expect(world.keyed.applied[0]?.payload).toEqual({ amount: "50.00" });
  });
});

test("a case that revision 2 decided is left by revision 1, though its facts look the same in both", async () => {
  const world = newWorld();
  await world.post(1, { amount: 5 });
  await turnUntilDeath(
    world,
    mortal(world, { boundary: "look", when: "before" }, { fused: false }),
  );
  await world.turn(world.worker({ book: codeOf(world, { workflow: sameShape }) }));
  expect((await world.record()).workflow.revision).toBe(2);
  await world.post(2, { amount: 6 });
  expect(await world.turn()).toMatchObject({ kind: "left" });
  expect(sent(world)).toEqual([]);
});

test("what v1 of an action did is not done again by v2 of it", async () => {
  const again: Decision = { ...planOfOne, nextStatus: "open" } as Decision;
  const world = newWorld({ decide: () => again });
  const asV2 = first.map((request) => ({ ...request, action: "keyed.first.v2" }));
  const v2 = defineAction({
    name: "keyed.first.v2",
    payload: z.record(z.string(), z.json()),
    provider: "keyed",
    consequence: "twice",
    autonomy: "auto",
  });
  const book = codeOf(world, {
    workflow: { revision: 2, decide: () => ({ ...again, actions: asV2 }) as Decision },
    actions: [v2],
  });
  await world.post(1);
  await turnUntilDeath(world, mortal(world, { boundary: "gate", when: "before" }));
  world.advance(20_000);
  await world.run(world.worker({ book }));
  expect(await world.record()).toMatchObject({ held: { reason: "RepeatedIntent" } });
  expect(sent(world).filter((action) => action.startsWith("keyed"))).toEqual(["keyed.first.v1"]);
});

describe("facts of an older revision", () => {
  const waiting = async () => {
    const world = newWorld({ decide: () => ({ kind: "wait", why: "test" }) });
    await world.post(1, { amount: 5 });
    await world.run();
    return world;
  };

  test("are written in their new shape before the next decision, as one version, which is decided on once", async () => {
    const world = newWorld();
    await world.post(1, { amount: 5 });
    await turnUntilDeath(
      world,
      mortal(world, { boundary: "look", when: "before" }, { fused: false }),
    );
    expect(await world.record()).toMatchObject({ version: 1, workflow: { revision: 1 } });
    await world.run(world.worker({ book: codeOf(world, { workflow: revision2 }) }));
    expect(await world.record()).toMatchObject({
      facts: { amount: "5.00" },
      workflow: { revision: 2 },
      decidedVersion: 2,
      version: 3,
      status: "done",
    });
    expect(world.bare.applied.map(({ payload }) => payload)).toEqual([{ amount: "5.00" }]);
  });

  test("are left as they stand by a deploy alone: nothing is decided again, nothing written", async () => {
    const world = await waiting();
    const before = JSON.stringify(world.cases.stored(key));
    await world.turn(world.worker({ book: codeOf(world, { workflow: revision2 }) }));
    expect(JSON.stringify(world.cases.stored(key))).toBe(before);
  });

  test("are brought forward by the next event that changes them", async () => {
    const world = await waiting();
    await world.post(2, { note: "n" });
    await world.run(world.worker({ book: codeOf(world, { workflow: revision2 }) }));
    const { facts, workflow } = await world.record();
    expect([facts, workflow.revision]).toEqual([{ amount: "5.00", note: "n" }, 2]);
    expect(await world.turn()).toMatchObject({ kind: "left" });
  });

  test.each([
    ["without a change of shape", sameShape],
    ["with a change of shape", revision2],
  ])(
    "and the open questions stand through a deploy %s, and an event that tells nothing new",
    async (_how, workflow) => {
      const world = newWorld({
        approve: ["keyed.first.v1"],
        decide: () => planOfOne,
        refresh: async (facts) => facts,
      });
      await world.post(1, { amount: 5 });
      await world.turn();
      const asked = await approvals(world);
      const book = codeOf(world, {
        workflow: {
          ...workflow,
          fold: (facts, { body }) =>
            "amount" in body ? { ...facts } : { ...facts, ...(body as Facts) },
        },
      });
      const newer = world.worker({ book });
      await world.post(2, { amount: 5 });
      await world.run(newer, 1000);
      expect(await approvals(world)).toEqual(asked);
      expect(await world.record()).toMatchObject({
        version: 1,
        factsDigest: asked[0]?.factsDigest,
      });
      expect(await answer(world, "approval:1:1", book)).toEqual({ kind: "answered" });
      await world.run(newer);
      expect(sent(world)).toEqual(["keyed.first.v1", "mail.tell.v1"]);
    },
  );

  test("that an event changes void the open question: the plan ends, and it is asked anew on the new version", async () => {
    const world = newWorld({ approve: ["keyed.first.v1"], decide: () => planOfOne });
    await world.post(1, { amount: 5 });
    await world.turn();
    const { decide: _own, ...shape } = revision2;
    const book = codeOf(world, { workflow: shape });
    await world.post(2, { note: "n" });
    await world.run(world.worker({ book }), 1000);
    const record = await world.record();
    expect(record.facts).toEqual({ amount: "5.00", note: "n" });
    const [old, anew] = await approvals(world);
    expect(anew).toMatchObject({ version: record.version, factsDigest: record.factsDigest });
    expect(old?.version).toBe(1);
    expect((await answer(world, old?.id ?? "", book)).kind).toBe("void");
    expect(sent(world)).toEqual([]);
  });
});

describe("facts that do not fit the code of today", () => {
  const stricter: Partial<Workflow> = {
    revision: 2,
    facts: z.looseObject({
      amount: z.number(),
      currency: z.string(),
    }) as unknown as z.ZodType<Facts>,
  };
  /** Opened by revision 1 and undecided. */
  const opened = async (body: { amount: number } = { amount: 5 }) => {
    const world = newWorld();
    await world.post(1, body);
    await turnUntilDeath(
      world,
      mortal(world, { boundary: "look", when: "before" }, { fused: false }),
    );
    return world;
  };

  test("hold the case by field and without a value, once, and every event is kept", async () => {
    const world = await opened({ amount: 4711 });
    const worker = world.worker({ book: codeOf(world, { workflow: stricter }) });
    await world.run(worker, 60_000);
    await world.post(2, { note: "n" });
    await world.run(worker, 6 * 3_600_000);
    const record = await world.record();
    expect(record).toMatchObject({ held: { reason: "FactsInvalid" }, facts: { amount: 4711 } });
    expect(record.held?.detail).toContain("currency");
    expect(record.held?.detail).not.toContain("4711");
    expect(await world.reviews()).toHaveLength(1);
    const { snapshot } = await world.cases.read(key);
    expect(snapshot.events).toMatchObject([{ eventId: "e2", putOff: {} }]);
    expect(sent(world)).toEqual([]);
  });

  test("are lifted by code that fits, and what waited is folded", async () => {
    const world = await opened();
    await world.run(world.worker({ book: codeOf(world, { workflow: stricter }) }), 60_000);
    await world.post(2, { note: "n" });
    await world.run(world.worker({ book: codeOf(world, { workflow: stricter }) }), 60_000);
    const upcasters = { 2: (facts: Facts) => ({ ...facts, currency: "EUR" }) };
    const mended = codeOf(world, { workflow: { ...stricter, upcasters } });
    await world.run(world.worker({ book: mended }), 2 * 3_600_000);
    expect(await world.record()).toMatchObject({
      status: "done",
      facts: { amount: 5, currency: "EUR", note: "n" },
    });
    expect((await world.record()).held).toBeUndefined();
    expect(await world.reviews()).toEqual([]);
  });

  test("are mended by an event, and what waited before it is folded, too", async () => {
    const world = await opened();
    const worker = world.worker({ book: codeOf(world, { workflow: stricter }) });
    await world.run(worker, 60_000);
    await world.post(2, { note: "n" });
    await world.run(worker, 60_000);
    await world.post(3, { currency: "EUR" });
    await world.run(worker, 60_000);
    expect(await world.record()).toMatchObject({
      status: "done",
      facts: { amount: 5, currency: "EUR", note: "n" },
    });
  });

  test("because a step throws never reach the workflow, and never kill a worker", async () => {
    const world = await opened();
    const broken: Partial<Workflow> = {
      revision: 2,
      upcasters: {
        2: () => {
          throw new Error("s3cret");
        },
      },
      fold: () => {
        throw new Error("folded");
      },
    };
    await world.post(2, { note: "n" });
    await world.run(world.worker({ book: codeOf(world, { workflow: broken }) }), 60_000);
    expect(await world.record()).toMatchObject({ held: { reason: "FactsInvalid" } });
    expect(JSON.stringify(world.cases.stored(key))).not.toContain("s3cret");
    await world.run(world.worker(), 2 * 3_600_000);
    expect(await world.record()).toMatchObject({ status: "done", facts: { amount: 5, note: "n" } });
  });
});
