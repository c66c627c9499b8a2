// The change feed in its latest-version mode. Rules from Microsoft Learn: "Change feed in Azure Cosmos DB", "Change feed modes",
// "Change feed pull model".
import { ChangeFeedStartFrom } from "@azure/cosmos";
import type { ChangeFeedIteratorOptions, OperationInput } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { account, freshKey, until } from "./account.ts";

const cosmos = await account();
const cases = cosmos.container("cases");

interface Change {
  id: string;
  tenantId: string;
  caseId: string;
  v?: number;
  _lsn: number;
}

/** Reads until every range has nothing more; gives the changes page by page, and where to go on. */
async function follow(options: ChangeFeedIteratorOptions) {
  const iterator = cases.items.getChangeFeedIterator<Change>(options);
  const pages: Change[][] = [];
  const ranges = (await cases.getFeedRanges()).length;
  let idle = 0;
  let token = "";
  while (idle < ranges) {
    const page = await iterator.readNext();
    token = page.continuationToken;
    idle = page.statusCode === 304 ? idle + 1 : 0;
    if (page.statusCode !== 304) pages.push(page.result);
  }
  return { pages, changes: pages.flat(), token };
}

function create(tenantId: string, caseId: string, id: string): OperationInput {
  return { operationType: "Create", resourceBody: { id, tenantId, caseId } };
}

const scope = (tenantId: string, caseId: string) =>
  ChangeFeedStartFrom.Beginning([tenantId, caseId]);

const create1 = (tenantId: string, caseId: string, id: string) =>
  cases.items.create({ id, tenantId, caseId });

