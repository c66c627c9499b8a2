// Grants and the control document in Cosmos DB, through the real SDK.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { randomUUID } from "node:crypto";
import type { Grant } from "../../shared/domain/records/grant.ts";
import { assertSafeAccount } from "../../shared/stores/connections.ts";
import { cosmosControl } from "../../shared/stores/cosmos-control.ts";
import { cosmosGrants } from "../../shared/stores/cosmos-grants.ts";
import { openCosmosWorld, type CosmosWorld } from "./local-cosmos.ts";

let world: CosmosWorld;
beforeAll(async () => {
  world = await openCosmosWorld();
});
afterEach(() => world.faults.clearFaults());
afterAll(() => world.close());

function aGrant(change: Partial<Grant> = {}): Grant {
  return {
    id: `grant:${randomUUID()}`,
    type: "grant",
    schemaVersion: 1,
    tenantId: "tenant-1",
    subject: "invoice-exception",
    action: "portal.request_credit_note.v1",
    target: "*",
    limits: { amount: "500" },
    grantedBy: "ana",
    grantedAtMs: 1_800_000_000_000,
    ...change,
  };
}

const put = (container: string, document: object) =>
  world.container(container).items.upsert(document);

/** Queries and reads of that container that were ever answered. */
async function requestsTo(container: string): Promise<number> {
  const counts = await world.faults.counts();
  return counts
    .filter(
      (one) => one.container === container && ["query", "queryPlan", "read"].includes(one.kind),
    )
    .reduce((sum, { count }) => sum + count, 0);
}

describe("grants", () => {
  test("are found by tenant, subject and action, and by nothing else", async () => {
    const grants = cosmosGrants(world.container("grants"), { clockMs: () => 0 });
    const wanted = aGrant({ subject: `workflow-${randomUUID()}` });
    const others = [
      aGrant({ ...wanted, id: "grant:other-tenant", tenantId: "tenant-2" }),
      aGrant({ ...wanted, id: "grant:other-action", action: "crm.close_case.v1" }),
      aGrant({ ...wanted, id: "grant:other-subject", subject: "customer-onboarding" }),
      { ...aGrant({ ...wanted, id: "grant:newer" }), schemaVersion: 2 },
      // Somebody put it there by hand: it covers nothing, and keeps nobody from the good one.
      { ...aGrant({ ...wanted, id: "grant:by-hand" }), limits: { amount: 500 } },
    ];
    for (const grant of [wanted, ...others]) await put("grants", grant);
    expect(await grants.candidates(wanted)).toEqual([wanted]);
    expect(await grants.read("tenant-1", wanted.id)).toEqual(wanted);
    expect(await grants.read("tenant-2", wanted.id)).toBeUndefined();
    expect(await grants.read("tenant-1", "grant:newer")).toBeUndefined();
  });

  test("are asked for once, however many ask at the same time, and again after five seconds", async () => {
    let clockMs = 0;
    const grants = cosmosGrants(world.container("grants"), { clockMs: () => clockMs });
    const wanted = aGrant({ subject: `workflow-${randomUUID()}` });
    await put("grants", wanted);
    const asked = async () => {
      const before = await requestsTo("grants");
      const found = await Promise.all(Array.from({ length: 8 }, () => grants.candidates(wanted)));
      expect(found.flat()).toHaveLength(8);
      return (await requestsTo("grants")) - before;
    };
    expect(await asked()).toBe(1);
    expect(await asked()).toBe(0);
    clockMs = 5000;
    expect(await asked()).toBe(1);
  });

  test("that newer code wrote are not said to be missing when somebody revokes them", async () => {
    const grants = cosmosGrants(world.container("grants"), { clockMs: () => 0 });
    const id = `grant:${randomUUID()}`;
    await put("grants", { ...aGrant({ id }), schemaVersion: 2 });
    const revoked = { by: "ana", atMs: 1, reason: "left" };
    await expect(grants.revoke("tenant-1", id, revoked)).rejects.toMatchObject({
      name: "TransientFault",
    });
    expect(await grants.revoke("tenant-1", "grant:none", revoked)).toBe("missing");
  });

  test("may be five seconds old as candidates, and are read now at the gate", async () => {
    let clockMs = 0;
    const grants = cosmosGrants(world.container("grants"), { clockMs: () => clockMs });
    const grant = aGrant({ subject: `workflow-${randomUUID()}` });
    await put("grants", grant);
    expect(await grants.candidates(grant)).toEqual([grant]);
    const revoked = { ...grant, revoked: { by: "ana", atMs: 1, reason: "left" } };
    await put("grants", revoked);
    clockMs = 4999;
    expect(await grants.candidates(grant)).toEqual([grant]);
    expect(await grants.read(grant.tenantId, grant.id)).toEqual(revoked);
    clockMs = 5000;
    expect(await grants.candidates(grant)).toEqual([revoked]);
  });
});

