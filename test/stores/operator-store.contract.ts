// What the operators' queries must do: run against memory and against Cosmos DB's protocol.
import { beforeEach, describe, expect, test } from "vitest";
import type { CaseKey } from "../../shared/domain/identity.ts";
import type { ArchivedLetter } from "../../shared/domain/records/archived-letter.ts";
import type { Approval } from "../../shared/domain/records/approval.ts";
import { schemaVersion } from "../../shared/domain/records/evidence.ts";
import type { OperatorRecord } from "../../shared/domain/records/operator-record.ts";
import type { OperatorStore, PageOf, Position } from "../../shared/stores/operator-ports.ts";
import { aCase, anEffect, aReview, newCaseKey } from "./documents.ts";

export interface OperatorStoreUnderTest {
  store: OperatorStore;
  plant: (document: { id: string; tenantId: string; caseId: string }) => Promise<void>;
}

const baseMs = 1_800_000_000_000;

export function operatorStoreContract(open: () => OperatorStoreUnderTest): void {
  describe("an operator store", () => {
    let { store, plant } = {} as OperatorStoreUnderTest;
    let tenantId = "";
    beforeEach(() => {
      ({ store, plant } = open());
      ({ tenantId } = newCaseKey());
    });
    const keyOfTenant = (): CaseKey => ({ ...newCaseKey(), tenantId });

    test("finds cases newest first, by every condition, and none of another tenant", async () => {
      const [a, b, c] = [keyOfTenant(), keyOfTenant(), keyOfTenant()];
      const held = { reason: "Poison", detail: "d", reviewRef: "review:case:1" } as const;
      await plant(aCase(a, { openedAtMs: baseMs + 1, externalRef: "INV-1" }));
      await plant(aCase(b, { openedAtMs: baseMs + 2, externalRef: "INV-2", status: "done" }));
      await plant(
        aCase(c, {
          openedAtMs: baseMs + 3,
          externalRef: "ORD-3",
          held,
          workflow: { type: "other", revision: 1 },
          plan: { decidedOn: 4, operationIds: [], nextStatus: "x", notifications: [] },
        }),
      );
      await plant(aCase(newCaseKey(), { openedAtMs: baseMs + 2 }));
      const found = async (
        wanted: Omit<Parameters<OperatorStore["searchCases"]>[0], "tenantId" | "max">,
      ) =>
        (await store.searchCases({ tenantId, max: 10, ...wanted })).rows.map(
          ({ caseId }) => caseId,
        );
      expect(await found({})).toEqual([c.caseId, b.caseId, a.caseId]);
      expect(await found({ status: "open" })).toEqual([c.caseId, a.caseId]);
      expect(await found({ workflow: "other" })).toEqual([c.caseId]);
      expect(await found({ externalRef: "INV-" })).toEqual([b.caseId, a.caseId]);
      expect(await found({ externalRef: "INV-1" })).toEqual([a.caseId]);
      expect(await found({ held: true })).toEqual([c.caseId]);
      expect(await found({ held: false, status: "done" })).toEqual([b.caseId]);
      expect(await found({ openedBeforeMs: baseMs + 3, openedAfterMs: baseMs + 2 })).toEqual([
        b.caseId,
      ]);
      const [row] = await store.caseRows(tenantId, [c.caseId]);
      expect(row).toMatchObject({ caseId: c.caseId, externalRef: "ORD-3", held, decidedOn: 4 });
      expect(Object.keys(row ?? {})).not.toContain("facts");
      expect(await store.caseRows(tenantId, [])).toEqual([]);
    });

    test("pages show each row once, also when rows share a time", async () => {
      const times = [3, 2, 2, 2, 2, 1];
      const keys = times.map(() => keyOfTenant());
      for (const [index, key] of keys.entries()) {
        await plant(aCase(key, { openedAtMs: baseMs + (times[index] ?? 0) }));
      }
      const shown = await everyPage((after) => store.searchCases({ tenantId, max: 2, after }));
      expect(shown.map(({ openedAtMs }) => openedAtMs - baseMs)).toEqual(times);
      expect(new Set(shown.map(({ caseId }) => caseId)).size).toBe(keys.length);
    });

    test("keeps an archived dead letter once, and shows those of a tenant, newest first", async () => {
      const letter = (key: CaseKey, atMs: number): ArchivedLetter => ({
        id: `deadLetter:${atMs}`,
        type: "deadLetter",
        schemaVersion,
        ...key,
        queue: "cases",
        sequenceNumber: "7",
        messageId: "m",
        deliveryCount: 10,
        resubmitCount: 0,
        how: "archived",
        by: "ana",
        why: "done by hand",
        atMs,
        content: { body: { kind: "text", text: "{}" }, properties: { n: 1 } },
      });
      const [a, b] = [keyOfTenant(), keyOfTenant()];
      expect(await store.archiveLetter(letter(a, baseMs))).toBe("created");
      expect(await store.archiveLetter(letter(a, baseMs))).toBe("exists");
      await store.archiveLetter(letter(b, baseMs + 1));
      const { rows } = await store.archivedLetters({ tenantId, max: 10 });
      expect(rows).toEqual([letter(b, baseMs + 1), letter(a, baseMs)]);
    });

    test("shows what is started, with its start and its time limit, and nothing else", async () => {
      const [a, b] = [keyOfTenant(), keyOfTenant()];
      const attempts = [
        { n: 1, fence: 1, claimedAtMs: 1, callTimeoutMs: 700, leftBefore: false },
        { n: 2, fence: 2, claimedAtMs: 1, callTimeoutMs: 900, leftBefore: true },
      ];
      const started = { ...anEffect(a), status: "started", attempts };
      await plant(started);
      await plant(anEffect(b));
      const mine = (await store.startedEffects(1000)).filter((one) => one.tenantId === tenantId);
      expect(mine).toMatchObject([{ caseId: a.caseId, callTimeoutMs: 900 }]);
      expect(mine[0]?.startedAtMs).toBeGreaterThan(0);
      expect(await store.startedEffects(0)).toEqual([]);
    });

    test("shows open reviews of one kind, oldest first", async () => {
      const [a, b, c] = [keyOfTenant(), keyOfTenant(), keyOfTenant()];
      await plant(aReview(a, { openedAtMs: baseMs + 2 }));
      await plant(aReview(b, { openedAtMs: baseMs + 1 }));
      await plant(
        aReview(c, { resolution: { how: "seen", by: "ana", atMs: 1 }, openedAtMs: baseMs }),
      );
      await plant(aReview(c, { id: "review:x:2", kind: "NoGrant", openedAtMs: baseMs }));
      await plant(aReview(newCaseKey(), { openedAtMs: baseMs }));
      const shown = await everyPage((after) =>
        store.openReviews({ tenantId, kind: "CaseHeld", max: 1, after }),
      );
      expect(shown.map(({ caseId }) => caseId)).toEqual([b.caseId, a.caseId]);
    });

    test("shows approvals that nobody has answered and that still stand, oldest first", async () => {
      const key = keyOfTenant();
      const answer = { answerId: "1", decision: "approve", by: "ana", atMs: 1 } as const;
      await plant(anApproval(key, { n: 1, askedAtMs: baseMs + 2 }));
      await plant(anApproval(key, { n: 2, askedAtMs: baseMs + 1 }));
      await plant(anApproval(key, { n: 3, answer }));
      await plant(anApproval(key, { n: 4, expiresAtMs: baseMs + 10 }));
      const { rows, next } = await store.openApprovals({ tenantId, max: 10, nowMs: baseMs + 10 });
      expect(rows.map(({ n }) => n)).toEqual([2, 1]);
      expect(next).toBeUndefined();
    });

    test("counts how the tenant stands, and nothing of another tenant", async () => {
      const [a, b] = [keyOfTenant(), keyOfTenant()];
      const held = { reason: "Poison", detail: "d", reviewRef: "review:case:1" } as const;
      await plant(aCase(a, { held, dueAtMs: baseMs }));
      await plant(aCase(b, { dueAtMs: baseMs + 2 }));
      await plant(aReview(a));
      await plant(aReview(b, { resolution: { how: "seen", by: "ana", atMs: 1 } }));
      await plant(anApproval(a, { n: 1, expiresAtMs: baseMs + 2 }));
      await plant(anApproval(a, { n: 2, expiresAtMs: baseMs + 1 }));
      const unknown = { status: "unknown", reason: "silence", unknownSinceMs: baseMs - 7 } as const;
      const older = { ...unknown, unknownSinceMs: baseMs - 9 };
      await plant(anEffectOf(a, 1, unknown));
      await plant(anEffectOf(a, 2, older));
      await plant(anEffectOf(b, 3, { ...unknown, unknownSinceMs: 1, abandonedBy: "ana" }));
      await plant(anEffectOf(b, 4, { status: "confirmed", attempts: [{}, {}] }));
      await plant(anEffectOf(b, 5, { status: "confirmed", attempts: [{}] }));
      const elsewhere = newCaseKey();
      await plant(aReview(elsewhere));
      await plant(anEffectOf(elsewhere, 1, unknown));
      const now = await store.overview({ tenantId, nowMs: baseMs + 1, sinceMs: 0 });
      expect(now).toEqual({
        openReviews: 1,
        heldCases: 1,
        openApprovals: 1,
        unknown: { count: 2, oldestSinceMs: baseMs - 9 },
        effects: { prepared: 0, started: 0, confirmed: 2, rejected: 0, unknown: 3, cancelled: 0 },
        confirmedAfterRetry: 1,
        workDue: 1,
      });
    });

    test("keeps what people did, newest first, with the first outcome that it came to", async () => {
      const [a, b] = [keyOfTenant(), keyOfTenant()];
      const first = aRecord(a, { atMs: baseMs + 1 });
      const second = aRecord(b, { atMs: baseMs + 2 });
      expect(await store.createRecord(first)).toBe("created");
      expect(await store.createRecord({ ...first, by: "eve" })).toBe("exists");
      expect(await store.createRecord(second)).toBe("created");
      const done = { kind: "done", atMs: baseMs + 3 } as const;
      await store.finishRecord({ ...first, outcome: { kind: "unanswered", atMs: baseMs + 2 } });
      await store.finishRecord({ ...first, outcome: done });
      await store.finishRecord({ ...first, outcome: { kind: "refused", atMs: baseMs + 4 } });
      const { rows } = await store.records({ tenantId, max: 10 });
      expect(rows).toEqual([second, { ...first, outcome: done }]);
      expect(await store.recordsOf(b)).toEqual([second]);
    });
  });
}

