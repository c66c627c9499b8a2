// Clients make ids for what they decide; two of them may make the same one. The same request told twice is one, and another
// request under its id is another: nobody hears that a word of his stands that was never taken.
import { describe, expect, test } from "vitest";
import { answerApproval } from "../../../shared/flow/operate/approvals/answer-approval.ts";
import type { Principal } from "../../../shared/flow/operate/access/principal.ts";
import { memoryOperators } from "../../memory/memory-operators.ts";
import { key, newWorld, type World } from "../world.ts";
import { ana, ben, ivo, operatorsOf, una, unknownCase } from "./operators.ts";

const person = (id: string): Principal => ({ id, isPerson: true, roleClaims: ["approver"] });

function answer(world: World, decision: "approve" | "refuse", principal: Principal) {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const ports = { cases: world.cases, hints: world.hints, book: world.book, log };
  const asked = { key, approvalId: "approval:1:1", answerId: "1", decision, principal };
  return answerApproval({ ...ports, random: () => "r" }, asked);
}

describe("an approval that was given under an answer id", () => {
  test("is given again by the same person, and by nobody else who made the same id", async () => {
    const world = newWorld({ approve: ["keyed.first.v1"] });
    await world.post(1);
    await world.run(world.worker(), 1000);
    expect(await answer(world, "approve", person("p-1"))).toEqual({ kind: "answered" });
    expect(await answer(world, "approve", person("p-1"))).toEqual({ kind: "answered" });
    const first = { kind: "answeredBefore", by: "p-1", decision: "approve" };
    expect(await answer(world, "refuse", person("p-1"))).toMatchObject(first);
    expect(await answer(world, "refuse", person("p-2"))).toMatchObject(first);
  });

  test("is not another's, however the two race for it", async () => {
    const world = newWorld({ approve: ["keyed.first.v1"] });
    await world.post(1);
    await world.run(world.worker(), 1000);
    const told = await Promise.all([
      answer(world, "approve", person("p-1")),
      answer(world, "refuse", person("p-2")),
    ]);
    expect(told.map(({ kind }) => kind).toSorted()).toEqual(["answered", "answeredBefore"]);
  });
});

async function inReview() {
  const world = await unknownCase("swallowed");
  const [review] = await world.reviews();
  return { world, people: operatorsOf(world), id: review?.id ?? "" };
}

describe("a review that was resolved under a decision id", () => {
  const decisionId = "d-one";

  test("is told again by the same person, and stays the first one's for all others", async () => {
    const { people, id } = await inReview();
    const mine = { how: "abandon", decisionId };
    expect(await people.resolve(id, mine, ana)).toMatchObject({ status: 202 });
    expect(await people.resolve(id, mine, ana)).toMatchObject({ status: 202 });
    const taken = { status: 409, body: { type: expect.stringContaining("resolved-before") } };
    expect(await people.resolve(id, mine, ben)).toMatchObject(taken);
    const happened = { how: "happened", providerId: "P-1", decisionId };
    expect(await people.resolve(id, happened, ana)).toMatchObject(taken);
  });

  test("is on record as what was asked for and what came of it, each time it was another thing", async () => {
    const { world, people, id } = await inReview();
    expect(await people.resolve(id, { how: "retry", decisionId }, ana)).toMatchObject({
      status: 409,
    });
    expect(await people.resolve(id, { how: "abandon", decisionId }, ana)).toMatchObject({
      status: 202,
    });
    const records = await memoryOperators(world.cases).recordsOf(key);
    expect(records.map(({ details, outcome }) => [details["how"], outcome.kind])).toEqual([
      ["retry", "refused"],
      ["abandon", "done"],
    ]);
  });

  test("that could not be answered at first is on record as done once it is", async () => {
    const { people, id } = await inReview();
    const force = { how: "retry", forced: true, decisionId };
    const { workflow } = people.ports.book;
    people.ports.book.workflow = () => undefined;
    expect(await people.resolve(id, force, ivo)).toMatchObject({ status: 503 });
    people.ports.book.workflow = workflow;
    const asked = await people.resolve(id, force, ivo);
    expect(asked).toMatchObject({ status: 202, body: { state: "awaitsSecondPerson" } });
    const { requestId } = asked.body;
    expect(await people.confirm(id, { requestId }, una)).toMatchObject({ status: 202 });
  });
});
