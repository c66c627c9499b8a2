// A deploy that speaks a new version of a provider's API, while effects wait: what never left is sent under the new one, and what
// may have left under the old one is never sent under another.
import { describe, expect, test, vi } from "vitest";
import { crm } from "../../shared/providers/crm.ts";
import { supplierPortal } from "../../shared/providers/supplier-portal.ts";
import { planOf } from "../domain/situations.ts";
import { ivo, operatorsOf, una } from "./operate/operators.ts";
import { key, lookedUp, newWorld, type World } from "./world.ts";

async function waitsForApproval(): Promise<World> {
  const world = newWorld({ approve: ["keyed.first.v1"] });
  await world.post(1);
  await world.run(world.worker(), 1000);
  return world;
}

async function allow(world: World, id: string): Promise<void> {
  const answer = { answerId: id, decision: "approve", by: "p-1", atMs: world.nowMs() } as const;
  await world.cases.answerApproval(key, { id, answer });
  await world.hints.send("cases", { ...key, hintId: id, reason: "approval answered" });
}

async function approve(world: World): Promise<void> {
  await allow(world, "approval:1:1");
  await world.run();
}

const credit = { action: "keyed.first.v1", target: "T-1", payload: { amount: "25.00" } };

const first = async (world: World) => (await world.effects())[0];

describe("an effect that waits for an approval while the API version is raised", () => {
  test("is sent once it is given, at the first try, and bears the version that it was sent under", async () => {
    const world = await waitsForApproval();
    world.keyed.apiVersion = "v2";
    await approve(world);
    expect(await first(world)).toMatchObject({ status: "confirmed", apiVersion: "v2" });
    expect((await first(world))?.attempts).toHaveLength(1);
    expect((await world.record()).status).toBe("done");
  });

  test("and the account, too, is asked about again: what a person allowed was for the account of that day", async () => {
    const world = await waitsForApproval();
    world.keyed.accountOf = () => "acme-new";
    await allow(world, "approval:1:1");
    await world.run(world.worker(), 1000);
    expect(world.keyed.received).toEqual([]);
    const asked = (await world.effects()).map(({ account, decidedOn, status }) => [
      decidedOn,
      account,
      status,
    ]);
    expect(asked).toContainEqual([1, "acme", "cancelled"]);
    expect(asked).toContainEqual([2, "acme-new", "prepared"]);
    await allow(world, "approval:2:2");
    await world.run();
    expect(world.keyed.received.map(({ account }) => account)).toEqual(["acme-new", "acme-new"]);
    expect((await world.record()).status).toBe("done");
  });

  test("and whose call is then lost is not sent again by code that was rolled back", async () => {
    const world = await waitsForApproval();
    world.keyed.apiVersion = "v2";
    world.keyed.script = ["appliedAndDropped"];
    world.keyed.duringCall = () => void (world.keyed.apiVersion = "v1");
    await approve(world);
    expect(world.keyed.received).toHaveLength(1);
    expect(await first(world)).toMatchObject({ status: "unknown", apiVersion: "v2" });
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["UnknownEffect"]);
  });
});

test("an effect that may have left under one version is not sent under the next", async () => {
  const world = newWorld();
  world.keyed.script = ["swallowed"];
  world.keyed.duringCall = () => void (world.keyed.apiVersion = "v2");
  await world.post(1);
  await world.run();
  expect(world.keyed.received).toHaveLength(1);
  expect(await first(world)).toMatchObject({ status: "unknown", apiVersion: "v1" });
});

test("an effect that was provably turned away under one version is sent under the next", async () => {
  const world = newWorld();
  world.keyed.script = ["turnsAway"];
  world.keyed.duringCall = () => void (world.keyed.apiVersion = "v2");
  await world.post(1);
  await world.run();
  expect(await first(world)).toMatchObject({ status: "confirmed", apiVersion: "v2" });
  expect(world.keyed.applied).toHaveLength(2);
});

