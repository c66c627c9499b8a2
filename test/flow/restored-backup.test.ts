// A restore of a backup may bring documents of one case back from different moments. The ledger is believed before the case:
// what an effect's own document shows is never forgotten for what an older case document would make of it.
import { describe, expect, test } from "vitest";
import { key, mortal, newWorld, turnUntilDeath, type World } from "./world.ts";

type Stored = ReturnType<World["cases"]["stored"]>[number];

const caseOf = (world: World): Stored => {
  const document = world.cases.stored(key).find(({ type }) => type === "case");
  if (document === undefined) throw new Error("no case");
  return document;
};

/** Puts documents back as they were, beside whatever else is there. */
async function restore(world: World, ...documents: Stored[]): Promise<void> {
  const [caseDocument = caseOf(world), ...replaces] = documents;
  const writeId = `log:restore-${world.nowMs()}`;
  const written = await world.cases.write({
    key,
    caseEtag: caseOf(world)._etag,
    caseDocument: caseDocument as never,
    creates: [],
    replaces: replaces as never[],
    amends: [],
    log: { id: writeId, type: "log" } as never,
  });
  expect(written.kind).toBe("committed");
}

describe("a case document restored from before its effects", () => {
  test("is decided on again, finds them in the ledger, and sends none of them again", async () => {
    const world = newWorld();
    await world.post(1);
    await world.run();
    const sent = (await world.effects()).map(({ operationId }) => operationId);
    expect(world.bare.applied).toHaveLength(1);
    const undecided = { status: "open", version: 1, decidedVersion: undefined };
    await restore(world, { ...caseOf(world), ...undecided });
    await world.run();
    await world.turn();
    expect(world.keyed.received).toHaveLength(2);
    expect(world.bare.received).toHaveLength(1);
    expect((await world.effects()).map(({ operationId }) => operationId)).toEqual(sent);
    expect((await world.effects()).map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => "confirmed"),
    );
    expect(await world.record()).toMatchObject({ status: "done" });
  });

  test("while a call of it was claimed drops that claim: what is confirmed stays so, and its receipt is kept", async () => {
    const world = newWorld();
    await world.post(1);
    await turnUntilDeath(world, mortal(world, { boundary: "send", when: "before" }));
    const claimed = caseOf(world);
    expect(claimed["claim"]).toBeDefined();
    world.advance(60_000);
    await world.run();
    expect((await world.effects())[0]).toMatchObject({ status: "confirmed" });
    await restore(world, claimed);
    world.advance(60_000);
    await world.run();
    await world.turn();
    const [first] = await world.effects();
    expect(first).toMatchObject({ status: "confirmed", receipt: { providerId: "keyed-1" } });
    expect(world.keyed.applied).toHaveLength(2);
    expect((await world.record()).claim).toBeUndefined();
  });
});

test("an effect restored as started, without its case's claim, is unknown once its call must be over, and a person sees it", async () => {
  const world = newWorld({
    decide: ({ version }) =>
      version === 1
        ? {
            kind: "plan",
            why: "test",
            actions: [{ action: "bare.first.v1", target: "T-1", payload: { amount: "1.00" } }],
            nextStatus: "done",
            notifications: [],
          }
        : { kind: "wait", why: "test" },
  });
  await world.post(1);
  await turnUntilDeath(world, mortal(world, { boundary: "send", when: "before" }));
  await restore(world, { ...caseOf(world), claim: undefined });
  await world.turn();
  world.advance(60_000);
  await world.turn();
  expect(await world.effects()).toMatchObject([{ status: "unknown" }]);
  expect(await world.reviews()).toMatchObject([{ kind: "UnknownEffect" }]);
  expect(world.bare.received).toEqual([]);
});
