// However long a case lasts and however much it is told, an outcome can still be recorded (cases.md 40): what one
// transaction takes is never exceeded, and growth is refused where it begins.
import { describe, expect, test } from "vitest";
import type { Decision } from "../../shared/domain/definitions.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import type { Answer } from "../../shared/domain/records/evidence.ts";
import { event, planOf, receiptFor } from "../domain/situations.ts";
import { key, newWorld, type World } from "./world.ts";

const kilobytes = (count: number) => "x".repeat(count * 1024);

/** So many deliveries of one provider about one effect, before anybody looks. */
async function report(world: World, effect: Effect | undefined, count: number): Promise<void> {
  if (effect === undefined) throw new Error("no effect");
  for (let n = 0; n < count; n += 1) {
    await world.report({ ...receiptFor(effect, `${effect.provider}-1`), content: { n } });
  }
  await world.turn();
  await world.run();
}

async function allFolded(world: World): Promise<void> {
  const { snapshot } = await world.cases.read(key);
  expect([snapshot.events, snapshot.findings]).toEqual([[], []]);
}

describe("a case with a history of five thousand events (cases.md 40)", () => {
  test("still takes an approval's effect and its outcome, in a document as small as ever", async () => {
    const world = newWorld();
    const folded = { atMs: 1, how: "same", version: 1 } as const;
    const { dueAtMs: _none, ...told } = event(1, { text: "y".repeat(600) });
    const history = Array.from({ length: 5000 }, (_, n) => ({
      kind: "create" as const,
      document: { ...told, id: `event:src:old-${n}`, folded },
    }));
    world.cases.partitions.transact(key, history);
    await world.post(1);
    await world.run();
    expect((await world.effects()).map(({ status }) => status)).toEqual(Array(3).fill("confirmed"));
    expect(JSON.stringify(await world.record()).length).toBeLessThan(2000);
    expect(world.keyed.received).toHaveLength(2);
  });
});

describe("much that arrives at once", () => {
  test("as twenty events of 250 KB is folded in as many batches as it needs", async () => {
    const world = newWorld();
    for (let n = 10; n < 30; n += 1) {
      await world.post(n, { text: kilobytes(250), n }, `2026-11-29T11:00:${n}Z`);
    }
    await world.run();
    await allFolded(world);
    expect((await world.record()).status).toBe("done");
    expect((await world.record()).held).toBeUndefined();
    expect(world.keyed.applied).toHaveLength(2);
  });

  test("as sixty events that tell nothing new is decided on once, and each effect sent once", async () => {
    let decisions = 0;
    const world = newWorld({
      decide: () => {
        decisions += 1;
        return planOf([{ action: "keyed.first.v1", target: "T-1", payload: {} }]);
      },
    });
    for (let n = 10; n < 70; n += 1) {
      await world.post(n, { told: "the same" }, `2026-11-29T11:00:${n}Z`);
      if (n % 7 === 0) await world.turn();
    }
    await world.run();
    await allFolded(world);
    expect(decisions).toBe(1);
    expect(world.keyed.received).toHaveLength(1);
    expect((await world.record()).status).toBe("done");
  });

  test("as a source that tells something new during every call repeats nothing, and rests when it does", async () => {
    const world = newWorld({
      decide: ({ effects, facts }) =>
        effects.some(({ status }) => status === "confirmed")
          ? planOf([])
          : planOf([
              { action: "keyed.first.v1", target: "T-1", payload: { n: facts["n"] ?? null } },
            ]),
    });
    let told = 1;
    world.keyed.duringCall = async () => {
      if (told < 30) await world.post((told += 1), { n: told }, `2026-11-29T11:${told + 10}:00Z`);
    };
    await world.post(1);
    await world.run();
    await allFolded(world);
    expect(world.keyed.applied).toHaveLength(1);
    expect((await world.record()).status).toBe("done");
  });

  test("as three hundred reports on one effect is folded, all of it", async () => {
    const world = newWorld();
    world.bare.script = ["appliedAndDropped"];
    await world.post(1);
    await world.run();
    await report(world, (await world.effects()).at(-1), 300);
    await allFolded(world);
    expect((await world.effects()).at(-1)?.status).toBe("confirmed");
    expect(world.bare.received).toHaveLength(1);
  });
});

