// Facts that change after a case has ended: its workflow may reopen it; what was done before is not done again unless it is named.
import { describe, expect, test } from "vitest";
import type { Decision, Workflow } from "../../shared/domain/definitions.ts";
import { event } from "../domain/situations.ts";
import { newWorld, type World } from "./world.ts";

const credit = (n: number, repeats?: string) =>
  ({
    action: "keyed.first.v1",
    target: `T-${n}`,
    payload: { n },
    ...(repeats === undefined ? {} : { repeats }),
  }) as const;

function creditOf(n: number): Decision {
  const told = { action: "mail.tell.v1", target: "ana", payload: { n } } as const;
  return {
    kind: "plan",
    why: "test",
    actions: [credit(n)],
    nextStatus: "done",
    notifications: [told],
  };
}

const onTarget: Workflow["decide"] = ({ facts }) => creditOf(Number(facts["n"]));

async function closedThenTold(
  reopenAs: Workflow["reopenAs"],
  { decide = onTarget, second = 2 }: { decide?: Workflow["decide"]; second?: number } = {},
): Promise<World> {
  const world = newWorld({ decide });
  const workflow = world.book.workflow("test-flow");
  if (workflow === undefined || reopenAs === undefined) throw new Error("nothing to reopen by");
  workflow.reopenAs = reopenAs;
  await world.post(1);
  await world.run();
  await world.post(2, { n: second, amended: true });
  await world.run();
  return world;
}

const applied = ({ keyed }: World) => keyed.applied.map(({ target }) => target);
const reviews = async (world: World) => (await world.reviews()).map(({ kind, why }) => [kind, why]);

describe("a closed case whose workflow reopens it", () => {
  test("is decided anew on the new facts, closed again, and tells of both", async () => {
    const world = await closedThenTold(() => "open");
    expect(applied(world)).toEqual(["T-1", "T-2"]);
    expect(await world.record()).toMatchObject({ status: "done", version: 4 });
    expect(world.bare.applied.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await reviews(world)).toEqual([]);
  });

  test("does nothing again that it does not name: it is held", async () => {
    const world = await closedThenTold(() => "open", { second: 1 });
    expect(applied(world)).toEqual(["T-1"]);
    expect((await world.record()).held).toMatchObject({ reason: "RepeatedIntent" });
  });

  test("knows what the facts were, and may leave others to a person", async () => {
    const seen: unknown[] = [];
    const world = await closedThenTold((closed) => {
      seen.push(closed);
      return undefined;
    });
    expect(seen).toEqual([{ before: { n: 1 }, after: { n: 2, amended: true }, status: "done" }]);
    expect(applied(world)).toEqual(["T-1"]);
    expect(await reviews(world)).toEqual([["FactsChangedAfterEnd", expect.any(String)]]);
  });
});

test.each([
  ["a status that is final", () => "done", "reopenAs named no status that is open"],
  ["a status that does not exist", () => "toString", "reopenAs named no status that is open"],
  [
    "nothing, because it throws",
    () => {
      throw new RangeError("an address of somebody");
    },
    "reopenAs threw RangeError",
  ],
])(
  "a workflow that reopens as %s leaves it closed, and says so in a review",
  async (_, reopenAs, says) => {
    const world = await closedThenTold(reopenAs);
    expect(applied(world)).toEqual(["T-1"]);
    expect(await world.record()).toMatchObject({ status: "done" });
    const [[, why] = []] = await reviews(world);
    expect(why).toMatch(new RegExp(`${says}$`));
  },
);

test("a closed case that was held for an event which it refused goes on when later facts reopen it", async () => {
  const world = newWorld({ decide: onTarget });
  const workflow = world.book.workflow("test-flow");
  if (workflow !== undefined) workflow.reopenAs = () => "open";
  await world.post(1);
  await world.run();
  const other = { ...event(2), workflow: "another-flow", receivedAtMs: world.nowMs() };
  await world.cases.createEvent(other);
  await world.turn();
  expect(await world.record()).toMatchObject({ status: "done", held: { reason: "EventRefused" } });
  await world.post(3, { n: 3 });
  await world.run();
  expect(applied(world)).toEqual(["T-1", "T-3"]);
  expect(await reviews(world)).toEqual([]);
});

test("a case that is reopened while its notification is unknown still looks after it", async () => {
  const world = newWorld({ decide: onTarget });
  const workflow = world.book.workflow("test-flow");
  if (workflow !== undefined) workflow.reopenAs = () => "open";
  world.bare.script = ["appliedAndDropped"];
  await world.post(1);
  await world.run();
  await world.post(2, { n: 2 });
  await world.run();
  expect(applied(world)).toEqual(["T-1", "T-2"]);
  expect(world.bare.applied.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }]);
  expect((await world.reviews()).map(({ kind }) => kind)).toEqual(["UnknownEffect"]);
});