describe("the control document", () => {
  test("has defaults while there is none, and may be two seconds old", async () => {
    await world
      .container("control")
      .item("control", "control")
      .delete()
      .catch(() => undefined);
    let clockMs = 0;
    const control = cosmosControl(world.container("control"), { clockMs: () => clockMs });
    const first = await control.read();
    expect(first).toMatchObject({ draining: false, caseIdKeyFingerprint: undefined });
    await put("control", { id: "control", draining: true });
    clockMs = 1999;
    expect(await control.read()).toEqual({ ...first, storeMs: Number(first.storeMs) + 1999 });
    clockMs = 2000;
    expect(await control.read()).toMatchObject({ draining: true });
  });

  test("keeps the fingerprint that was written first, and the drain flag with it", async () => {
    await put("control", { id: "control", draining: true });
    const container = world.container("control");
    const one = cosmosControl(container, { clockMs: () => 0 });
    const other = cosmosControl(container, { clockMs: () => 0 });
    const pinned = await Promise.all([one.pinCaseIdKey("a"), other.pinCaseIdKey("b")]);
    expect(new Set(pinned).size).toBe(1);
    expect(await one.pinCaseIdKey("c")).toBe(pinned[0]);
    expect(await one.read()).toMatchObject({ draining: true, caseIdKeyFingerprint: pinned[0] });
  });

  test("has one drain, of whoever began it first, with the store's time, and keeps the rest", async () => {
    const container = world.container("control");
    const control = cosmosControl(container, { clockMs: () => 0 });
    const fingerprint = await control.pinCaseIdKey("a");
    await control.stopDrain();
    await control.read();
    expect(await control.startDrain({ by: "ada", reason: "deploy" })).toBe("started");
    expect(await control.startDrain({ by: "bob", reason: "other" })).toBe("startedBefore");
    const { drain, storeMs } = await control.readDrain();
    expect(drain).toMatchObject({ by: "ada", reason: "deploy" });
    expect(drain?.sinceMs).toBeLessThanOrEqual(Number(storeMs));
    // Whoever wrote it sees it at once, whatever is cached.
    expect(await control.read()).toMatchObject({
      draining: true,
      caseIdKeyFingerprint: fingerprint,
    });
    await world.faults.inject({ match: { kind: "replace" }, fault: "dropAfterCommit", times: 1 });
    expect(await control.stopDrain()).toBe("stopped");
    expect(await control.stopDrain()).toBe("stoppedBefore");
    expect(await control.readDrain()).toMatchObject({ draining: false, drain: undefined });
    expect(await control.pinCaseIdKey("b")).toBe(fingerprint);
  });

  test("gets its fingerprint even if the answer to that write is lost", async () => {
    await world
      .container("control")
      .item("control", "control")
      .delete()
      .catch(() => undefined);
    const control = cosmosControl(world.container("control"), { clockMs: () => 0 });
    await world.faults.inject({ match: { kind: "create" }, fault: "dropAfterCommit", times: 1 });
    expect(await control.pinCaseIdKey("a")).toBe("a");
  });
});

describe("an account", () => {
  test("with one write region and bounded staleness is safe", async () => {
    await expect(assertSafeAccount(world.client)).resolves.toBeUndefined();
  });

  test.each([{ multipleWriteLocations: true }, { consistencyLevel: "Session" }])(
    "that cannot keep what the protocol rests on is refused (%o)",
    async (options) => {
      const unsafe = await openCosmosWorld(options);
      await expect(assertSafeAccount(unsafe.client)).rejects.toMatchObject({
        name: "TerminalFault",
      });
      await unsafe.close();
    },
  );
});
