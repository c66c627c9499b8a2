// A model step and its checkpoint: what a crash repeats, and what it never changes.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { DecideContext, Decision } from "../../../shared/domain/definitions.ts";
import { TerminalFault, TransientFault } from "../../../shared/domain/faults.ts";
import type { Checkpoint } from "../../../shared/domain/records/checkpoint.ts";
import type { Log, LogFields } from "../../../shared/flow/turn/turn.ts";
import { planOfTwo } from "../../domain/situations.ts";
import { key, mortal, newWorld, turnUntilDeath, type World } from "../world.ts";
import { heardTelemetry } from "../../memory/heard-telemetry.ts";

const Answer = z.object({ amount: z.string() });

/** A world whose decider asks a model once; the nth answer is the amount n. */
function worldWithModel() {
  const model = { asked: 0 };
  const decide = async (_view: unknown, { memo }: DecideContext): Promise<Decision> => {
    const { amount } = await memo("proposal", Answer, async () => {
      model.asked += 1;
      return { amount: String(model.asked) };
    });
    const [first] = planOfTwo.kind === "plan" ? planOfTwo.actions : [];
    if (planOfTwo.kind !== "plan" || first === undefined) throw new Error("no plan");
    return { ...planOfTwo, actions: [{ ...first, payload: { amount } }] };
  };
  return { model, world: newWorld({ decide }) };
}

const amounts = (world: World) => world.keyed.applied.map(({ payload }) => payload["amount"]);

function plant(world: World, change: Partial<Checkpoint>): void {
  const checkpoint: Checkpoint = {
    id: "checkpoint:1:proposal",
    type: "checkpoint",
    schemaVersion: 1,
    ...key,
    version: 1,
    name: "proposal",
    workflow: { type: "test-flow", revision: 1 },
    value: { amount: "planted" },
    ttl: 60,
    ...change,
  };
  world.cases.plant(key, checkpoint);
}

function spy(): Log & { lines: { message: string; fields: LogFields }[] } {
  const lines: { message: string; fields: LogFields }[] = [];
  const take = (message: string, fields: LogFields) => void lines.push({ message, fields });
  return { lines, info: take, warn: take, error: take };
}

describe("a worker that dies between the model's answer and the plan's batch", () => {
  test("costs no second question: its checkpoint answers, and ends by itself within a week", async () => {
    const { model, world } = worldWithModel();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "write", when: "before" }));
    expect(await world.effects()).toEqual([]);
    await world.run();
    expect(model.asked).toBe(1);
    expect(amounts(world)).toEqual(["1"]);
    const stored = world.cases.stored(key).find(({ type }) => type === "checkpoint");
    expect(stored).toMatchObject({ id: "checkpoint:1:proposal", ttl: 604_800 });
  });

  test("without a checkpoint costs one more question, and the case goes on", async () => {
    const { model, world } = worldWithModel();
    const { telemetry, metric } = heardTelemetry();
    world.cases.hooks = {
      before: ({ operation }) => (operation === "createCheckpoint" ? "lost" : undefined),
    };
    await world.post(1);
    await turnUntilDeath(
      world,
      mortal(world, { boundary: "write", when: "before" }, { telemetry }),
    );
    await world.run();
    expect(model.asked).toBe(2);
    expect(amounts(world)).toEqual(["2"]);
    expect((await world.record()).status).toBe("done");
    expect(await metric("countersign.checkpoints.failed")).toEqual({ "": 1 });
  });

  test.each(["readCheckpoint", "createCheckpoint"])(
    "is not taken for a failing decider when something else breaks at %s",
    async (boundary) => {
      const { world } = worldWithModel();
      await world.post(1);
      const frail = world.worker({
        at: (name, act) => (name === boundary ? Promise.reject(new Error("out of memory")) : act()),
      });
      await expect(world.turn(frail)).rejects.toThrow("out of memory");
      expect(world.batches()).toBe(0);
      await world.run();
      expect((await world.record()).status).toBe("done");
    },
  );
});

describe("a store that fails the checkpoints", () => {
  test.each<[string, () => "lost" | undefined]>([
    ["for now", () => "lost"],
    [
      "for good",
      () => {
        throw new TerminalFault("the checkpoint is too large");
      },
    ],
    [
      "by not answering",
      () => {
        throw new TransientFault("no answer");
      },
    ],
  ])("%s stops no case: it is alarmed about, and the case goes on", async (_what, fail) => {
    const { model, world } = worldWithModel();
    const { telemetry, metric } = heardTelemetry();
    world.cases.hooks = {
      before: ({ operation }) => (operation.endsWith("Checkpoint") ? fail() : undefined),
    };
    await world.post(1);
    await world.run(world.worker({ telemetry }));
    expect([model.asked, amounts(world)]).toEqual([1, ["1"]]);
    expect((await world.record()).status).toBe("done");
    expect(await metric("countersign.checkpoints.failed")).toEqual({ "": 1 });
  });
});

test("two steps of one name are a defect, told apart before one is given the other's result", async () => {
  const world = newWorld({
    decide: async (_view, { memo }) => {
      await memo("step", Answer, async () => ({ amount: "1" }));
      await memo("step", Answer, async () => ({ amount: "2" }));
      return planOfTwo;
    },
  });
  await world.post(1);
  await world.run();
  expect((await world.record()).held?.reason).toBe("DeciderFailing");
  expect((await world.reviews())[0]?.why).toContain("memo name");
});

describe("a checkpoint", () => {
  test("of this revision and version is taken for the model's answer", async () => {
    const { model, world } = worldWithModel();
    plant(world, {});
    await world.post(1);
    await world.run();
    expect([model.asked, amounts(world)]).toEqual([0, ["planted"]]);
  });

  test.each<[string, Partial<Checkpoint>]>([
    ["of another revision", { workflow: { type: "test-flow", revision: 2 } }],
    ["of another version", { version: 7 }],
    ["whose value no longer fits", { value: { amount: 5 } }],
    ["that no longer can be read", { ttl: "soon" as unknown as number }],
    ["that newer code wrote", { schemaVersion: 9 as unknown as 1 }],
  ])("%s is computed again, and said so", async (_what, change) => {
    const { model, world } = worldWithModel();
    const log = spy();
    plant(world, change);
    await world.post(1);
    await world.run(world.worker({ log }));
    expect([model.asked, amounts(world)]).toEqual([1, ["1"]]);
    expect(log.lines.map(({ message }) => message)).toContain(
      "a checkpoint is not used; its step is computed again",
    );
  });

  test("that is gone changes no frozen plan: what was decided runs, whatever a model says now", async () => {
    const { model, world } = worldWithModel();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "gate", when: "before" }));
    const [frozen] = await world.effects();
    plant(world, { value: { amount: "another" } });
    await world.run();
    expect(model.asked).toBe(1);
    expect(amounts(world)).toEqual(["1"]);
    expect((await world.effects())[0]?.payloadDigest).toBe(frozen?.payloadDigest);
  });

  test("moves no ETag of its case", async () => {
    const { world } = worldWithModel();
    await world.post(1);
    await world.run();
    expect(world.batches()).toBe(3);
  });
});
