// What every ReportStore must do: run against memory and against Cosmos DB's protocol.
import { beforeEach, describe, expect, test } from "vitest";
import type { Report } from "../../shared/domain/records/report.ts";
import type { CaseStore, ReportStore } from "../../shared/stores/ports.ts";
import { aBatch, anEffect, aReport, committed, newCaseKey } from "./documents.ts";

export function reportStoreContract(open: () => { store: ReportStore; cases: CaseStore }): void {
  describe("a report store", () => {
    let { store, cases } = {} as ReturnType<typeof open>;
    beforeEach(() => {
      ({ store, cases } = open());
    });

    describe("an effect that bears a provider's key", () => {
      const wanted = { provider: "supplier-portal", providerKey: "the-key" };

      test("is found in whichever case of the tenant it is, and nowhere else", async () => {
        const tenantId = newCaseKey().tenantId;
        const ours = { ...newCaseKey(), tenantId };
        // A tenant id that begins as ours does is another tenant (cases.md 17).
        const others = { ...newCaseKey(), tenantId: `${tenantId}0` };
        const effect = anEffect(ours, wanted);
        const unkeyed = anEffect(ours, { ordinal: 1, providerKey: "another-key" });
        await committed(cases, aBatch(ours, { creates: [effect, unkeyed] }));
        await committed(cases, aBatch(others, { creates: [anEffect(others, wanted)] }));
        await committed(cases, aBatch({ ...newCaseKey(), tenantId }));
        expect(await store.effectsByProviderKey({ tenantId, ...wanted })).toEqual([
          { ...ours, operationId: effect.operationId },
        ]);
      });

      test("of another provider is not the one", async () => {
        const key = newCaseKey();
        const effect = anEffect(key, { ...wanted, provider: "crm" });
        await committed(cases, aBatch(key, { creates: [effect] }));
        const { tenantId } = key;
        expect(await store.effectsByProviderKey({ tenantId, ...wanted })).toEqual([]);
      });

      test("in two cases is shown twice", async () => {
        const one = newCaseKey();
        const two = { ...newCaseKey(), tenantId: one.tenantId };
        for (const key of [one, two]) {
          await committed(cases, aBatch(key, { creates: [anEffect(key, wanted)] }));
        }
        const { tenantId } = one;
        expect(await store.effectsByProviderKey({ tenantId, ...wanted })).toHaveLength(2);
      });
    });

    describe("a report", () => {
      test("is created once, and is in no case's way", async () => {
        const report = aReport(newCaseKey().tenantId);
        expect(await store.create(report)).toBe("created");
        expect(await store.create(report)).toBe("exists");
        expect(await store.list({ tenantId: report.tenantId, max: 9 })).toEqual([report]);
        expect(
          await cases.due({ nowMs: Number.MAX_SAFE_INTEGER, max: 500, from: "oldest" }),
        ).not.toContainEqual(expect.objectContaining({ tenantId: report.tenantId }));
      });

      test("is due from its time on, oldest first, at most so many", async () => {
        const tenantId = newCaseKey().tenantId;
        // In the past of everything else that shares the store.
        const times = [1030, 1010, 1020, 1050];
        const reports = times.map((retryAtMs) => aReport(tenantId, { retryAtMs }));
        for (const report of reports) await store.create(report);
        const dueIds = async (max: number) =>
          (await store.due({ nowMs: 1040, max })).map(({ report }) => report.retryAtMs);
        expect(await dueIds(10)).toEqual([1010, 1020, 1030]);
        expect(await dueIds(2)).toEqual([1010, 1020]);
        for (const { report, etag } of await store.due({ nowMs: 1050, max: 10 })) {
          await store.replace(given(report), etag);
        }
      });

      test("that cannot be read keeps no other from being looked at", async () => {
        const { tenantId } = newCaseKey();
        // After everything else that shares the store.
        const good = aReport(tenantId, { retryAtMs: 9_000_000_000_001 });
        const broken = { ...aReport(tenantId, { retryAtMs: 9_000_000_000_000 }), looks: "many" };
        await store.create(broken as never);
        await store.create(good);
        const due = await store.due({ nowMs: 9_000_000_000_002, max: 100 });
        expect(due.map(({ report }) => report.id)).toContain(good.id);
      });

      test("is replaced by the one who read it last, and then is due no more", async () => {
        const report = aReport(newCaseKey().tenantId, { retryAtMs: 500 });
        await store.create(report);
        const [read] = await store.due({ nowMs: 500, max: 1 });
        expect(read?.report).toEqual(report);
        const etag = read?.etag ?? "";
        expect(await store.replace(given(report), etag)).toBe("replaced");
        expect(await store.replace(report, etag)).toBe("superseded");
        expect(await store.due({ nowMs: 500, max: 1 })).toEqual([]);
        expect(await store.list({ tenantId: report.tenantId, max: 9 })).toEqual([given(report)]);
      });

      test("that was matched is listed no more", async () => {
        const report = aReport(newCaseKey().tenantId, { retryAtMs: 400 });
        await store.create(report);
        const [read] = await store.due({ nowMs: 400, max: 1 });
        const { retryAtMs: _past, ...rest } = report;
        const matched = { kind: "matched", atMs: 1, caseId: "c", operationId: "o" } as const;
        await store.replace({ ...rest, outcome: matched }, read?.etag ?? "");
        expect(await store.list({ tenantId: report.tenantId, max: 9 })).toEqual([]);
      });
    });
  });
}

function given(report: Report): Report {
  const { retryAtMs: _past, ...rest } = report;
  return { ...rest, outcome: { kind: "unmatched", atMs: 9, found: 0 }, ttl: 3600 };
}
