// The memory store under the contract, and the faults that only it can stage for flow tests and the simulation.
import { describe, expect, test } from "vitest";
import { memoryCases } from "../memory/memory-cases.ts";
import { caseStoreContract } from "./case-store.contract.ts";
import { aBatch, aCase, anEffect, anEvent, newCaseKey, committed } from "./documents.ts";

caseStoreContract(() => {
  const store = memoryCases({ nowMs: () => Date.now() });
  return {
    store,
    plant: async (document) => {
      const { tenantId, caseId } = document;
      store.plant({ tenantId, caseId }, document);
    },
  };
});

describe("a write in memory that gets no answer", () => {
  const nowMs = () => 1_800_000_000_000;

  test("and is lost lands when it is sent again", async () => {
    const store = memoryCases({ nowMs });
    const batch = aBatch(newCaseKey());
    store.hooks = { before: () => "lost" };
    expect(await store.write(batch)).toMatchObject({ kind: "uncertain" });
    store.hooks = {};
    expect(await store.write(batch)).toMatchObject({ kind: "committed" });
  });

  test("and landed says so when it is sent again", async () => {
    const store = memoryCases({ nowMs });
    const batch = aBatch(newCaseKey());
    store.hooks = { after: () => "unanswered" };
    expect(await store.write(batch)).toMatchObject({ kind: "uncertain" });
    store.hooks = {};
    expect(await store.write(batch)).toEqual({ kind: "alreadyWritten" });
  });

  test("and lands late can no longer land after another's write", async () => {
    const store = memoryCases({ nowMs });
    const key = newCaseKey();
    const opened = await committed(store, aBatch(key));
    store.hooks = { before: ({ operation }) => (operation === "write" ? "late" : undefined) };
    const late = aBatch(key, { caseEtag: opened, caseDocument: aCase(key, { version: 7 }) });
    expect(await store.write(late)).toMatchObject({ kind: "uncertain" });
    store.hooks = {};
    const others = await committed(store, aBatch(key, { caseEtag: opened }));
    expect(store.landLate()).toBe(0);
    expect(await store.write(late)).toEqual({ kind: "superseded" });
    expect((await store.read(key)).caseEtag).toBe(others);
  });

  test("and lands late meets itself when it was sent again before", async () => {
    const store = memoryCases({ nowMs });
    const event = anEvent(newCaseKey());
    store.hooks = { before: () => "late" };
    expect(await store.createEvent(event)).toBe("uncertain");
    store.hooks = {};
    expect(await store.createEvent(event)).toBe("created");
    expect(store.landLate()).toBe(0);
  });

  test("because its worker died after it has landed all the same", async () => {
    const store = memoryCases({ nowMs });
    const batch = aBatch(newCaseKey());
    store.hooks = {
      after: () => {
        throw new Error("the worker died");
      },
    };
    await expect(store.write(batch)).rejects.toThrow("the worker died");
    store.hooks = {};
    expect((await store.read(batch.key)).snapshot.case?.version).toBe(0);
  });
});

describe("a reader that lags behind", () => {
  test("sees the partition as it was, and its write is superseded", async () => {
    const store = memoryCases({ nowMs: () => 1_800_000_000_000 });
    const behind = store.reader({ lagVersions: 1 });
    const key = newCaseKey();
    const opened = await committed(store, aBatch(key));
    expect((await behind.read(key)).caseEtag).toBeUndefined();
    await committed(store, aBatch(key, { caseEtag: opened, creates: [anEffect(key)] }));
    const { snapshot, caseEtag } = await behind.read(key);
    expect(snapshot.effects).toEqual([]);
    expect(caseEtag).toBe(opened);
    expect(await behind.write(aBatch(key, { caseEtag }))).toEqual({ kind: "superseded" });
  });
});

describe("the feed of the memory store", () => {
  test("shows the latest version of each document once, from a position on", async () => {
    const store = memoryCases({ nowMs: () => 1_800_000_000_000 });
    const key = newCaseKey();
    const opened = await committed(store, aBatch(key));
    const first = store.changesSince(0);
    expect(first.documents.map(({ type }) => type)).toEqual(["log", "case"]);
    const second = await committed(store, aBatch(key, { caseEtag: opened }));
    await committed(store, aBatch(key, { caseEtag: second, creates: [anEffect(key)] }));
    const { documents, position } = store.changesSince(first.position);
    expect(documents).toHaveLength(4);
    expect(documents.filter(({ type }) => type === "case")).toHaveLength(1);
    expect(store.changesSince(position).documents).toEqual([]);
  });
});
