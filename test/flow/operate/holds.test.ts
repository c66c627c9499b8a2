// A held case is tried again by a person; what each hold needs, and what releasing never lets through (design.md 5).
import { describe, expect, test } from "vitest";
import { reviewKinds } from "../../../shared/domain/records/review.ts";
import { kindsByCost } from "../../../shared/flow/operate/reviews/rank.ts";
import { emptySnapshot, withCase, type Snapshot } from "../../../shared/domain/records/snapshot.ts";
import { foldEvent } from "../../../shared/domain/transitions/fold-event.ts";
import { foldFindings } from "../../../shared/domain/transitions/fold-findings.ts";
import { holdCase } from "../../../shared/domain/transitions/reviews.ts";
import { book, event, nowMs, planOfTwo } from "../../domain/situations.ts";
import { key, newWorld, type World } from "../world.ts";
import { operatorsOf, unknownCase } from "./operators.ts";

async function release(world: World) {
  const people = operatorsOf(world);
  const [held] = (await people.reviews()).filter(({ kind }) => kind === "CaseHeld");
  const answer = await people.resolve(held?.id ?? "none", { how: "release" });
  expect(answer).toMatchObject({ status: 202 });
  await world.run();
}

describe("a held case that is released", () => {
  test("after its decider failed is decided again, on the same version", async () => {
    let isBroken = true;
    const world = newWorld({
      decide: () => {
        if (isBroken) throw new Error("a defect");
        return planOfTwo;
      },
    });
    await world.post(1);
    await world.run();
    expect((await world.record()).held?.reason).toBe("DeciderFailing");
    isBroken = false;
    await release(world);
    expect(await world.record()).not.toHaveProperty("held");
    expect((await world.record()).status).toBe("done");
  });

  test("after its decider held it is decided anew, and held again if nothing has changed", async () => {
    let decided = 0;
    const world = newWorld({
      decide: () => {
        decided += 1;
        return decided === 3 ? planOfTwo : { kind: "hold", why: "unsure" };
      },
    });
    await world.post(1);
    await world.run();
    await release(world);
    expect((await world.record()).held?.reason).toBe("DecisionHeld");
    await release(world);
    expect((await world.record()).status).toBe("done");
    expect(decided).toBe(3);
  });

  test("from a repeated intent never lets the repeat through", async () => {
    const world = await unknownCase("appliedAndDropped");
    const people = operatorsOf(world);
    await people.resolve((await world.reviews())[0]?.id ?? "", { how: "abandon" });
    await world.run();
    expect((await world.record()).held?.reason).toBe("RepeatedIntent");
    await release(world);
    expect((await world.record()).held?.reason).toBe("RepeatedIntent");
    expect(world.bare.applied).toHaveLength(1);
  });

  test("after it killed its workers is worked on again", async () => {
    const world = newWorld();
    await world.post(1);
    for (let n = 0; n < 4; n += 1) {
      const dying = world.worker({
        at: async (boundary, act) => {
          if (boundary === "decide") throw new Error("out of memory");
          return act();
        },
      });
      await redelivered(world, dying);
    }
    expect((await world.record()).held?.reason).toBe("Poison");
    await release(world);
    expect(await world.record()).not.toHaveProperty("crashes");
    expect((await world.record()).status).toBe("done");
  });
});

async function redelivered(world: World, ports: ReturnType<World["worker"]>): Promise<void> {
  world.advance(60_000);
  await world.turn(ports).catch(() => {});
}

test("a case that is not held any more has nothing to release", async () => {
  const world = newWorld({ decide: () => ({ kind: "hold", why: "unsure" }) });
  await world.post(1);
  await world.run();
  const people = operatorsOf(world);
  const [held] = await people.reviews();
  await world.post(2);
  await world.run(world.worker(), 1000);
  expect(await people.resolve(held?.id ?? "", { how: "release" })).toMatchObject({ status: 409 });
});

describe("releasing a hold", () => {
  test.each([
    ["Poison", undefined, 0],
    ["DeciderFailing", undefined, 0],
    ["EventRefused", undefined, 0],
    ["NoProgress", undefined, 0],
    ["Poison", 1, 1],
    ["EventRefused", 1, 1],
    ["DecisionHeld", 1, 1],
    ["RepeatedIntent", 1, 1],
    ["PayloadMismatch", 1, 1],
  ] as const)(
    "for %s, decided on %s, raises the version by %i, and says who did it",
    (reason, decidedVersion, raised) => {
      const opened = foldEvent(withEvent(), event(1).id, { book, nowMs });
      const held = holdCase(withCase(opened, { decidedVersion }), { reason, why: "test", nowMs });
      const [review] = held.reviews;
      const finding = {
        id: "finding:case:1",
        type: "finding",
        schemaVersion: 1,
        ...key,
        operationId: "case",
        content: {
          kind: "statement",
          statement: { kind: "release" },
          reason: "repaired",
          about: { reviewId: review?.id ?? "", attempts: 0 },
        },
        by: "ana",
        foundAtMs: nowMs,
      } as const;
      const released = foldFindings({ ...held, findings: [finding] }, "case", { book, nowMs });
      expect(released.case?.held).toBeUndefined();
      expect(released.case?.version).toBe((held.case?.version ?? 0) + raised);
      expect(released.reviews[0]?.resolution).toMatchObject({ by: "ana", reason: "repaired" });
    },
  );
});

const withEvent = (): Snapshot => ({ ...emptySnapshot(key), events: [event(1)] });

test("every kind of review has its place in the order of what waiting costs", () => {
  expect(kindsByCost.toSorted()).toEqual(reviewKinds.toSorted());
});
