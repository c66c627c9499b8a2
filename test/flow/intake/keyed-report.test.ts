// A provider's webhook that echoes nothing but the key it was called under (design.md 7): it finds its one effect in the
// tenant of the source that signed it, now or later, or is kept and shown.
import { describe, expect, test } from "vitest";
import { TerminalFault, TransientFault } from "../../../shared/domain/faults.ts";
import type { CaseKey } from "../../../shared/domain/identity.ts";
import type { EffectOf } from "../../../shared/domain/records/effect.ts";
import { notCompared } from "../../../shared/domain/records/evidence.ts";
import { reportsCaseId } from "../../../shared/flow/intake/record-report.ts";
import { sweep } from "../../../shared/flow/wake/sweep.ts";
import type { SweepPorts } from "../../../shared/flow/wake/sweep-due.ts";
import { retryReports } from "../../../shared/flow/wake/retry-reports.ts";
import { silentTelemetry } from "../../../shared/telemetry/telemetry.ts";
import { supplierPortal } from "../../../shared/providers/supplier-portal.ts";
import { memoryControl } from "../../memory/memory-control.ts";
import { aBatch, anEffect } from "../../stores/documents.ts";
import { intakeWorld, secrets, type Sent } from "./intake-world.ts";

const portal = supplierPortal({ baseUrl: "http://127.0.0.1:1", token: "t" });
const payload = { invoice: "INV-1", amount: "12.50", currency: "EUR", reason: "billed twice" };
const providerKey = "op-key-1";

type PortalWorld = ReturnType<typeof portalWorld>;

function portalWorld() {
  const provider = "supplier-portal";
  const world = intakeWorld(
    {
      "portal-t1": { tenantId: "t1", provider, secrets: [{ name: "one", secret: secrets.t1 }] },
      "portal-t1-b": { tenantId: "t1", provider, secrets: [{ name: "two", secret: secrets.t1 }] },
      "portal-t10": { tenantId: "t10", provider, secrets: [{ name: "ten", secret: secrets.t10 }] },
    },
    [portal],
  );
  const alerts: unknown[] = [];
  const counted: string[] = [];
  const telemetry = {
    ...silentTelemetry,
    count: (name: string) => void counted.push(name),
  };
  const log = {
    info: () => {},
    warn: () => {},
    error: (_message: string, fields: unknown) => void alerts.push(fields),
  };
  return {
    ...world,
    alerts,
    counted,
    async prepare(key: CaseKey, change: Partial<EffectOf<"prepared">> = {}): Promise<void> {
      const creates = [anEffect(key, { payload, providerKey, ...change })];
      await world.cases.write(aBatch(key, { creates }));
    },
    findings: (key: CaseKey) => world.cases.stored(key).filter(({ type }) => type === "finding"),
    kept: (tenantId = "t1") => world.cases.stored({ tenantId, caseId: reportsCaseId }),
    async sweepAll(afterMs: number, change: Partial<SweepPorts>) {
      const nowMs = () => Date.now() + afterMs;
      const reports = { ...world.ports, log, telemetry, control: memoryControl({ nowMs }) };
      const turn = { ...reports, ...change };
      await sweep({ turn, reports }, { wallClockMs: 0 });
    },
    async sweep(afterMs: number) {
      const nowMs = () => Date.now() + afterMs;
      const ports = { ...world.ports, log, telemetry, control: memoryControl({ nowMs }) };
      return retryReports(ports, { wallClockMs: 0 });
    },
  };
}

function tell(
  world: PortalWorld,
  change: Record<string, unknown> = {},
  sent: Sent = {},
  type = "credit_note.issued",
) {
  const { reason: _unsaid, ...echoed } = payload;
  const data = { id: "cn-1", idempotencyKey: providerKey, ...echoed, ...change };
  const body = { type, timestamp: "2026-03-01T09:00:00Z", data };
  return world.deliver(JSON.stringify(body), { source: "portal-t1", ...sent });
}

const hourMs = 3_600_000;

