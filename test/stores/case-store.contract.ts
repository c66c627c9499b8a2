// What every CaseStore must do: run against memory and against Cosmos DB's protocol.
import { beforeEach, describe, expect, test } from "vitest";
import { digestOf } from "../../shared/domain/canonical-json.ts";
import { findingIdOf, newWriteId } from "../../shared/domain/identity.ts";
import { besideCaseContract, type StoreUnderTest } from "./beside-case.contract.ts";
import {
  aBatch,
  aCase,
  aFinding,
  anEffect,
  anEvent,
  aRefusal,
  aReview,
  committed,
  newCaseKey,
} from "./documents.ts";

export function caseStoreContract(open: () => StoreUnderTest): void {
  describe("a case store", () => {
    let { store, plant } = {} as StoreUnderTest;
    beforeEach(() => {
      ({ store, plant } = open());
    });

    describe("a batch", () => {
      test("shows the case, its effects and its open review under the ETag it was answered with", async () => {
        const key = newCaseKey();
        const effects = [anEffect(key, { ordinal: 1 }), anEffect(key, { ordinal: 0 })];
        const review = aReview(key);
        const batch = aBatch(key, { creates: [...effects, review] });
        const outcome = await store.write(batch);
        const { snapshot, caseEtag, storeMs } = await store.read(key);
        expect(outcome).toMatchObject({ kind: "committed", caseEtag });
        expect(snapshot.case).toEqual(batch.caseDocument);
        expect(snapshot.effects).toEqual([effects[1], effects[0]]);
        expect(snapshot.reviews).toEqual([review]);
        expect(snapshot.newerSchema).toBe(false);
        expect(storeMs).toBeTypeOf("number");
        for (const { operationId } of effects) {
          expect(snapshot.writtenAtMs[operationId]).toBeTypeOf("number");
          expect(snapshot.writtenAtMs[operationId]).toBeLessThanOrEqual(storeMs ?? 0);
        }
      });

      test("that fails in its last operation leaves nothing (cases.md 38)", async () => {
        const key = newCaseKey();
        const first = await committed(store, aBatch(key));
        const effect = anEffect(key, { ordinal: 0 });
        const missing = anEffect(key, { ordinal: 1 });
        const batch = aBatch(key, {
          caseEtag: first,
          caseDocument: aCase(key, { version: 2 }),
          creates: [effect],
          replaces: [missing],
        });
        await expect(store.write(batch)).rejects.toThrow(missing.id);
        const { snapshot, caseEtag } = await store.read(key);
        expect(caseEtag).toBe(first);
        expect(snapshot.case?.version).toBe(0);
        expect(snapshot.effects).toEqual([]);
        expect((await store.history(key))?.log).toHaveLength(1);
      });

      test("that would create what is there already is a defect, and names it", async () => {
        const key = newCaseKey();
        const effect = anEffect(key);
        const caseEtag = await committed(store, aBatch(key, { creates: [effect] }));
        const again = store.write(aBatch(key, { caseEtag, creates: [effect] }));
        await expect(again).rejects.toThrow(effect.id);
        await expect(again).rejects.toMatchObject({ name: "Error" });
      });

      test("sent again after it landed says that it is written already", async () => {
        const key = newCaseKey();
        const opening = aBatch(key);
        const caseEtag = await committed(store, opening);
        const second = aBatch(key, { caseEtag });
        await committed(store, second);
        expect(await store.write(opening)).toEqual({ kind: "alreadyWritten" });
        expect(await store.write(second)).toEqual({ kind: "alreadyWritten" });
      });

      test("of a stale writer is superseded and changes nothing", async () => {
        const key = newCaseKey();
        const stale = await committed(store, aBatch(key));
        const caseDocument = aCase(key, { version: 1 });
        const caseEtag = await committed(store, aBatch(key, { caseEtag: stale, caseDocument }));
        const late = aBatch(key, { caseEtag: stale, creates: [anEffect(key)] });
        expect(await store.write(late)).toEqual({ kind: "superseded" });
        const read = await store.read(key);
        expect(read.caseEtag).toBe(caseEtag);
        expect(read.snapshot.effects).toEqual([]);
      });

      test("that opens a case which another has opened is superseded", async () => {
        const key = newCaseKey();
        const caseEtag = await committed(store, aBatch(key));
        expect(await store.write(aBatch(key))).toEqual({ kind: "superseded" });
        expect((await store.head(key)).caseEtag).toBe(caseEtag);
      });

      test("that replaces a case which is not there is superseded", async () => {
        expect(await store.write(aBatch(newCaseKey(), { caseEtag: '"gone"' }))).toEqual({
          kind: "superseded",
        });
      });

      test("of two sent at once on one ETag, exactly one lands", async () => {
        const key = newCaseKey();
        const caseEtag = await committed(store, aBatch(key));
        const both = await Promise.all([
          store.write(aBatch(key, { caseEtag, caseDocument: aCase(key, { version: 1 }) })),
          store.write(aBatch(key, { caseEtag, caseDocument: aCase(key, { version: 1 }) })),
        ]);
        expect(both.map(({ kind }) => kind).toSorted()).toEqual(["committed", "superseded"]);
        expect((await store.history(key))?.log).toHaveLength(2);
      });

      test("beyond a hundred documents or two megabytes is refused before it is sent", async () => {
        const key = newCaseKey();
        const many = Array.from({ length: 99 }, (_, ordinal) => anEffect(key, { ordinal }));
        const big = anEffect(key, { payload: { text: "x".repeat(2 * 1024 * 1024) } });
        for (const creates of [many, [big]]) {
          await expect(store.write(aBatch(key, { creates }))).rejects.toMatchObject({
            name: "TerminalFault",
          });
        }
        expect(await store.history(key)).toBeUndefined();
      });

      test("of forty effects and their case fits", async () => {
        const key = newCaseKey();
        const creates = Array.from({ length: 40 }, (_, ordinal) => anEffect(key, { ordinal }));
        await committed(store, aBatch(key, { creates }));
        expect((await store.read(key)).snapshot.effects).toEqual(creates);
      });
    });

    describe("a document", () => {
      test("keeps every JSON value as it was frozen", async () => {
        const key = newCaseKey();
        const payload: Record<string, never> = JSON.parse(
          `{"__proto__":{"admin":true},"nested":[{"__proto__":1,"constructor":2}],
            "":"empty key","text":"é é 𝒳 \\u0000 \\u2028 \\" \\\\","numbers":[0,1.5,-1e-7,9007199254740991],
            "big":${JSON.stringify("日本 ".repeat(50_000))},"nothing":null,"list":[]}`,
        );
        const effect = anEffect(key, { payload });
        await committed(store, aBatch(key, { creates: [effect] }));
        const read = (await store.read(key)).snapshot.effects[0];
        expect(JSON.stringify(read?.payload)).toBe(JSON.stringify(payload));
      });

      test("has the digest that it was frozen with after it was stored and read (cases.md 61)", async () => {
        const key = newCaseKey();
        const payload = {
          10: "numeric keys move when they are read",
          9: "and back",
          'a":1,"b': { "c:d": null, c: {} },
          "a\u00AD": 1,
          "\u{1F600}": [1, -0, 1e-7, 0.1],
          "\uFB33": "e\u0301 \u00E9 \u2028",
          ch: { h: [] },
        };
        const payloadDigest = digestOf(payload);
        const effect = anEffect(key, { payload, payloadDigest });
        await committed(store, aBatch(key, { creates: [effect] }));
        const [read] = (await store.read(key)).snapshot.effects;
        expect(digestOf(read?.payload)).toBe(payloadDigest);
      });

      test("has no member that was undefined", async () => {
        const key = newCaseKey();
        const opened = aCase(key, { plan: aPlan, held: undefined });
        const caseEtag = await committed(store, aBatch(key, { caseDocument: opened }));
        const ended = { ...opened, plan: undefined, dueAtMs: undefined };
        await committed(store, aBatch(key, { caseEtag, caseDocument: ended }));
        const fields = Object.keys((await store.read(key)).snapshot.case ?? {});
        expect(fields).toContain("version");
        expect(fields).not.toContain("plan");
        expect(fields).not.toContain("held");
        expect(fields.filter((field) => field.startsWith("_"))).toEqual([]);
      });

      test("of newer code is left out, and the snapshot says so", async () => {
        const key = newCaseKey();
        const effect = anEffect(key, { ordinal: 0 });
        await committed(store, aBatch(key, { creates: [effect] }));
        await plant({ ...anEffect(key, { ordinal: 1 }), schemaVersion: 2 } as never);
        const { snapshot } = await store.read(key);
        expect(snapshot.newerSchema).toBe(true);
        expect(snapshot.effects).toEqual([effect]);
      });

      test("that fits no schema is a fault that names the field and no content", async () => {
        const key = newCaseKey();
        await committed(store, aBatch(key));
        await plant({ ...anEffect(key), target: 7, payload: { secret: "s3cret" } } as never);
        const read = store.read(key);
        await expect(read).rejects.toMatchObject({ name: "TerminalFault" });
        await expect(read).rejects.toThrow("target");
        await expect(read).rejects.not.toThrow("s3cret");
      });
    });

    describe("what arrives", () => {
      test("is created once, however often it is sent", async () => {
        const key = newCaseKey();
        const event = anEvent(key);
        const finding = aFinding(key);
        const refusal = aRefusal(key);
        const sendAll = async () => [
          await store.createEvent(event),
          await store.createFinding(finding),
          await store.createRefusal(refusal),
        ];
        expect(await sendAll()).toEqual(["created", "created", "created"]);
        expect(await sendAll()).toEqual(["exists", "exists", "exists"]);
        expect(await store.readEvent(key, event.id)).toEqual(event);
        expect(await store.readEvent(key, "event:none:0")).toBeUndefined();
      });

      test("is in the head at once, moves no ETag, and is gone from it once folded", async () => {
        const key = newCaseKey();
        const batch = aBatch(key);
        const opened = await committed(store, batch);
        const event = anEvent(key);
        const finding = aFinding(key);
        await store.createEvent(event);
        await store.createFinding(finding);
        const before = await store.head(key);
        expect(before).toMatchObject({
          caseEtag: opened,
          lastWriteId: batch.caseDocument.lastWriteId,
        });
        expect(before.unfolded.toSorted()).toEqual([event.id, finding.id].toSorted());
        expect(before.storeMs).toBeTypeOf("number");

        const folded = { atMs: 1, how: "merged", version: 1 } as const;
        const verdict = { atMs: 1, verdict: "confirmed" };
        const replaces = [
          { ...event, folded, dueAtMs: undefined },
          { ...finding, folded: verdict, dueAtMs: undefined },
        ];
        const caseEtag = await committed(store, aBatch(key, { caseEtag: opened, replaces }));
        expect(await store.head(key)).toMatchObject({ caseEtag, unfolded: [] });
        const { snapshot } = await store.read(key);
        expect([snapshot.events, snapshot.findings]).toEqual([[], []]);
      });

      test("before its case has a head without an ETag", async () => {
        const key = newCaseKey();
        const event = anEvent(key);
        await store.createEvent(event);
        expect(await store.head(key)).toMatchObject({ caseEtag: undefined, unfolded: [event.id] });
        const { snapshot, caseEtag } = await store.read(key);
        expect(caseEtag).toBeUndefined();
        expect(snapshot.case).toBeUndefined();
        expect(snapshot.events).toEqual([event]);
      });

      test("for another case of the same tenant is not seen", async () => {
        const key = newCaseKey();
        await store.createEvent(anEvent({ ...newCaseKey(), tenantId: key.tenantId }));
        expect((await store.head(key)).unfolded).toEqual([]);
        expect((await store.read(key)).snapshot.events).toEqual([]);
      });
    });

    describe("what is due", () => {
      test("comes oldest first, at most so many, across cases, and without what is not due yet", async () => {
        // In the past of everything else that shares the store.
        const baseMs = 1_000_000;
        const [a, b, c] = [newCaseKey(), newCaseKey(), newCaseKey()];
        const operationId = anEffect(a).operationId;
        const claim = { operationId, attempt: 1, fence: 1 };
        await committed(
          store,
          aBatch(a, { caseDocument: aCase(a, { dueAtMs: baseMs + 20, claim }) }),
        );
        await store.createEvent(anEvent(b, { dueAtMs: baseMs + 10 }));
        await store.createFinding(aFinding(c, { dueAtMs: baseMs + 30 }));
        await store.createEvent(anEvent(c, { dueAtMs: baseMs + 41 }));
        await store.createEvent(anEvent(c, { dueAtMs: undefined }));

        const rows = await store.due({ nowMs: baseMs + 40, max: 10, from: "oldest" });
        expect(rows).toEqual([
          {
            ...b,
            documentId: expect.stringContaining("event:"),
            dueAtMs: baseMs + 10,
            hasClaim: false,
          },
          { ...a, documentId: "case", dueAtMs: baseMs + 20, hasClaim: true },
          {
            ...c,
            documentId: expect.stringContaining("finding:"),
            dueAtMs: baseMs + 30,
            hasClaim: false,
          },
        ]);
        expect(await store.due({ nowMs: baseMs + 40, max: 2, from: "oldest" })).toEqual(
          rows.slice(0, 2),
        );
        const newest = await store.due({ nowMs: baseMs + 40, max: 2, from: "newest" });
        expect(newest).toEqual(rows.toReversed().slice(0, 2));
        expect(await store.due({ nowMs: baseMs, max: 10, from: "oldest" })).toEqual([]);
      });
    });

    describe("what is unresolved", () => {
      test("is every unknown effect and every open review, across cases, at most so many", async () => {
        const [a, b] = [newCaseKey(), newCaseKey()];
        const { status: _prepared, ...effect } = anEffect(a);
        const unknown = { ...effect, status: "unknown", reason: "no answer" } as const;
        const other = anEffect(a, { ordinal: 1 });
        const abandoned = { ...unknown, id: other.id, operationId: other.operationId };
        const creates = [
          { ...unknown, unknownSinceMs: 1_800_000_000_001 },
          { ...abandoned, unknownSinceMs: 1_800_000_000_002, abandonedBy: "ana" },
          anEffect(a, { ordinal: 2 }),
        ];
        await committed(store, aBatch(a, { creates }));
        const resolution = { how: "settled", by: "machine", atMs: 1_800_000_000_009 };
        const closed = aReview(b, { id: "review:case:2", resolution });
        await committed(store, aBatch(b, { creates: [aReview(b), closed] }));
        const ours = (await store.unresolved({ max: 2000 })).filter(({ tenantId }) =>
          [a.tenantId, b.tenantId].includes(tenantId),
        );
        expect(ours.toSorted((one, two) => one.sinceMs - two.sinceMs)).toEqual([
          { ...b, kind: "review", sinceMs: 1_800_000_000_000, abandoned: false },
          { ...a, kind: "unknown", sinceMs: 1_800_000_000_001, abandoned: false },
          { ...a, kind: "unknown", sinceMs: 1_800_000_000_002, abandoned: true },
        ]);
        expect(await store.unresolved({ max: 1 })).toHaveLength(1);
      });
    });

    besideCaseContract(open);

    describe("the history of a case", () => {
      test("shows what was folded and resolved too, and every line of the log in time", async () => {
        const key = newCaseKey();
        const folded = { atMs: 5, how: "same", version: 1 } as const;
        const { dueAtMs: _none, ...event } = anEvent(key, { folded });
        const finding = aFinding(key, { folded: { atMs: 6, verdict: "confirmed" } });
        const review = aReview(key, { resolution: { how: "abandoned", by: "ana", atMs: 7 } });
        const opened = aBatch(key, { atMs: 10, creates: [event, finding, review] });
        const caseEtag = await committed(store, opened);
        const second = aBatch(key, { caseEtag, atMs: 9 });
        await committed(store, second);
        await store.createRefusal(aRefusal(key));

        const history = await store.history(key);
        expect(history?.log).toEqual([second.log, opened.log]);
        expect(history?.snapshot).toMatchObject({
          case: { id: "case" },
          events: [event],
          findings: [finding],
          reviews: [review],
        });
        const { snapshot } = await store.read(key);
        expect([snapshot.events, snapshot.findings, snapshot.reviews]).toEqual([[], [], []]);
      });

      test("of a case that never was is nothing", async () => {
        expect(await store.history(newCaseKey())).toBeUndefined();
      });
    });
  });
}

const aPlan = {
  decidedOn: 0,
  operationIds: [findingIdOf("x", newWriteId())],
  nextStatus: "done",
  notifications: [],
};
