// Deciders and sources that behave as nobody planned: nothing is told or done for ever, nothing vanishes, and a case can always be read.
import { describe, expect, test } from "vitest";
import { digestOf } from "../../shared/domain/canonical-json.ts";
import type { Workflow } from "../../shared/domain/definitions.ts";
import { holdCase } from "../../shared/domain/transitions/reviews.ts";
import { event, planOf } from "../domain/situations.ts";
import { codeOf } from "./codes.ts";
import { ana, operatorsOf } from "./operate/operators.ts";
import { key, newWorld } from "./world.ts";

const credit = { action: "keyed.first.v1", target: "T-1", payload: { amount: "25.00" } };
const mail = { action: "mail.tell.v1", target: "a@example.org", payload: { text: "done" } };

test("a decision with an empty target is held: it would be one intent with every other", async () => {
  const world = newWorld({ decide: () => planOf([{ ...credit, target: "" }]) });
  await world.post(1);
  await world.run();
  expect((await world.record()).held?.detail).toContain("actions.0.target");
  expect(await world.effects()).toEqual([]);
});

test("a decider that turns and changes what it was shown changes nothing of the case", async () => {
  const decide: Workflow["decide"] = ({ effects, facts }) => {
    const list = facts["list"] as number[];
    list.reverse();
    list.push(9);
    expect(effects).toEqual([]);
    return { kind: "wait", why: "test" };
  };
  const world = newWorld({ decide });
  await world.post(1, { list: [3, 1, 2] });
  await world.run();
  const { facts, factsDigest, held } = await world.record();
  expect([facts, held]).toEqual([{ list: [3, 1, 2] }, undefined]);
  expect(digestOf(facts)).toBe(factsDigest);
});

test("a decider that only ever tells is held after three decisions: a message is no progress", async () => {
  const world = newWorld({
    decide: ({ version }) =>
      planOf([], { nextStatus: version < 20 ? "open" : "done", notifications: [mail] }),
  });
  await world.post(1);
  await world.run();
  expect(world.bare.received).toHaveLength(3);
  expect((await world.record()).held?.reason).toBe("NoProgress");
});

test("the same target, its letters decomposed by whoever told of it next, is the same intent: it is held, and done once", async () => {
  const world = newWorld({
    decide: ({ facts }) =>
      planOf([{ ...credit, target: facts["invoice"] as string }], { nextStatus: "open" }),
  });
  await world.post(1, { invoice: "M\u00FCller-7" });
  await world.run(world.worker(), 1000);
  await world.post(2, { invoice: "Mu\u0308ller-7" });
  await world.run();
  expect(world.keyed.applied).toHaveLength(1);
  expect((await world.record()).held?.reason).toBe("RepeatedIntent");
});

describe("what one decision says twice, word by word", () => {
  test.each([
    ["to one recipient", planOf([], { notifications: [mail, mail] })],
    ["as an action and as a notification", planOf([mail], { notifications: [mail] })],
  ])("%s is told by nobody before a person has looked (cases.md 72)", async (_what, plan) => {
    const world = newWorld({ decide: () => plan });
    await world.post(1);
    await world.run();
    expect(world.bare.received).toEqual([]);
    expect((await world.record()).held?.reason).toBe("RepeatedIntent");
  });

  test("is no repeat where the words or the recipients differ", async () => {
    const others = [
      { ...mail, payload: { text: "more" } },
      { ...mail, target: "b@example.org" },
    ];
    const world = newWorld({ decide: () => planOf([], { notifications: [mail, ...others] }) });
    await world.post(1);
    await world.run();
    expect(world.bare.received).toHaveLength(3);
  });
});

test("what was made good is not made good again by another action on another target", async () => {
  const world = newWorld({
    decide: ({ effects, version }) => {
      const [first] = effects;
      if (first === undefined) return planOf([credit], { nextStatus: "open" });
      const compensates = first.operationId;
      const ways = [
        { action: "keyed.second.v1", target: "card", payload: {}, compensates },
        { action: "bare.first.v1", target: "wallet", payload: {}, compensates },
      ];
      return planOf(ways.slice(version - 2, version - 1), { nextStatus: "open" });
    },
  });
  await world.post(1);
  await world.run();
  expect(world.keyed.applied.map(({ action }) => action)).toEqual([
    "keyed.first.v1",
    "keyed.second.v1",
  ]);
  expect(world.bare.applied).toEqual([]);
  expect((await world.record()).held?.reason).toBe("RepeatedIntent");
});

