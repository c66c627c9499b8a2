// Approvals (seed 2, Break 5): bound to operation, digest and version; answered once; never on old facts.
import { describe, expect, test } from "vitest";
import type { Decision, Facts } from "../../shared/domain/definitions.ts";
import {
  answerApproval,
  type AnswerResult,
} from "../../shared/flow/operate/approvals/answer-approval.ts";
import { showApproval } from "../../shared/flow/operate/approvals/approval-routes.ts";
import { investigateCase } from "../../shared/flow/operate/cases/investigate-case.ts";
import type { Principal } from "../../shared/flow/operate/access/principal.ts";
import { planOfTwo } from "../domain/situations.ts";
import { memoryOperators } from "../memory/memory-operators.ts";
import { key, newWorld, type World } from "./world.ts";

const both = ["keyed.first.v1", "keyed.second.v1"];
const person = (id: string): Principal => ({ id, isPerson: true, roleClaims: ["approver"] });

let answers = 0;
function answer(
  world: World,
  approvalId: string,
  change: { decision?: "approve" | "refuse"; by?: Principal; answerId?: string } = {},
): Promise<AnswerResult> {
  answers += 1;
  return answerApproval(
    {
      cases: world.cases,
      hints: world.hints,
      book: world.book,
      log: silent,
      random: () => `r${answers}`,
      refreshMsMax: 50,
    },
    {
      key,
      approvalId,
      decision: change.decision ?? "approve",
      answerId: change.answerId ?? `answer-${answers}`,
      principal: change.by ?? person("p-1"),
    },
  );
}
const silent = { info: () => {}, warn: () => {}, error: () => {} };

const approvals = async (world: World) => (await world.cases.read(key)).snapshot.approvals;
const sent = (world: World) => world.keyed.received.map(({ action }) => action);

async function asked(options: Parameters<typeof newWorld>[0] = {}): Promise<World> {
  const world = newWorld({ approve: both, ...options });
  await world.post(1);
  await world.run(world.worker(), 1000);
  return world;
}

describe("an action that asks nobody by itself", () => {
  test("is asked for in a tenant that wants it so, and in no other", async () => {
    const world = await asked({ approve: [], approvals: { [key.tenantId]: [both[1] ?? ""] } });
    expect(await approvals(world)).toMatchObject([{ action: both[1] }]);
    expect(sent(world)).toEqual([]);
    await answer(world, "approval:1:1");
    await world.run();
    expect(sent(world)).toEqual(both);
    const other = await asked({ approve: [], approvals: { elsewhere: both } });
    await other.run();
    expect(sent(other)).toEqual(both);
  });

  test("is refused at the start when nothing of that name is defined", () => {
    expect(() => newWorld({ approvals: { acme: ["keyed.frist.v1"] } })).toThrow("keyed.frist.v1");
  });
});