async function everyPage<Row>(
  read: (after: Position | undefined) => Promise<PageOf<Row>>,
): Promise<Row[]> {
  const shown: Row[] = [];
  let after: Position | undefined;
  do {
    const page = await read(after);
    shown.push(...page.rows);
    after = page.next;
  } while (after !== undefined);
  return shown;
}

/** Only what is counted. */
function anEffectOf(key: CaseKey, n: number, change: Record<string, unknown>) {
  return { ...key, id: `effect:${n}`, type: "effect", attempts: [], ...change };
}

function anApproval(key: CaseKey, change: Partial<Approval>): Approval {
  return {
    id: `approval:1:${change.n ?? 1}`,
    type: "approval",
    schemaVersion,
    ...key,
    version: 1,
    n: 1,
    operationId: "op",
    payloadDigest: "d",
    factsDigest: "f",
    action: "a.v1",
    target: "t",
    consequence: "twice",
    requestedBy: "source:erp",
    askedAtMs: baseMs,
    expiresAtMs: baseMs + 1000,
    ...change,
  };
}

function aRecord(key: CaseKey, change: Partial<OperatorRecord>): OperatorRecord {
  return {
    id: "operatorRecord:1",
    type: "operatorRecord",
    schemaVersion,
    ...key,
    action: "resolve-review",
    subject: "review:case:1",
    by: "ana",
    reason: "looked",
    details: { how: "release", forced: false, n: 1 },
    atMs: baseMs,
    outcome: { kind: "asked", atMs: baseMs },
    ...change,
  };
}