describe("two workflows that give their cases the same reference", () => {
  test("are told apart: what belongs to the other is refused in sight, and not folded away", async () => {
    const world = newWorld();
    await world.cases.createEvent({ ...event(2), workflow: "another-flow" });
    await world.post(1);
    await world.run();
    const { held, facts } = await world.record();
    expect(held).toMatchObject({ reason: "EventRefused" });
    expect(held?.detail).toContain("another-flow");
    expect(facts).toEqual({ n: 1 });
    const events = (await world.cases.history(key))?.snapshot.events ?? [];
    expect(events.map(({ folded }) => folded?.how)).toEqual(["merged", "refused"]);
  });
});

test("a case whose events wait for code is not worked on because a person released another hold of it", async () => {
  const world = newWorld({ approve: [credit.action], decide: () => planOf([credit]) });
  await world.post(1);
  await world.run(world.worker(), 1000);
  const { snapshot } = await world.cases.read(key);
  const draft = holdCase(snapshot, { reason: "EventRefused", why: "test", nowMs: world.nowMs() });
  const documents = [draft.case, ...draft.reviews].flatMap((one) => one ?? []);
  for (const document of documents) world.cases.plant(key, document);
  const upcasters = {
    2: () => {
      throw new Error("a step that does not work");
    },
  };
  const newer = world.worker({ book: codeOf(world, { workflow: { revision: 2, upcasters } }) });
  await world.post(2, { n: 2 });
  await world.turn(newer);
  const people = operatorsOf(world);
  const [review] = await world.reviews();
  await people.resolve(review?.id ?? "", { how: "release" }, ana);
  const [asked] = (await world.cases.read(key)).snapshot.approvals;
  const answer = { answerId: "a", decision: "approve", by: "ana", atMs: world.nowMs() } as const;
  await world.cases.answerApproval(key, { id: asked?.id ?? "", answer });
  await world.turn(newer);
  expect((await world.record()).held).toMatchObject({ reason: "FactsInvalid" });
  expect((await world.effects())[0]).toMatchObject({ status: "prepared", attempts: [] });
  await world.turn(world.worker({ book: codeOf(world, { workflow: { revision: 2 } }) }));
  expect((await world.record()).held).toBeUndefined();
  expect((await world.cases.read(key)).snapshot.events).toEqual([]);
});

describe("a held case whose workers die of what arrives", () => {
  test("is decided anew once its parking is released, and keeps no review that nobody can end", async () => {
    const decisions: number[] = [];
    const decide: Workflow["decide"] = ({ version }) => {
      decisions.push(version);
      return version === 1 ? { kind: "hold", why: "a person decides" } : planOf([credit]);
    };
    const world = newWorld({ decide });
    await world.post(1);
    await world.run();
    expect((await world.record()).held?.reason).toBe("DecisionHeld");
    const fold = world.book.workflow("test-flow")?.fold;
    const workflow = world.book.workflow("test-flow");
    if (workflow === undefined || fold === undefined) throw new Error("no workflow");
    workflow.fold = () => {
      throw new Error("a defect");
    };
    await world.post(2, { n: 1 });
    for (let n = 0; n < 5; n += 1) {
      world.advance(20_000);
      await world.turn().catch(() => {});
    }
    expect((await world.record()).held?.reason).toBe("Poison");
    workflow.fold = fold;
    const people = operatorsOf(world);
    const open = await world.reviews();
    expect(open).toHaveLength(1);
    await people.resolve(open[0]?.id ?? "", { how: "release" }, ana);
    await world.run();
    expect(decisions).toEqual([1, 2]);
    expect(await world.record()).toMatchObject({ status: "done" });
    expect(await world.reviews()).toEqual([]);
  });
});
