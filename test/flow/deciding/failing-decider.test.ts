// A decider that throws: no delivery is used up, and what never will work ends before a person.
import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/domain/definitions.ts";
import { TransientFault } from "../../../shared/domain/faults.ts";
import { sweepDue } from "../../../shared/flow/wake/sweep-due.ts";
import { planOfTwo } from "../../domain/situations.ts";
import { key, newWorld } from "../world.ts";

/** Throws so many times, then decides. */
function failing(times: number, fault: () => Error) {
  const asked = { count: 0 };
  const decide = (): Decision => {
    asked.count += 1;
    if (asked.count <= times) throw fault();
    return planOfTwo;
  };
  return { asked, world: newWorld({ decide }) };
}

const noAnswer = () => new TransientFault("the model gave no answer");

describe("a decider without an answer", () => {
  test("is asked again with growing pauses, and the case goes on as soon as it answers", async () => {
    const { asked, world } = failing(3, noAnswer);
    await world.post(1);
    const startedMs = world.nowMs();
    await world.run();
    expect(asked.count).toBe(4);
    expect(world.nowMs() - startedMs).toBeGreaterThan(28_000);
    expect((await world.record()).status).toBe("done");
    expect((await world.record()).decideRetry).toBeUndefined();
  });

  test("is left alone for as long as it asked", async () => {
    const fault = () => new TransientFault("busy", { retryAfterMs: 120_000 });
    const { asked, world } = failing(1, fault);
    await world.post(1);
    await world.run(world.worker(), 119_000);
    expect(asked.count).toBe(1);
    await world.run();
    expect(asked.count).toBe(2);
  });

  test("is not asked in between, however many hints arrive", async () => {
    const { asked, world } = failing(1, noAnswer);
    await world.post(1);
    await world.turn();
    const before = world.batches();
    for (let hint = 0; hint < 5; hint += 1) expect((await world.turn()).kind).toBe("waiting");
    expect([asked.count, world.batches()]).toEqual([1, before]);
  });

  test("is found by the sweep when its hint was lost", async () => {
    const { world } = failing(1, noAnswer);
    await world.post(1);
    world.hints.beforeSend = (_queue, { reason }) => {
      if (reason === "due") throw new TransientFault("no broker");
    };
    await world.run();
    expect((await world.record()).status).toBe("open");
    world.hints.beforeSend = undefined;
    world.advance(60_000);
    await sweepDue(world.worker(), { wallClockMs: world.nowMs() });
    await world.run();
    expect((await world.record()).status).toBe("done");
  });

  test("for three hours costs no person anything: the case goes on as soon as it answers", async () => {
    const { asked, world } = failing(15, noAnswer);
    const startMs = world.nowMs();
    await world.post(1);
    await world.run(world.worker(), 24 * 3_600_000);
    expect(asked.count).toBe(16);
    expect(world.nowMs() - startMs).toBeGreaterThan(2.5 * 3_600_000);
    expect((await world.record()).status).toBe("done");
  });

  test("holds the case after sixteen tries, visibly, and new facts ask anew", async () => {
    const { asked, world } = failing(16, noAnswer);
    await world.post(1);
    await world.run(world.worker(), 24 * 3_600_000);
    expect(asked.count).toBe(16);
    expect((await world.record()).held?.reason).toBe("DeciderFailing");
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["CaseHeld"]);
    expect(world.hints.deadLetters("cases")).toEqual([]);
    await world.post(2);
    await world.run();
    expect((await world.record()).status).toBe("done");
  });
});

describe("a decider with a defect", () => {
  test("holds the case after three tries, and tells no one what it was given", async () => {
    const { asked, world } = failing(99, () => new RangeError("marker-of-a-secret"));
    const lines: string[] = [];
    const take = (message: string, fields: object) =>
      void lines.push(message + JSON.stringify(fields));
    await world.post(1);
    await world.run(world.worker({ log: { info: take, warn: take, error: take } }));
    expect(asked.count).toBe(3);
    expect((await world.record()).held?.reason).toBe("DeciderFailing");
    expect(world.keyed.received).toEqual([]);
    expect(lines.join()).toContain("RangeError");
    expect(lines.join() + JSON.stringify(world.cases.stored(key))).not.toContain("marker");
  });
});
