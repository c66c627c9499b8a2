// A team's own code that gives what its types forbid: it may be no TypeScript, or hold a model's answer. Whatever it gives, the case
// can be read again, nothing that may have left is forgotten, and a person is told by field.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Decision, Facts, ProviderReport, Workflow } from "../../shared/domain/definitions.ts";
import type { Answer, LookupVerdict } from "../../shared/domain/records/evidence.ts";
import { readReport } from "../../shared/flow/intake/read-report.ts";
import { planOfTwo } from "../domain/situations.ts";
import { codeOf } from "./codes.ts";
import { operatorsOf } from "./operate/operators.ts";
import { key, newWorld, type World } from "./world.ts";

const reviewsOf = async (world: World) => (await world.reviews()).map(({ why }) => why);

describe("an adapter that answers nonsense after it has sent", () => {
  const planOfBare: Decision = {
    ...planOfTwo,
    actions: [{ action: "bare.first.v1", target: "T-1", payload: {} }],
  } as Decision;

  test.each<[string, unknown, string]>([
    ["nothing", undefined, "the whole"],
    ["a text", "ok", "the whole"],
    ["a kind that there is not", { kind: "done" }, "kind"],
    ["a receipt that is bound to nothing", { kind: "receipt", receipt: { id: 1 } }, "boundTo"],
  ])("(%s) has an unknown effect, which goes to a person", async (_what, given, field) => {
    const world = newWorld({ decide: () => planOfBare });
    const { send } = world.bare;
    world.bare.send = async (request) => {
      await send(request);
      return given as Answer;
    };
    await world.post(1);
    await world.run();
    expect(world.bare.applied).toHaveLength(1);
    const [effect] = await world.effects();
    expect(effect).toMatchObject({ status: "unknown", mayHaveLeft: true });
    const reason = effect?.attempts.at(-1)?.end?.reason;
    expect(reason).toMatch(new RegExp(`^the adapter's answer is none, in: .*${field}`));
    expect(await reviewsOf(world)).toHaveLength(1);
  });

  test("under an enforced key is asked again, and its effect confirmed once", async () => {
    const world = newWorld();
    const { send } = world.keyed;
    let calls = 0;
    world.keyed.send = async (request) => {
      const answer = await send(request);
      return (calls += 1) === 1 ? (undefined as unknown as Answer) : answer;
    };
    await world.post(1);
    await world.run();
    expect(world.keyed.applied).toHaveLength(2);
    expect((await world.effects()).map(({ status }) => status)).toEqual([
      "confirmed",
      "confirmed",
      "confirmed",
    ]);
  });
});

test.each<[string, () => Promise<LookupVerdict>]>([
  ["gives no verdict", async () => ({ kind: "gone" }) as unknown as LookupVerdict],
  ["throws", () => Promise.reject(new Error("a defect"))],
])("a look-up that %s proves nothing, and the case can still be read", async (_what, lookup) => {
  const world = newWorld();
  world.keyed.contract = {
    revision: 1,
    lookup: { by: "operationId", consistency: "strong", settleMs: 0 },
    horizonMs: 1000,
    callTimeoutMs: 10_000,
    consequence: "once more",
  };
  world.keyed.lookup = lookup;
  world.keyed.script = ["swallowed"];
  await world.post(1);
  await world.run();
  const [first] = await world.effects();
  expect([first?.status, first?.lookups?.count]).toEqual(["unknown", expect.any(Number)]);
  // All that was ever found, too: what was folded is not among what a turn reads.
  expect(await world.cases.history(key)).toBeDefined();
  expect(world.keyed.applied).toEqual([]);
});

test("a provider's own webhook that its adapter reads as nonsense is not taken, and says which field", () => {
  const { keyed } = newWorld();
  const body = Buffer.from(JSON.stringify({ type: "done", data: {} }));
  const report = () =>
    ({ about: { kind: "operation" }, stage: "done" }) as unknown as ProviderReport;
  expect(() => readReport({ ...keyed, report }, body)).toThrow(/provider keyed: .*stage/);
  expect(readReport({ ...keyed, report: () => undefined }, body)).toBeUndefined();
});

