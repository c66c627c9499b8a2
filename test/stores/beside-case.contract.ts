// What is kept beside a case and ends by itself: checkpoints and payloads. A part of what every CaseStore must do.
import { beforeEach, describe, expect, test } from "vitest";
import type { CaseStore } from "../../shared/stores/ports.ts";
import {
  aBatch,
  aCheckpoint,
  anEffect,
  aPayload,
  aRefusal,
  committed,
  newCaseKey,
} from "./documents.ts";

export interface StoreUnderTest {
  store: CaseStore;
  /** Puts a document there as some other version of the app might have. */
  plant: (document: { id: string; tenantId: string; caseId: string }) => Promise<void>;
}

export function besideCaseContract(open: () => StoreUnderTest): void {
  let { store, plant } = {} as StoreUnderTest;
  beforeEach(() => {
    ({ store, plant } = open());
  });

  describe("a checkpoint", () => {
    test("is read as it was created, once, and moves neither the case nor what is read of it", async () => {
      const key = newCaseKey();
      const caseEtag = await committed(store, aBatch(key));
      const checkpoint = aCheckpoint(key);
      expect(await store.readCheckpoint(key, checkpoint.id)).toBeUndefined();
      expect(await store.createCheckpoint(checkpoint)).toBe("created");
      expect(await store.createCheckpoint({ ...checkpoint, value: "other" })).toBe("exists");
      expect(await store.readCheckpoint(key, checkpoint.id)).toEqual(checkpoint);
      expect(await store.head(key)).toMatchObject({ caseEtag, unfolded: [] });
      expect((await store.read(key)).snapshot.newerSchema).toBe(false);
      expect((await store.history(key))?.log).toHaveLength(1);
    });

    test.each([{ version: "one" }, { schemaVersion: 99 }])(
      "with %o cannot be read, and says so",
      async (change) => {
        const key = newCaseKey();
        const checkpoint = aCheckpoint(key);
        await plant({ ...checkpoint, ...change });
        await expect(store.readCheckpoint(key, checkpoint.id)).rejects.toThrow(/newer|schema/i);
      },
    );
  });

  describe("a payload", () => {
    test("is created with its batch, read by its id, and shown by no read of the case", async () => {
      const key = newCaseKey();
      const payload = aPayload(key);
      await committed(store, aBatch(key, { creates: [anEffect(key), payload] }));
      expect(await store.readPayload(key, payload.id)).toEqual(payload);
      expect(await store.readPayload(key, "payload:none")).toBeUndefined();
      const shown = [await store.read(key), await store.head(key), await store.history(key)];
      expect(JSON.stringify(shown)).not.toContain(payload.ciphertext);
    });

    test("ends by itself when a batch says so, and keeps all else", async () => {
      const key = newCaseKey();
      const payload = aPayload(key);
      const caseEtag = await committed(store, aBatch(key, { creates: [payload] }));
      const amends = [{ id: payload.id, set: { ttl: 3600 } }];
      const after = await committed(store, aBatch(key, { caseEtag, amends }));
      expect(await store.readPayload(key, payload.id)).toEqual({ ...payload, ttl: 3600 });
      await committed(
        store,
        aBatch(key, { caseEtag: after, amends: [{ id: payload.id, set: { ttl: 1 } }] }),
      );
      await expect
        .poll(() => store.readPayload(key, payload.id), { timeout: 5000 })
        .toBe(undefined);
    });

    test("that is created and ends in one batch does both", async () => {
      const key = newCaseKey();
      const payload = aPayload(key);
      const amends = [{ id: payload.id, set: { ttl: 3600, ciphertext: "" } }];
      await committed(store, aBatch(key, { creates: [payload], amends }));
      const stored = await store.readPayload(key, payload.id);
      expect(stored).toEqual({ ...payload, ttl: 3600, ciphertext: "" });
    });

    test("that has ended already keeps no batch from landing, and is not made anew", async () => {
      const key = newCaseKey();
      const [here, gone] = [aPayload(key, 0), aPayload(key, 1)];
      const caseEtag = await committed(store, aBatch(key, { creates: [here] }));
      const amends = [gone, here].map(({ id }) => ({ id, set: { ttl: 3600 } }));
      const batch = aBatch(key, { caseEtag, amends, creates: [anEffect(key)] });
      await committed(store, batch);
      expect(await store.write(batch)).toEqual({ kind: "alreadyWritten" });
      expect((await store.read(key)).snapshot.effects).toHaveLength(1);
      expect(await store.readPayload(key, here.id)).toMatchObject({ ttl: 3600 });
      expect(await store.readPayload(key, gone.id)).toBeUndefined();
    });

    test("is not touched by a batch that is superseded", async () => {
      const key = newCaseKey();
      const payload = aPayload(key);
      const stale = await committed(store, aBatch(key, { creates: [payload] }));
      await committed(store, aBatch(key, { caseEtag: stale }));
      const amends = [{ id: payload.id, set: { ciphertext: "", ttl: 1 } }];
      expect(await store.write(aBatch(key, { caseEtag: stale, amends }))).toEqual({
        kind: "superseded",
      });
      expect(await store.readPayload(key, payload.id)).toEqual(payload);
    });

    test("that fits no schema is a TerminalFault", async () => {
      const key = newCaseKey();
      const payload = { ...aPayload(key), nonce: 7 };
      await plant(payload);
      await expect(store.readPayload(key, payload.id)).rejects.toMatchObject({
        name: "TerminalFault",
      });
    });

    test("is among what is kept beside a case, with checkpoints and refusals", async () => {
      const key = newCaseKey();
      const beside = [aPayload(key), aCheckpoint(key), aRefusal(key)] as const;
      await committed(store, aBatch(key, { creates: [beside[0], anEffect(key)] }));
      await store.createCheckpoint(beside[1]);
      await store.createRefusal(beside[2]);
      const listed = (await store.passing(key)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const expected = beside.map(({ id, type }) => ({ id, type }));
      expect(listed).toEqual(expected.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
      expect(await store.passing(newCaseKey())).toEqual([]);
    });
  });
}