describe("growth that would leave no room", () => {
  test("of the facts is refused by the event that brings it; the case is held, and a receipt still lands", async () => {
    const world = newWorld();
    world.keyed.script = ["appliedAndDropped"];
    await world.post(1);
    await world.turn();
    for (let n = 2; n < 8; n += 1) await world.post(n, { [`part-${n}`]: kilobytes(200) });
    await world.run();
    await allFolded(world);
    const record = await world.record();
    expect(record.held?.reason).toBe("EventRefused");
    expect(JSON.stringify(record).length).toBeLessThan(600 * 1024);
    // Its version has gone, so the machine sends it never again; what the provider proves is taken all the same.
    expect((await world.effects())[0]?.status).toBe("unknown");
    await report(world, (await world.effects())[0], 1);
    expect((await world.effects())[0]?.status).toBe("confirmed");
    expect(world.keyed.applied.map(({ action }) => action)).toEqual(["keyed.first.v1"]);
  });

  test("of a plan's payloads is refused at the decision: nothing of it is frozen, nothing is sent", async () => {
    const payload = { text: kilobytes(20) };
    const actions = Array.from({ length: 30 }, (_, n) => ({
      action: "keyed.first.v1",
      target: `T-${n}`,
      payload,
    }));
    const world = newWorld({ decide: () => planOf(actions) });
    await world.post(1);
    await world.run();
    expect(await world.effects()).toEqual([]);
    expect((await world.record()).held).toMatchObject({ reason: "DecisionHeld" });
  });

  const credit = { action: "keyed.first.v1", target: "T-1", payload: {} };
  const tell = { action: "mail.tell.v1", target: "a@example.org" };
  test.each<[string, Decision, string]>([
    ["the reason of a plan", planOf([credit], { why: kilobytes(3000) }), "texts"],
    ["a target", planOf([{ ...credit, target: kilobytes(3000) }]), "texts"],
    ["the reason of a wait", { kind: "wait", why: kilobytes(3000) }, "texts"],
    ["the reason of a hold", { kind: "hold", why: kilobytes(3000) }, "texts"],
    [
      "what it would tell",
      planOf([credit], { notifications: [{ ...tell, payload: { text: kilobytes(600) } }] }),
      "payloads",
    ],
    ["a torn character", planOf([{ ...credit, target: "T-\ud800" }]), "target"],
  ])("by %s is refused at the decision, and a person is told", async (_what, decision, why) => {
    const world = newWorld({ decide: () => decision });
    await world.post(1);
    await world.run();
    expect(await world.effects()).toEqual([]);
    expect((await world.record()).held).toMatchObject({
      reason: "DecisionHeld",
      detail: expect.stringContaining(why),
    });
  });
});

describe("a provider that says more than any record takes", () => {
  const content = { page: kilobytes(3000) };
  const planOfBare = planOf([{ action: "bare.first.v1", target: "T-1", payload: {} }]);
  const large = (answer: Answer): Answer =>
    answer.kind === "receipt"
      ? { ...answer, receipt: { ...answer.receipt, content } }
      : { ...answer, reason: content.page };

  test.each(["ok", "turnsAway", "swallowed"] as const)(
    "(%s) is believed as one that says little, and its words are left out",
    async (behaviour) => {
      const world = newWorld({ decide: () => planOfBare });
      const { send } = world.bare;
      world.bare.script = [behaviour];
      world.bare.send = async (request) => large(await send(request));
      await world.post(1);
      await world.run();
      const [effect] = await world.effects();
      expect(effect?.status).toBe(behaviour === "swallowed" ? "unknown" : "confirmed");
      expect(JSON.stringify(effect).length).toBeLessThan(100 * 1024);
      expect(world.bare.applied).toHaveLength(behaviour === "swallowed" ? 0 : 1);
    },
  );

  test("in what a look-up shows is believed all the same", async () => {
    const world = newWorld({ decide: () => planOfBare });
    const lookup = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
    world.bare.contract = { ...world.bare.contract, lookup };
    world.bare.lookup = async ({ binding }) => {
      const receipt = { stage: "accepted", providerId: "B-1", boundTo: binding, content } as const;
      return { kind: "found", receipt };
    };
    world.bare.script = ["appliedAndDropped"];
    await world.post(1);
    await world.run();
    expect((await world.effects())[0]).toMatchObject({ status: "confirmed" });
    expect(world.bare.received).toHaveLength(1);
  });
});
