// A drain for a deploy: begun in mid-run, it lets the call end and begins nothing; ended, the case goes on where it stood.
import { describe, expect, test } from "vitest";
import { showDrain, startDrain, stopDrain } from "../../../shared/flow/operate/drain/drain.ts";
import {
  showDrainRoute,
  startDrainRoute,
  stopDrainRoute,
} from "../../../shared/flow/operate/drain/drain-routes.ts";
import { newWorld, type World } from "../world.ts";
import { ada, ana, operatorsOf, type Operators, type Who } from "./operators.ts";

const start = (people: Operators, who: Who = ada, reason = "deploy 42") =>
  people.call(
    startDrainRoute,
    ({ body, principal }) => startDrain(people.ports, { reason: body.reason, principal }),
    { who, body: { reason } },
  );
const stop = (people: Operators) =>
  people.call(stopDrainRoute, () => stopDrain(people.ports), {
    who: ada,
    body: { reason: "deployed" },
  });
const show = (people: Operators) =>
  people.call(showDrainRoute, () => showDrain(people.ports), { who: ada });

const statuses = async (world: World) => (await world.effects()).map(({ status }) => status);

describe("a drain that begins while a call is under way", () => {
  test("lets it end and records it, begins nothing more, and the case goes on afterwards", async () => {
    const world = newWorld();
    const people = operatorsOf(world);
    let seen: unknown;
    world.keyed.duringCall = async () => {
      world.keyed.duringCall = undefined;
      await start(people);
      seen = (await show(people)).body;
    };
    await world.post(1);
    expect(await world.turn()).toEqual({ kind: "draining" });
    expect(seen).toMatchObject({
      draining: true,
      isQuiet: false,
      drain: { by: "ada", reason: "deploy 42" },
      inFlight: { count: 1, isMore: false, oldest: { action: "keyed.first.v1" } },
    });
    expect(world.keyed.applied).toHaveLength(1);
    expect(await statuses(world)).toEqual(["confirmed", "prepared"]);

    world.advance(6000);
    expect((await show(people)).body).toMatchObject({ isQuiet: true, inFlight: { count: 0 } });
    await stop(people);
    await world.run();
    expect((await world.record()).status).toBe("done");
    expect(world.keyed.applied).toHaveLength(2);
  });
});

describe("a drain", () => {
  test("takes events, burns no delivery, and decides nothing", async () => {
    const world = newWorld();
    const people = operatorsOf(world);
    await start(people);
    await world.post(1);
    await world.run(world.worker(), 120_000);
    expect(world.hints.deadLetters("cases")).toEqual([]);
    expect(world.keyed.received).toEqual([]);
    expect((await world.record()).plan).toBeUndefined();
    await stop(people);
    await world.run();
    expect((await world.record()).status).toBe("done");
  });

  test("that is begun twice is one, and says who began it; so is one that is ended twice", async () => {
    const people = operatorsOf(newWorld());
    await start(people, ada, "deploy 42");
    const again = await start(people, ["bob", "admin"], "another");
    expect(again.body).toMatchObject({ drain: { by: "ada", reason: "deploy 42" } });
    await stop(people);
    expect((await stop(people)).body).toMatchObject({ draining: false, isQuiet: false });
    const { rows } = await people.store.records({ tenantId: "_", max: 10 });
    const said = rows.map(({ action, by, outcome, reason }) => [
      action,
      by,
      reason,
      outcome.detail,
    ]);
    expect(said).toContainEqual(["start-drain", "ada", "deploy 42", "started"]);
    expect(said).toContainEqual(["start-drain", "bob", "another", "startedBefore"]);
    expect(said).toContainEqual(["stop-drain", "ada", "deployed", "stopped"]);
  });

  test("is not for the admin of one tenant, nor for an operator", async () => {
    const people = operatorsOf(newWorld());
    expect((await start(people, ["tom", "admin@acme"])).status).toBe(403);
    expect((await start(people, ana)).status).toBe(403);
    expect((await start(people, ["olga", "operator"])).status).toBe(403);
    expect((await show(people)).body).toMatchObject({ draining: false });
  });
});