describe("while old and new code run beside each other, and each address knows only its own calls", () => {
  /** Its calls are looked up by our id, at the old address only. */
  function lookedUpAtV1({ keyed }: World): void {
    lookedUp(keyed);
    const { lookup } = keyed;
    keyed.lookup = async (request) =>
      keyed.apiVersion === "v1" && lookup !== undefined ? lookup(request) : { kind: "absent" };
  }

  const creditOnce = planOf([credit], { notifications: [] });

  test("what the new code did not find is no absence for the old code", async () => {
    const world = newWorld({ decide: () => creditOnce, fused: false });
    lookedUpAtV1(world);
    world.keyed.script = ["appliedAndDropped"];
    world.keyed.duringCall = () => void (world.keyed.apiVersion = "v2");
    await world.post(1);
    await world.turn();
    world.keyed.duringCall = undefined;
    world.advance(121_000);
    let [writes, hasLooked] = [0, false];
    const dies = world.worker({
      at: (boundary, act) => {
        hasLooked ||= boundary === "lookUp";
        writes += hasLooked && boundary === "write" ? 1 : 0;
        // Its look is written, and nobody has been asked yet.
        return writes === 2 ? new Promise(() => {}) : act();
      },
    });
    void world.turn(dies);
    await vi.waitFor(() => expect(writes).toBe(2));
    expect((await first(world))?.lookups?.absentUnder).toMatchObject({ apiVersion: "v2" });
    world.keyed.apiVersion = "v1";
    await world.run();
    expect(await first(world)).toMatchObject({ status: "confirmed" });
    expect(world.keyed.applied).toHaveLength(1);
  });

  test("a retry that two people forced at the new address is covered by no key of the old one", async () => {
    const world = newWorld({ decide: () => creditOnce });
    world.keyed.script = ["swallowed", "appliedAndDropped"];
    world.keyed.duringCall = () => void (world.keyed.apiVersion = "v2");
    await world.post(1);
    await world.run();
    expect(world.keyed.received).toHaveLength(1);
    const people = operatorsOf(world);
    const [review] = await world.reviews();
    const force = { how: "retry", forced: true, reason: "by phone" };
    const { body } = await people.resolve(review?.id ?? "", force, ivo);
    await people.confirm(review?.id ?? "", { requestId: body.requestId ?? "none" }, una);
    // Rolled back while the forced call is out.
    world.keyed.duringCall = () => void (world.keyed.apiVersion = "v1");
    await world.run();
    expect(world.keyed.received).toHaveLength(2);
    expect(await first(world)).toMatchObject({ status: "unknown" });
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["UnknownEffect"]);
  });
});

describe("a call under a newer contract, whose answer was lost while a deploy rolls", () => {
  async function lostUnderNewer(): Promise<World> {
    const world = newWorld({ decide: () => planOf([credit], { notifications: [] }) });
    const old = world.keyed.contract;
    world.keyed.contract = { ...old, revision: old.revision + 1 };
    // The worker that makes it dies with it, and the next to look runs the old code.
    const dies = world.worker({
      at: (boundary, act) =>
        boundary === "send" ? act().then(() => new Promise(() => {})) : act(),
    });
    await world.post(1);
    void world.turn(dies);
    await vi.waitFor(() => expect(world.keyed.applied).toHaveLength(1));
    world.keyed.contract = old;
    world.advance(60_000);
    return world;
  }

  test("is left to the newer code, which settles it under its key; nobody is asked", async () => {
    const world = await lostUnderNewer();
    const batches = world.batches();
    await world.run(world.worker(), 60_000);
    expect(await world.turn()).toMatchObject({ kind: "left" });
    expect(world.batches()).toBe(batches);
    world.keyed.contract = { ...world.keyed.contract, revision: world.keyed.contract.revision + 1 };
    await world.run();
    expect(await first(world)).toMatchObject({ status: "confirmed" });
    expect(world.keyed.applied).toHaveLength(1);
    expect(await world.reviews()).toEqual([]);
  });

  test("comes to a person when the newer code does not come back", async () => {
    const world = await lostUnderNewer();
    await world.run(world.worker(), 2 * 3_600_000);
    expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["UnknownEffect"]);
    expect(world.keyed.received).toHaveLength(1);
  });
});

describe("a provider whose address is set to another", () => {
  test.each([
    ["supplier-portal", supplierPortal],
    ["crm", crm],
  ] as const)("is another one to a key and to an absence (%s)", (_name, provider) => {
    const at = (baseUrl: string) => provider({ baseUrl, token: "t" }).apiVersion;
    const here = at("https://api.example/base");
    expect(at("https://api.example/base/")).toBe(here);
    expect(at("https://sandbox.example/base")).not.toBe(here);
    expect(at("https://api.example/other")).not.toBe(here);
    expect(at("http://api.example/base")).not.toBe(here);
  });

  test("is not asked to repeat what may have left for the first one", async () => {
    const [before, after] = ["https://sandbox.example", "https://api.example"].map(
      (baseUrl) => supplierPortal({ baseUrl, token: "t" }).apiVersion,
    );
    const world = newWorld();
    world.keyed.apiVersion = before ?? "";
    world.keyed.script = ["appliedAndDropped"];
    world.keyed.duringCall = () => void (world.keyed.apiVersion = after ?? "");
    await world.post(1);
    await world.run();
    expect(world.keyed.received).toHaveLength(1);
    expect((await world.reviews())[0]?.why).toContain("address");
  });
});
