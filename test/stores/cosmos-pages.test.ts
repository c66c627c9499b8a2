// What Azure may do to any answer: cut it into pages, between which somebody writes. The real SDK and server, with a
// writer let in after the first page.
import type { Container, SqlQuerySpec } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cosmosCases } from "../../shared/stores/cosmos-cases.ts";
import type { CaseStore } from "../../shared/stores/ports.ts";
import { aBatch, aCase, anEffect, anEvent, newCaseKey, committed } from "./documents.ts";
import { openCosmosWorld, type CosmosWorld } from "./local-cosmos.ts";

let world: CosmosWorld;
let store: CaseStore;
beforeAll(async () => {
  world = await openCosmosWorld();
  store = cosmosCases(world.container("cases"));
});
afterAll(() => world.close());

describe("a case that is written between two pages of its read", () => {
  test("is read again, so that no ETag is newer than the effects beside it", async () => {
    const key = newCaseKey();
    const effect = anEffect(key, { target: "before" });
    const opened = await committed(store, aBatch(key, { creates: [effect] }));
    const reader = pagedReader({
      // Effects first, then the case.
      order: "ORDER BY c.type DESC",
      times: 2,
      between: async (n) => {
        const { caseEtag } = await store.head(key);
        const replaces = [anEffect(key, { target: `after ${n}` })];
        await committed(store, aBatch(key, { caseEtag, replaces }));
      },
    });
    const { snapshot, caseEtag } = await reader.read(key);
    expect(snapshot.effects[0]?.target).toBe("after 2");
    expect(caseEtag).not.toBe(opened);
    expect(await store.write(aBatch(key, { caseEtag }))).toMatchObject({ kind: "committed" });
  });

  test("every time is given up, to be tried again", async () => {
    const key = newCaseKey();
    await committed(store, aBatch(key, { creates: [anEffect(key)] }));
    const reader = pagedReader({
      order: "ORDER BY c.type DESC",
      times: Infinity,
      between: async () => {
        const { caseEtag } = await store.head(key);
        await committed(store, aBatch(key, { caseEtag }));
      },
    });
    await expect(reader.read(key)).rejects.toMatchObject({ name: "TransientFault" });
  });
});

describe("an event that is folded between two pages of the look at a case", () => {
  test("shows in the ETag, as it no longer shows in what is unfolded", async () => {
    const key = newCaseKey();
    const event = anEvent(key);
    const opened = await committed(store, aBatch(key, { creates: [event] }));
    const reader = pagedReader({
      // The case first, then the events.
      order: "ORDER BY c.type",
      times: 1,
      between: async () => {
        const folded = { atMs: 1, how: "merged", version: 1 } as const;
        const caseDocument = aCase(key, { version: 1 });
        const replaces = [{ ...event, folded }];
        await committed(store, aBatch(key, { caseEtag: opened, caseDocument, replaces }));
      },
    });
    const head = await reader.head(key);
    expect(head.unfolded).toEqual([]);
    expect(head.caseEtag).not.toBe(opened);
  });
});

/** A store whose queries give a document a page, in an order, and let somebody in after their first page. */
function pagedReader(options: {
  order: string;
  times: number;
  between: (n: number) => Promise<void>;
}): CaseStore {
  const container = world.container("cases");
  let n = 0;
  const items = new Proxy(container.items, {
    get: (target, property) => (property === "query" ? query : Reflect.get(target, property)),
  });
  function query(spec: SqlQuerySpec, feed: object) {
    const ordered = { ...spec, query: `${spec.query} ${options.order}` };
    const iterator = container.items.query(ordered, feed);
    let isFirst = true;
    return {
      hasMoreResults: () => iterator.hasMoreResults(),
      async fetchNext() {
        const page = await iterator.fetchNext();
        if (isFirst && n < options.times) await options.between((n += 1));
        isFirst = false;
        return page;
      },
    };
  }
  const paged: Container = new Proxy(container, {
    get: (target, property) => (property === "items" ? items : Reflect.get(target, property)),
  });
  return cosmosCases(paged, { pageSize: 1 });
}

describe("a query within one case", () => {
  test("asks for no query plan, which would be half of all requests", async () => {
    const key = newCaseKey();
    await committed(store, aBatch(key, { creates: [anEffect(key)] }));
    const plans = async () =>
      (await world.faults.counts()).find(({ kind }) => kind === "queryPlan")?.count ?? 0;
    const before = await plans();
    expect((await store.read(key)).snapshot.effects).toHaveLength(1);
    await store.head(key);
    expect(await plans()).toBe(before);
  });
});
