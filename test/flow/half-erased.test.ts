// An erasing that breaks off, and what comes in crowds after one: nothing is done again because its record was emptied.
import { expect, test } from "vitest";
import { eraseCase } from "../../shared/flow/operate/cases/erase-case.ts";
import { memoryOperators } from "../memory/memory-operators.ts";
import { planOf, receiptFor } from "../domain/situations.ts";
import { key, newWorld, type World } from "./world.ts";

const credit = { action: "keyed.first.v1", target: "T-1", payload: { amount: "25.00" } };

async function erase(world: World): Promise<string> {
  const ports = { ...world, operators: memoryOperators(world.cases) };
  const principal = { id: "p-admin", isPerson: true, roleClaims: ["admin"] };
  return (await eraseCase(ports, { key, principal })).kind;
}

/** Of what is confirmed, so often by its provider's own webhook. */
async function reported(world: World, times: number): Promise<void> {
  const [effect] = await world.effects();
  if (effect === undefined) throw new Error("no effect");
  for (let n = 0; n < times; n += 1) await world.report(receiptFor(effect, "keyed-1"));
}

test("a case whose erasing broke off is not reopened: nobody would know any more what was done there", async () => {
  const world = newWorld({ decide: () => planOf([credit]) });
  const workflow = world.book.workflow("test-flow");
  if (workflow === undefined) throw new Error("no workflow");
  workflow.reopenAs = () => "open";
  await world.post(1);
  await world.run();
  // More than one batch takes.
  await reported(world, 100);
  while ((await world.cases.read(key)).snapshot.findings.length > 0) await world.turn();
  let writes = 0;
  world.cases.hooks = {
    before: ({ operation }) => (operation === "write" && (writes += 1) > 1 ? "lost" : undefined),
  };
  expect(await erase(world)).toBe("again");
  world.cases.hooks = {};
  await world.post(2, { amended: true });
  await world.run();
  expect(world.keyed.received).toHaveLength(1);
  expect(await erase(world)).toBe("erased");
  expect(JSON.stringify(await world.effects())).not.toContain("T-1");
  expect(await world.record()).toMatchObject({ facts: {}, status: "done" });
});

test("a hundred reports of an erased case are folded in batches that a store takes, without their words", async () => {
  const world = newWorld({ decide: () => planOf([credit]) });
  await world.post(1);
  await world.run();
  expect(await erase(world)).toBe("erased");
  await reported(world, 120);
  await world.turn();
  expect((await world.cases.read(key)).snapshot.findings).toEqual([]);
  const findings = world.cases.stored(key).filter(({ type }) => type === "finding");
  expect(findings).toHaveLength(120);
  expect(JSON.stringify(findings)).not.toContain("T-1");
});