describe("a decider that gives nonsense", () => {
  const request = { action: "keyed.first.v1", target: "T-1", payload: {} };
  const plan = { ...planOfTwo, actions: [request], notifications: [] };
  test.each<[string, unknown, string]>([
    ["nothing", undefined, "the decision as a whole"],
    ["a kind that there is not", { kind: "plann", why: "" }, "kind"],
    ["a plan without actions", { ...plan, actions: undefined }, "actions"],
    ["a target that is a number", { ...plan, actions: [{ ...request, target: 3 }] }, "target"],
    ["a reason that is none", { ...plan, why: undefined }, "why"],
    ["a status that there is not", { ...plan, nextStatus: "dne" }, "dne is no status"],
    ["no payload", { ...plan, actions: [{ ...request, payload: undefined }] }, "payload"],
  ])("(%s) has its case held, and nothing sent", async (_what, given, says) => {
    const world = newWorld({ decide: () => given as Decision });
    await world.post(1);
    await world.run();
    expect(await world.record()).toMatchObject({ held: { reason: "DecisionHeld" } });
    expect((await world.record()).held?.detail).toContain(says);
    expect(await world.effects()).toEqual([]);
  });
});

describe("a fold that throws", () => {
  const broken: Partial<Workflow> = {
    fold: () => {
      throw new TypeError("s3cret");
    },
  };

  test("parks its case at once, with what could not be folded, and keeps the event", async () => {
    const world = newWorld();
    await world.post(1);
    await world.run(world.worker({ book: codeOf(world, { workflow: broken }) }));
    const { held } = await world.record();
    expect(held?.reason).toBe("Poison");
    expect(held?.detail).toMatch(/^fold of told \(e1\) threw TypeError; deploy/);
    expect(held?.detail).not.toContain("s3cret");
    expect((await world.cases.read(key)).snapshot.events).toHaveLength(1);
  });

  test("is mended by a deploy: released, the case folds what it kept and goes on", async () => {
    const world = newWorld();
    await world.post(1);
    await world.run(world.worker({ book: codeOf(world, { workflow: broken }) }));
    const people = operatorsOf(world);
    const [held] = await world.reviews();
    await people.resolve(held?.id ?? "none", { how: "release" });
    await world.run();
    expect(await world.record()).toMatchObject({ status: "done", facts: { n: 1 } });
    expect(world.keyed.applied).toHaveLength(2);
  });
});

test("facts that no document can hold are refused by field, and the case goes on being read", async () => {
  const world = newWorld();
  const fold = () => ({ n: 1, at: undefined }) as unknown as Facts;
  await world.post(1);
  await world.run(world.worker({ book: codeOf(world, { workflow: { fold, facts: z.any() } }) }));
  const { held } = await world.record();
  expect([held?.reason, held?.detail]).toEqual([
    "EventRefused",
    expect.stringMatching(/facts\.at is undefined/),
  ]);
});

describe("a plan of which one effect asks first", () => {
  const asking: Decision = {
    ...planOfTwo,
    actions: [
      { action: "keyed.first.v1", target: "T-1", payload: {} },
      { action: "keyed.second.v1", target: "T-1", payload: {}, asksFirst: true },
    ],
  } as Decision;

  test("sends nothing before a person has said yes to that one, though its action asks nobody", async () => {
    const world = newWorld({ decide: () => asking });
    await world.post(1);
    await world.run(world.worker(), 1000);
    expect(world.keyed.received).toEqual([]);
    const { approvals } = (await world.cases.read(key)).snapshot;
    expect(approvals).toMatchObject([{ action: "keyed.second.v1" }]);
  });

  test("may not be a notification: those ask nobody", async () => {
    const told = { action: "mail.tell.v1", target: "a@example.org", payload: {}, asksFirst: true };
    const world = newWorld({ decide: () => ({ ...asking, notifications: [told] }) as Decision });
    await world.post(1);
    await world.run();
    expect((await world.record()).held?.detail).toContain("a notification asks for none");
  });
});