describe("a plan whose actions need a person", () => {
  test("asks for all of them at once, shows digest, version and consequence, and sends nothing", async () => {
    const world = await asked();
    const [first, second] = await approvals(world);
    const effects = await world.effects();
    expect(first).toMatchObject({
      id: "approval:1:1",
      version: 1,
      operationId: effects[0]?.operationId,
      payloadDigest: effects[0]?.payloadDigest,
      factsDigest: (await world.record()).factsDigest,
      consequence: "once",
      requestedBy: "source:src",
    });
    expect(second?.id).toBe("approval:1:2");
    expect(sent(world)).toEqual([]);
    expect((await world.record()).version).toBe(1);
  });

  test("is sent once both are given, in whatever order, and asks nothing again", async () => {
    const world = await asked();
    expect(await answer(world, "approval:1:2")).toEqual({ kind: "answered" });
    await world.run(world.worker(), 1000);
    expect(sent(world)).toEqual([]);
    expect(await answer(world, "approval:1:1", { by: person("p-2") })).toEqual({
      kind: "answered",
    });
    await world.run();
    expect(sent(world)).toEqual(both);
    expect((await world.record()).status).toBe("done");
    expect(await approvals(world)).toHaveLength(2);
  });

  test("of which one is refused ends: nothing of it is sent, and the decider sees it cancelled", async () => {
    let seen: string[] = [];
    const world = await asked({
      decide: ({ effects, refusedBy, version }) => {
        if (version === 1) return planOfTwo;
        seen = [refusedBy ?? "nobody", ...effects.map(({ status }) => status)];
        return { kind: "hold", why: "refused" };
      },
    });
    await answer(world, "approval:1:1");
    await answer(world, "approval:1:2", { decision: "refuse" });
    await world.run();
    expect(sent(world)).toEqual([]);
    expect(seen).toEqual(["p-1", "cancelled", "cancelled"]);
    expect((await world.effects())[0]).toMatchObject({
      reason: expect.stringContaining("refused by p-1"),
    });
  });

  describe("of which one is approved and the other refused (cases.md 63)", () => {
    const refuseFirst = (world: World) => answer(world, "approval:1:1", { decision: "refuse" });
    const approveSecond = (world: World) => answer(world, "approval:1:2");
    test.each([
      [
        "in one order",
        async (world: World) => [await approveSecond(world), await refuseFirst(world)],
      ],
      [
        "in the other",
        async (world: World) => [await refuseFirst(world), await approveSecond(world)],
      ],
      ["at once", (world: World) => Promise.all([approveSecond(world), refuseFirst(world)])],
    ] as const)(
      "%s: only what a new question was approved for is ever sent",
      async (_how, give) => {
        const world = await asked({
          decide: ({ effects }) => {
            if (effects.length === 0) return planOfTwo;
            const [, note] = (planOfTwo as Decision & { kind: "plan" }).actions;
            return { ...planOfTwo, actions: note === undefined ? [] : [note], notifications: [] };
          },
        });
        await give(world);
        await world.run(world.worker(), 1000);
        expect(sent(world)).toEqual([]);
        const [open] = (await approvals(world)).filter((one) => one.answer === undefined).slice(-1);
        await answer(world, open?.id ?? "");
        await world.run();
        expect(sent(world)).toEqual(["keyed.second.v1"]);
      },
    );
  });

  test("asks again after an expiry, and an answer to the old question is void", async () => {
    const world = await asked();
    world.advance(72 * 3_600_000 + 1000);
    expect(await answer(world, "approval:1:1")).toMatchObject({ kind: "void" });
    await world.turn();
    expect((await approvals(world)).map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    await answer(world, "approval:1:3");
    await answer(world, "approval:1:4");
    await world.run();
    expect((await world.record()).status).toBe("done");
  });
});

test("an action's own time to answer ends its questions", async () => {
  const world = newWorld({ approve: both });
  const action = world.book.action("keyed.first.v1");
  if (action === undefined) throw new Error("no action");
  action.approvalMs = 60_000;
  await world.post(1);
  await world.run(world.worker(), 1000);
  const [first, second] = await approvals(world);
  expect((first?.expiresAtMs ?? 0) - (first?.askedAtMs ?? 0)).toBe(60_000);
  expect((second?.expiresAtMs ?? 0) - (second?.askedAtMs ?? 0)).toBe(72 * 3_600_000);
});

test("an approval that expires between the claim and the call stops the call", async () => {
  const world = await asked();
  await answer(world, "approval:1:1");
  await answer(world, "approval:1:2");
  world.advance(72 * 3_600_000 - 3000);
  let slow = false;
  const stalling = world.worker({
    async at(name, act) {
      const result = await act();
      if (name === "write" && !slow) {
        slow = true;
        world.advance(4000);
      }
      return result;
    },
  });
  await world.turn(stalling);
  expect(slow).toBe(true);
  expect(sent(world)).toEqual([]);
});

describe("an answer", () => {
  test("is taken once: a second one is told by whom and when, the same one told again is the same", async () => {
    const world = await asked();
    await answer(world, "approval:1:1", { answerId: "same-answer" });
    expect(await answer(world, "approval:1:1", { answerId: "same-answer" })).toEqual({
      kind: "answered",
    });
    const second = await answer(world, "approval:1:1", { decision: "refuse", by: person("p-2") });
    expect(second).toMatchObject({ kind: "answeredBefore", by: "p-1", decision: "approve" });
    expect((await approvals(world))[0]?.answer).toMatchObject({ by: "p-1", decision: "approve" });
  });

  test("of two people at once: one wins, and only one (cases.md 65)", async () => {
    const world = await asked();
    const results = await Promise.all([
      answer(world, "approval:1:1", { by: person("p-1") }),
      answer(world, "approval:1:1", { by: person("p-2"), decision: "refuse" }),
    ]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(["answered", "answeredBefore"]);
  });

  test("by whoever requested it, in any spelling, or by no person at all, is refused (cases.md 68)", async () => {
    const world = await asked();
    const requester = { ...person("source:src"), id: "source:src" };
    expect(await answer(world, "approval:1:1", { by: requester })).toMatchObject({
      kind: "refused",
    });
    const machine = { ...person("model"), isPerson: false };
    expect(await answer(world, "approval:1:1", { by: machine })).toMatchObject({ kind: "refused" });
    expect((await approvals(world))[0]?.answer).toBeUndefined();
  });

  test("by anybody who set the case going is refused, whoever did so later", async () => {
    const world = await asked({
      decide: ({ version }) => (version < 3 ? { kind: "hold", why: "not yet" } : planOfTwo),
    });
    const investigate = async (id: string) => {
      const ports = { ...world, random: () => id };
      await investigateCase(ports, { key, principal: person(id) });
      await world.run(world.worker(), 1000);
    };
    await investigate("p-first");
    await investigate("p-second");
    const [question] = await approvals(world);
    expect(question).toMatchObject({ id: "approval:3:1", requestedBy: "p-second" });
    // Asked while a plan waits, nothing is decided anew: it is no request.
    await investigate("p-1");
    for (const id of ["p-second", "p-first", " P-First"]) {
      expect([id, await answer(world, "approval:3:1", { by: person(id) })]).toMatchObject([
        id,
        { kind: "refused" },
      ]);
    }
    const operators = memoryOperators(world.cases);
    const mayAnswer = async (id: string) => {
      const wanted = { key, approvalId: "approval:3:1", principal: person(id) };
      const reply = await showApproval({ ...world, operators }, wanted);
      return reply.kind === "done" && reply.body.approval.mayAnswer;
    };
    expect([await mayAnswer("p-first"), await mayAnswer("p-1")]).toEqual([false, true]);
    expect(await answer(world, "approval:3:1")).toEqual({ kind: "answered" });
  });

  test("after the case has moved on is void, and the new decision asks anew (cases.md 69)", async () => {
    const world = await asked();
    await world.post(2);
    expect(await answer(world, "approval:1:1")).toMatchObject({ kind: "void" });
    await world.run(world.worker(), 1000);
    expect(await answer(world, "approval:1:1")).toMatchObject({ kind: "void" });
    expect((await approvals(world)).map(({ version }) => version)).toEqual([1, 1, 3, 3]);
    expect(sent(world)).toEqual([]);
  });

  test("after the case has ended changes nothing, whichever way it goes (cases.md 65, 69)", async () => {
    const world = await asked({
      decide: ({ version }) =>
        version === 1
          ? planOfTwo
          : { kind: "plan", why: "close", actions: [], nextStatus: "done", notifications: [] },
    });
    await answer(world, "approval:1:1", { decision: "refuse" });
    await world.run();
    expect((await world.record()).status).toBe("done");
    const before = world.batches();
    const late = await answer(world, "approval:1:1", { by: person("p-2") });
    expect(late).toMatchObject({ kind: "answeredBefore", by: "p-1", decision: "refuse" });
    expect(await answer(world, "approval:1:2", { by: person("p-2") })).toMatchObject({
      kind: "void",
    });
    world.advance(3_600_000);
    await world.run();
    expect(world.batches()).toBe(before);
    expect(sent(world)).toEqual([]);
  });

  test("for a question that nobody asked is missing", async () => {
    const world = await asked();
    expect(await answer(world, "approval:9:9")).toEqual({ kind: "missing" });
  });
});

describe("the facts of record, read again at the answer", () => {
  test.each<[string, () => Promise<Facts>]>([
    ["cannot be read", () => Promise.reject(new Error("down"))],
    ["never come", () => new Promise(() => {})],
  ])("that %s: no answer is taken", async (_what, refresh) => {
    const world = await asked({ refresh });
    expect(await answer(world, "approval:1:1")).toMatchObject({ kind: "unavailable" });
    expect((await approvals(world))[0]?.answer).toBeUndefined();
  });

  test("that differ void the question and are decided on anew", async () => {
    const refresh = async (facts: Facts): Promise<Facts> => ({ ...facts, purchaseOrder: "edited" });
    const world = await asked({ refresh });
    // Nobody hears that it is decided anew as long as that is not recorded.
    world.cases.hooks = {
      before: ({ operation }) => (operation === "createEvent" ? "lost" : undefined),
    };
    expect(await answer(world, "approval:1:1")).toMatchObject({ kind: "unavailable" });
    world.cases.hooks = {};
    expect(await answer(world, "approval:1:1")).toMatchObject({ kind: "void" });
    await world.run(world.worker(), 1000);
    expect((await world.record()).facts).toMatchObject({ purchaseOrder: "edited" });
    expect((await approvals(world)).at(-1)?.version).toBeGreaterThan(1);
    expect(sent(world)).toEqual([]);
  });

  test("that differ leave the request with whoever made it: who found them stale may answer", async () => {
    const refresh = async (facts: Facts): Promise<Facts> => ({ ...facts, purchaseOrder: "edited" });
    const world = await asked({ refresh });
    await answer(world, "approval:1:1", { by: person("p-finder") });
    await world.run(world.worker(), 1000);
    const latest = (await approvals(world)).at(-1);
    expect(latest?.requestedBy).toBe("source:src");
    const by = person("p-finder");
    expect(await answer(world, latest?.id ?? "", { by })).toEqual({ kind: "answered" });
  });

  test("are ordered by the store's time: no worker's fast clock makes the next ones older", async () => {
    let found = "first";
    const refresh = async (facts: Facts): Promise<Facts> => ({ ...facts, purchaseOrder: found });
    const world = await asked({ refresh });
    await answer(world, "approval:1:1");
    await world.run(world.worker(), 1000);
    found = "second";
    world.advance(60_000);
    const readAtMs = Math.floor(world.nowMs() / 1000) * 1000;
    await answer(world, (await approvals(world)).at(-1)?.id ?? "");
    await world.run(world.worker(), 1000);
    const { facts, orderKeys } = await world.record();
    expect(facts).toMatchObject({ purchaseOrder: "second" });
    expect(orderKeys["refresh"]).toBe(new Date(readAtMs).toISOString());
  });

  test("that are the same let the answer stand", async () => {
    const world = await asked({ refresh: async (facts) => facts });
    expect(await answer(world, "approval:1:1")).toEqual({ kind: "answered" });
  });
});

describe("what was approved", () => {
  test("is what is sent, whatever a decider would say by then (cases.md 64)", async () => {
    let text = "v1";
    const world = await asked({
      decide: () => ({
        kind: "plan",
        why: "test",
        actions: [{ action: "keyed.first.v1", target: "T", payload: { text } }],
        nextStatus: "done",
        notifications: [],
      }),
    });
    text = "v2";
    await answer(world, "approval:1:1");
    await world.run();
    expect(world.keyed.applied.map(({ payload }) => payload)).toEqual([{ text: "v1" }]);
  });

  test("resumes only what was not done: a confirmed sibling is not sent again (cases.md 62)", async () => {
    const world = await asked({
      approve: ["keyed.second.v1"],
    });
    await answer(world, "approval:1:1");
    await world.run();
    await world.turn();
    expect(sent(world)).toEqual(both);
  });
});