describe("a report that names nothing but the key", () => {
  test("is one finding of the one effect that bears it, however often it is delivered", async () => {
    const world = portalWorld();
    const key = world.keyOf("R-1");
    await world.prepare(key);
    await world.prepare(world.keyOf("R-2"), { providerKey: "op-key-2" });
    const first = await tell(world);
    const second = await tell(world);
    expect([first.status, first.said]).toEqual([202, { matched: true, duplicate: false }]);
    expect([second.status, second.said]).toEqual([202, { matched: true, duplicate: true }]);
    const { operationId, payloadDigest, target } = anEffect(key, { payload });
    expect(world.findings(key)).toEqual([
      expect.objectContaining({
        operationId,
        content: expect.objectContaining({
          receipt: expect.objectContaining({
            stage: "delivered",
            providerId: "cn-1",
            boundTo: { operationId, target, payloadDigest },
          }),
        }),
      }),
    ]);
    expect(world.findings(world.keyOf("R-2"))).toEqual([]);
    expect(world.hintsWaiting()[0]).toMatchObject(key);
  });

  test("of another amount is bound to another payload", async () => {
    const world = portalWorld();
    const key = world.keyOf("R-1");
    await world.prepare(key);
    await tell(world, { amount: "99.00" });
    const [finding] = world.findings(key);
    const { payloadDigest } = anEffect(key, { payload });
    expect(JSON.stringify(finding)).not.toContain(payloadDigest);
  });

  test("of an effect whose content was erased proves nothing by words that it repeats, and none of them is kept", async () => {
    const world = portalWorld();
    const key = world.keyOf("R-1");
    const { payloadDigest } = anEffect(key, { payload });
    await world.prepare(key, { payload: {}, payloadDigest, target: "" });
    const [record] = world.cases.stored(key).filter(({ type }) => type === "case");
    world.cases.plant(key, { ...record, erased: { by: "p-1", atMs: 1 } } as typeof record & object);
    await tell(world);
    const bound = { boundTo: { payloadDigest: notCompared, target: "" } };
    expect(world.findings(key)).toMatchObject([{ content: { receipt: bound } }]);
    expect(JSON.stringify(world.findings(key))).not.toContain(payload.invoice);
  });

  test("signed for t1 never touches t10, which has an effect under the same key (cases.md 17)", async () => {
    const world = portalWorld();
    const theirs = world.keyOf("R-1", "t10");
    await world.prepare(theirs);
    expect((await tell(world)).said).toEqual({ matched: false, duplicate: false });
    await world.sweep(hourMs);
    expect(world.findings(theirs)).toEqual([]);
    const forTen = await tell(world, {}, { source: "portal-t10", signedBy: [secrets.t10] });
    expect(forTen.said).toEqual({ matched: true, duplicate: false });
    const forged = await tell(world, {}, { source: "portal-t10", signedBy: [secrets.t1] });
    expect(forged.status).toBe(401);
  });

  test("with one delivery id from two sources is two deliveries", async () => {
    const world = portalWorld();
    const key = world.keyOf("R-1");
    await world.prepare(key);
    await tell(world);
    await tell(world, {}, { source: "portal-t1-b" });
    expect(world.findings(key)).toHaveLength(2);
  });

  test("under a delivery id that had another body loses neither", async () => {
    const world = portalWorld();
    const key = world.keyOf("R-1");
    await world.prepare(key);
    await tell(world);
    await tell(world, { id: "cn-2" });
    expect(world.findings(key)).toHaveLength(2);
  });
});

test("a credit note that the portal took and the supplier declined has failed at its goal", async () => {
  const world = portalWorld();
  const key = world.keyOf("R-1");
  await world.prepare(key);
  await tell(world, {}, {}, "credit_note.declined");
  expect(world.findings(key)).toMatchObject([{ content: { receipt: { stage: "failed" } } }]);
});

describe("a report in a shape that its adapter does not know", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["a number for text", { amount: 12.5 }, "amount"],
    ["another name for its own id", { id: undefined, noteId: "cn-1" }, "id"],
  ])(
    "(%s) is not answered with thanks: it must come again, for a mended adapter",
    async (_what, change, field) => {
      const world = portalWorld();
      await world.prepare(world.keyOf("R-1"));
      await expect(tell(world, change)).rejects.toThrow(`cannot be read, in: ${field}.`);
      expect([...world.findings(world.keyOf("R-1")), ...world.kept()]).toEqual([]);
    },
  );

  test("of what bears no key of ours is none of ours: thanks, and nothing is kept of it but that it came", async () => {
    const world = portalWorld();
    const said = await tell(world, { idempotencyKey: undefined, amount: 12.5 });
    expect([said.status, said.said]).toEqual([202, { matched: false }]);
    expect(world.refusals()).toMatchObject([{ status: 404 }]);
  });
});