describe("the change feed", () => {
  test("gives each item once, in its last version", async () => {
    const tenantId = freshKey();
    for (const v of [1, 2, 3]) await cases.items.upsert({ id: "a", tenantId, caseId: "1", v });
    const { changes } = await follow({ changeFeedStartFrom: scope(tenantId, "1") });
    expect(changes.map(({ id, v }) => [id, v])).toEqual([["a", 3]]);
  });

  test("is in the order of the last changes within a partition key", async () => {
    const tenantId = freshKey();
    for (const id of ["a", "b", "c"]) await create1(tenantId, "1", id);
    await cases.item("a", [tenantId, "1"]).patch([{ op: "set", path: "/v", value: 2 }]);
    const { changes } = await follow({ changeFeedStartFrom: scope(tenantId, "1") });
    expect(changes.map(({ id }) => id)).toEqual(["b", "c", "a"]);
  });

  test("does not show deletes", async () => {
    const tenantId = freshKey();
    for (const id of ["a", "b"]) await create1(tenantId, "1", id);
    await cases.item("b", [tenantId, "1"]).delete();
    const { changes } = await follow({ changeFeedStartFrom: scope(tenantId, "1") });
    expect(changes.map(({ id }) => id)).toEqual(["a"]);
  });

  test("gives the changes of a transaction together, under one sequence number", async () => {
    const tenantId = freshKey();
    for (const batch of ["x", "y", "z"]) {
      const operations = ["1", "2", "3"].map((n) => create(tenantId, "1", `${batch}${n}`));
      await cases.items.batch(operations, [tenantId, "1"]);
    }
    const { pages } = await follow({
      changeFeedStartFrom: scope(tenantId, "1"),
      maxItemCount: 2,
    });
    const batches = pages.map((page) => page.map(({ id }) => id).toSorted());
    expect(batches.every((ids) => ids.length % 3 === 0)).toBe(true);
    expect(batches.flat()).toEqual(["x1", "x2", "x3", "y1", "y2", "y3", "z1", "z2", "z3"]);
    const numbers = Map.groupBy(pages.flat(), (change) => change._lsn);
    expect([...numbers.values()].map(({ length }) => length)).toEqual([3, 3, 3]);
  });

  test("reads one partition key alone", async () => {
    const tenantId = freshKey();
    for (const caseId of ["1", "2"]) await create1(tenantId, caseId, "e");
    const { changes } = await follow({ changeFeedStartFrom: scope(tenantId, "2") });
    expect(changes.map(({ caseId }) => caseId)).toEqual(["2"]);
  });

  test("reads a prefix of a hierarchical key", async () => {
    const [tenantId, other] = [freshKey(), freshKey()];
    for (const caseId of ["1", "2"]) await create1(tenantId, caseId, "e");
    await create1(other, "3", "e");
    const prefix = ChangeFeedStartFrom.Beginning([tenantId]);
    const { changes } = await follow({ changeFeedStartFrom: prefix });
    expect(changes.map(({ caseId }) => caseId).toSorted()).toEqual(["1", "2"]);
  });

  test("reads a whole container, each range of it", async () => {
    const tenants = Array.from({ length: 12 }, freshKey);
    for (const tenantId of tenants) await create1(tenantId, "1", "e");
    const { changes } = await follow({ changeFeedStartFrom: ChangeFeedStartFrom.Beginning() });
    const seen = changes.map(({ tenantId }) => tenantId).filter((id) => tenants.includes(id));
    expect(seen.toSorted()).toEqual(tenants.toSorted());
  });

  test("has feed ranges that cover the container, each item in one of them", async () => {
    const tenants = Array.from({ length: 12 }, freshKey);
    for (const tenantId of tenants) await create1(tenantId, "1", "e");
    const seen: string[] = [];
    for (const range of await cases.getFeedRanges()) {
      const { changes } = await follow({
        changeFeedStartFrom: ChangeFeedStartFrom.Beginning(range),
      });
      seen.push(...changes.map(({ tenantId }) => tenantId));
    }
    const found = seen.filter((id) => tenants.includes(id));
    expect(found.toSorted()).toEqual(tenants.toSorted());
  });

  test("from now on shows nothing older", async () => {
    const tenantId = freshKey();
    await create1(tenantId, "1", "before");
    const now = ChangeFeedStartFrom.Now([tenantId, "1"]);
    const { changes, token } = await follow({ changeFeedStartFrom: now });
    expect(changes).toEqual([]);
    await create1(tenantId, "1", "after");
    const next = await follow({ changeFeedStartFrom: ChangeFeedStartFrom.Continuation(token) });
    expect(next.changes.map(({ id }) => id)).toEqual(["after"]);
  });

  test("goes on from a continuation token, repeating and leaving out nothing", async () => {
    const tenantId = freshKey();
    await create1(tenantId, "1", "a");
    const first = await follow({ changeFeedStartFrom: scope(tenantId, "1") });
    const idle = ChangeFeedStartFrom.Continuation(first.token);
    expect((await follow({ changeFeedStartFrom: idle })).changes).toEqual([]);
    for (const id of ["b", "c"]) await create1(tenantId, "1", id);
    const next = await follow({ changeFeedStartFrom: idle });
    expect(next.changes.map(({ id }) => id)).toEqual(["b", "c"]);
  });

  test("starts at a time (waits)", async () => {
    const tenantId = freshKey();
    const { resource } = await create1(tenantId, "1", "early");
    const { _ts: earlyS = 0 } = resource as { _ts?: number };
    let lateS = earlyS;
    await until("two seconds have passed by the service's clock", async () => {
      const written = await cases.items.upsert({ id: "late", tenantId, caseId: "1" });
      lateS = (written.resource as { _ts?: number } | undefined)?._ts ?? 0;
      return lateS > earlyS + 1;
    });
    const since = ChangeFeedStartFrom.Time(new Date(lateS * 1000), [tenantId, "1"]);
    const { changes } = await follow({ changeFeedStartFrom: since });
    expect(changes.map(({ id }) => id)).toEqual(["late"]);
  });

  test("gives an item that was changed meanwhile only where it was changed last", async () => {
    const tenantId = freshKey();
    for (const id of ["a", "b"]) await create1(tenantId, "1", id);
    const options = { changeFeedStartFrom: scope(tenantId, "1"), maxItemCount: 1 };
    const iterator = cases.items.getChangeFeedIterator<Change>(options);
    const [first] = (await iterator.readNext()).result;
    expect(first?.id).toBe("a");
    await cases.items.upsert({ id: "a", tenantId, caseId: "1", v: 2 });
    const rest: string[] = [];
    for (let page = await iterator.readNext(); page.statusCode !== 304;) {
      rest.push(...page.result.map(({ id }) => id));
      page = await iterator.readNext();
    }
    expect(rest).toEqual(["b", "a"]);
  });
});
