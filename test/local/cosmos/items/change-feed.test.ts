import { ChangeFeedStartFrom } from "@azure/cosmos";
import type { ChangeFeedIteratorOptions, OperationInput } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { failureOf, situation } from "../fixture.ts";

const cosmos = await situation();
const cases = cosmos.container("cases");

interface Change {
  id: string;
  tenantId: string;
  caseId: string;
  v?: number;
  _lsn: number;
}

/** Reads until the feed has nothing more; gives the changes page by page, and where to go on. */
async function follow(options: ChangeFeedIteratorOptions) {
  const iterator = cases.items.getChangeFeedIterator<Change>(options);
  const pages: Change[][] = [];
  for (;;) {
    const page = await iterator.readNext();
    if (page.statusCode === 304)
      return { pages, changes: pages.flat(), token: page.continuationToken };
    pages.push(page.result);
  }
}

function create(tenantId: string, caseId: string, id: string): OperationInput {
  return { operationType: "Create", resourceBody: { id, tenantId, caseId } };
}

const scope = (tenantId: string, caseId: string) =>
  ChangeFeedStartFrom.Beginning([tenantId, caseId]);

describe("the change feed", () => {
  test("gives each item once, in its last version, in the order of its last change", async () => {
    for (const id of ["a", "b", "c"]) {
      await cases.items.create({ id, tenantId: "order", caseId: "1", v: 1 });
    }
    await cases.item("a", ["order", "1"]).patch([{ op: "set", path: "/v", value: 2 }]);
    await cases.item("b", ["order", "1"]).delete();
    const { changes } = await follow({ changeFeedStartFrom: scope("order", "1") });
    expect(changes.map(({ id, v }) => [id, v])).toEqual([
      ["c", 1],
      ["a", 2],
    ]);
  });

  test("never splits a transaction, whose items share one LSN", async () => {
    for (const batch of ["x", "y", "z"]) {
      const operations = ["1", "2", "3"].map((n) => create("whole", "1", `${batch}${n}`));
      await cases.items.batch(operations, ["whole", "1"]);
    }
    const { pages } = await follow({
      changeFeedStartFrom: scope("whole", "1"),
      maxItemCount: 2,
    });
    expect(pages.map((page) => page.map(({ id }) => id))).toEqual([
      ["x1", "x2", "x3"],
      ["y1", "y2", "y3"],
      ["z1", "z2", "z3"],
    ]);
    for (const page of pages) expect(new Set(page.map((each) => each._lsn)).size).toBe(1);
  });

  test("reads a prefix of the key, or the whole container", async () => {
    for (const tenantId of ["pre", "prefix"]) {
      for (const caseId of ["1", "2"]) await cases.items.create({ id: "e", tenantId, caseId });
    }
    const prefix = await follow({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning(["pre"]) });
    expect(prefix.changes.map(({ tenantId, caseId }) => tenantId + caseId)).toEqual([
      "pre1",
      "pre2",
    ]);
    const all = await follow({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning() });
    expect(all.changes.length).toBeGreaterThan(prefix.changes.length);
    const lsns = all.changes.map((change) => change._lsn);
    expect(lsns).toEqual(lsns.toSorted((left, right) => left - right));
  });

  test("starts at now, and goes on from where a reader stopped", async () => {
    await cases.items.create({ id: "before", tenantId: "now", caseId: "1" });
    const idle = await follow({ changeFeedStartFrom: ChangeFeedStartFrom.Now() });
    expect(idle.changes).toEqual([]);
    await cases.items.create({ id: "after", tenantId: "now", caseId: "1" });
    const next = await follow({
      changeFeedStartFrom: ChangeFeedStartFrom.Continuation(idle.token),
    });
    expect(next.changes.map(({ id }) => id)).toEqual(["after"]);
    const again = ChangeFeedStartFrom.Continuation(next.token);
    expect((await follow({ changeFeedStartFrom: again })).changes).toEqual([]);
  });

  test("starts at a time, by the server's clock", async () => {
    await cases.items.create({ id: "early", tenantId: "time", caseId: "1" });
    await cosmos.local.skewClock(60_000);
    await cases.items.create({ id: "late", tenantId: "time", caseId: "1" });
    await cosmos.local.skewClock(0);
    const since = new Date(Date.now() + 30_000);
    const { changes } = await follow({ changeFeedStartFrom: ChangeFeedStartFrom.Time(since) });
    expect(changes.map(({ id }) => id)).toEqual(["late"]);
  });

  test("has no mode with all versions and deletes", async () => {
    const iterator = cases.items.getChangeFeedIterator({
      changeFeedMode: "Full-Fidelity Feed" as never,
    });
    expect((await failureOf(iterator.readNext())).code).toBe(400);
  });
});