describe("a report that no effect answers to", () => {
  test("is durable before its sender hears 202, once", async () => {
    const world = portalWorld();
    const first = await tell(world);
    const second = await tell(world);
    expect([first.status, first.said]).toEqual([202, { matched: false, duplicate: false }]);
    expect([second.status, second.said]).toEqual([202, { matched: false, duplicate: true }]);
    expect(world.kept()).toHaveLength(1);
    expect(await world.ports.reports.list({ tenantId: "t1", max: 10 })).toHaveLength(1);
  });

  test("finds it when the sweep looks again: it was only early", async () => {
    const world = portalWorld();
    const key = world.keyOf("R-1");
    await tell(world);
    expect(await world.sweep(0)).toMatchObject({ matched: 0, waiting: 0 });
    expect(await world.sweep(20_000)).toMatchObject({ matched: 0, waiting: 1 });
    await world.prepare(key);
    expect(await world.sweep(hourMs)).toMatchObject({ matched: 1 });
    expect(world.findings(key)).toHaveLength(1);
    expect(await world.ports.reports.list({ tenantId: "t1", max: 10 })).toEqual([]);
    expect(JSON.stringify(world.kept())).not.toContain("12.50");
    expect((await tell(world)).said).toEqual({ matched: true, duplicate: true });
  });

  test("is one finding when two sweeps find it at once", async () => {
    const world = portalWorld();
    const key = world.keyOf("R-1");
    await tell(world);
    await world.prepare(key);
    await Promise.all([world.sweep(hourMs), world.sweep(hourMs)]);
    expect(world.findings(key)).toHaveLength(1);
    expect(world.kept()[0]).toMatchObject({ outcome: { kind: "matched" }, looks: 2 });
  });

  test("is looked for although nothing due can be read", async () => {
    const world = portalWorld();
    const key = world.keyOf("R-1");
    await tell(world);
    await world.prepare(key);
    const { cases } = intakeWorld();
    const broken = { ...cases, due: () => Promise.reject(new Error("no index")) };
    await expect(world.sweepAll(hourMs, { cases: broken })).rejects.toThrow("no index");
    expect(world.findings(key)).toHaveLength(1);
  });

  test("is put off when its case cannot be read, so that it stands before no other for long", async () => {
    const world = portalWorld();
    await tell(world);
    const read = () => Promise.reject(new TerminalFault("a stored document does not fit"));
    const key = world.keyOf("R-1");
    await world.prepare(key);
    const { cases } = world.ports;
    world.ports.cases = { ...cases, read };
    await world.sweep(60_000);
    const [report] = world.kept();
    expect(report).toMatchObject({ looks: 2, retryAtMs: expect.any(Number) });
    expect(Number(report?.["retryAtMs"])).toBeGreaterThan(Date.now() + 60_000);
    world.ports.cases = cases;
    await world.sweep(hourMs);
    expect(world.findings(key)).toHaveLength(1);
  });

  test("is given up after an hour: an alert, and shown to operators", async () => {
    const world = portalWorld();
    await tell(world);
    for (let looks = 1; looks <= 8; looks += 1) {
      expect([...world.alerts, ...world.counted]).toEqual([]);
      await world.sweep(looks * 2 * hourMs);
    }
    expect(world.alerts).toEqual([{ tenantId: "t1", source: "portal-t1", eventId: "dlv-1" }]);
    expect(world.counted).toEqual(["countersign.reports.unmatched"]);
    const [shown] = await world.ports.reports.list({ tenantId: "t1", max: 10 });
    expect(shown).toMatchObject({ outcome: { kind: "unmatched", found: 0 }, providerId: "cn-1" });
    expect(await world.sweep(1000 * hourMs)).toEqual({ matched: 0, unmatched: 0, waiting: 0 });
  });

  test("because two do is given up too, and touches neither", async () => {
    const world = portalWorld();
    const keys = [world.keyOf("R-1"), world.keyOf("R-2")];
    for (const key of keys) await world.prepare(key);
    await tell(world);
    for (let looks = 1; looks <= 8; looks += 1) await world.sweep(looks * 2 * hourMs);
    expect(keys.flatMap(world.findings)).toEqual([]);
    const [shown] = await world.ports.reports.list({ tenantId: "t1", max: 10 });
    expect(shown).toMatchObject({ outcome: { kind: "unmatched", found: 2 } });
  });
});

describe("a report while the store does not answer", () => {
  test("is asked for again: nothing was promised", async () => {
    const world = portalWorld();
    const key = world.keyOf("R-1");
    await world.prepare(key);
    world.cases.hooks = {
      before: ({ operation }) => (operation === "createFinding" ? "lost" : undefined),
    };
    expect((await tell(world)).status).toBe(503);
    world.cases.hooks = {};
    expect((await tell(world)).said).toEqual({ matched: true, duplicate: false });
  });

  test("is asked for again although it is none that is known, as long as not even that can be kept", async () => {
    const world = portalWorld();
    world.cases.hooks = {
      before: ({ operation }) => (operation === "createRefusal" ? "lost" : undefined),
    };
    const strange = () => world.deliver("{}", { source: "portal-t1" });
    expect((await strange()).status).toBe(503);
    world.cases.hooks = {};
    expect((await strange()).status).toBe(202);
  });

  test("is asked for again when its case cannot be read just now", async () => {
    const world = portalWorld();
    await world.prepare(world.keyOf("R-1"));
    const { cases } = world.ports;
    const read = () => Promise.reject(new TransientFault("down"));
    world.ports.cases = { ...cases, read };
    expect((await tell(world)).status).toBe(503);
    world.ports.cases = cases;
    expect((await tell(world)).said).toEqual({ matched: true, duplicate: false });
  });
});
