// Writes to Cosmos DB that get no answer, or one that proves nothing: the real SDK against faults at the wire.
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FaultRule } from "../../local/cosmos/faults.ts";
import type { CaseKey } from "../../shared/domain/identity.ts";
import { openCosmos } from "../../shared/stores/connections.ts";
import type { Heard } from "../../shared/stores/cosmos/listen.ts";
import { cosmosCases } from "../../shared/stores/cosmos-cases.ts";
import type { CaseStore } from "../../shared/stores/ports.ts";
import { aBatch, aCase, anEffect, anEvent, aFinding, newCaseKey, committed } from "./documents.ts";
import { openCosmosWorld, type CosmosWorld } from "./local-cosmos.ts";

const requestTimeoutMs = 800;
let world: CosmosWorld;
let store: CaseStore;

beforeAll(async () => {
  world = await openCosmosWorld({ requestTimeoutMs });
  store = cosmosCases(world.container("cases"), { callBudgetMs: 2500 });
  // The client reads the account and the container once; no fault is meant for that.
  await store.createEvent(anEvent(newCaseKey()));
});
afterEach(() => world.faults.clearFaults());
afterAll(() => world.close());

const once = { match: { kind: "batch" }, times: 1 } as const;
const onBatch = (rule: Omit<FaultRule, "match">): Promise<void> =>
  world.faults.inject({ ...once, ...rule });

describe("a batch that landed without an answer (cases.md 33)", () => {
  const faults: Omit<FaultRule, "match">[] = [
    { fault: "dropAfterCommit" },
    { fault: "hangAfterCommit" },
    { fault: "halfBody" },
    { fault: "status", status: 503, afterCommit: true },
    { fault: "status", status: 500, afterCommit: true },
    { fault: "status", status: 408, afterCommit: true },
    { fault: "status", status: 410, afterCommit: true },
  ];
  test.each(faults)(
    "is uncertain, and sent again says that it is written ($fault $status)",
    async (fault) => {
      const key = newCaseKey();
      const batch = aBatch(key, { creates: [anEffect(key)] });
      await onBatch(fault);
      expect(await store.write(batch)).toMatchObject({ kind: "uncertain" });
      expect(await store.write(batch)).toEqual({ kind: "alreadyWritten" });
      expect((await store.read(key)).snapshot.effects).toEqual(batch.creates);
      expect((await store.history(key))?.log).toEqual([batch.log]);
    },
  );
});

describe("a batch of which nobody knows, while another worker writes (cases.md 33)", () => {
  test.each([{ fault: "status", status: 408 }, { fault: "dropBefore" }] as const)(
    "is not ours: sent again it is superseded, and what stands is the other's ($fault)",
    async (fault) => {
      const key = newCaseKey();
      const caseEtag = await committed(store, aBatch(key));
      const ours = aBatch(key, { caseEtag, caseDocument: aCase(key, { fence: 1, version: 1 }) });
      const theirs = aBatch(key, { caseEtag, caseDocument: aCase(key, { fence: 1, version: 7 }) });
      await onBatch(fault);
      expect(await store.write(ours)).toMatchObject({ kind: "uncertain" });
      await committed(store, theirs);
      expect(await store.write(ours)).toEqual({ kind: "superseded" });
      expect((await store.read(key)).snapshot.case?.version).toBe(7);
    },
  );
});

describe("an account that writes in several regions", () => {
  test("gets each write once all the same: the SDK repeats none", async () => {
    const several = await openCosmosWorld({ multipleWriteLocations: true });
    const cases = cosmosCases(several.container("cases"));
    const batch = aBatch(newCaseKey());
    await several.faults.inject({ fault: "status", status: 503, afterCommit: true, ...once });
    expect(await cases.write(batch)).toMatchObject({ kind: "uncertain" });
    const { entries } = await several.faults.log();
    expect(entries.filter(({ kind }) => kind === "batch")).toHaveLength(1);
    await several.close();
  });
});

describe("a batch that was never carried out", () => {
  const faults: Omit<FaultRule, "match">[] = [
    { fault: "dropBefore" },
    { fault: "status", status: 503 },
    { fault: "status", status: 449 },
  ];
  test.each(faults)(
    "is uncertain, and lands when it is sent again ($fault $status)",
    async (fault) => {
      const batch = aBatch(newCaseKey());
      await onBatch(fault);
      expect(await store.write(batch)).toMatchObject({ kind: "uncertain" });
      expect(await store.write(batch)).toMatchObject({ kind: "committed" });
    },
  );

  test("because it was throttled is sent again by the SDK", async () => {
    await onBatch({ fault: "status", status: 429, substatus: 3200, retryAfterMs: 5 });
    expect(await store.write(aBatch(newCaseKey()))).toMatchObject({ kind: "committed" });
  });

  test("is heard each time that it was throttled, with what each answer cost", async () => {
    await onBatch({ fault: "status", status: 429, substatus: 3200, retryAfterMs: 5 });
    const heard: Heard[] = [];
    const { connectionString } = world;
    const client = openCosmos({ connectionString }, { hear: (one) => void heard.push(one) });
    const cases = client.database("countersign").container("cases");
    const batch = aBatch(newCaseKey());
    expect(await cosmosCases(cases).write(batch)).toMatchObject({ kind: "committed" });
    client.dispose();
    const [throttled, written] = heard.slice(-2);
    expect(throttled?.status).toBe(429);
    expect(written?.status).toBe(200);
    expect(written?.charge).toBeGreaterThan(5);
  });

  test("however often it was throttled says when to try again", async () => {
    await world.faults.inject({
      match: { kind: "batch" },
      fault: "status",
      status: 429,
      retryAfterMs: 7,
    });
    const outcome = await store.write(aBatch(newCaseKey()));
    expect(outcome).toMatchObject({ kind: "uncertain", retryAfterMs: 7 });
  });

  test("because nobody listens is uncertain at once", async () => {
    const gone = await openCosmosWorld();
    const lost = cosmosCases(gone.container("cases"));
    await committed(lost, aBatch(newCaseKey()));
    await gone.close();
    expect(await lost.write(aBatch(newCaseKey()))).toMatchObject({ kind: "uncertain" });
  });
});

describe("a batch that lands later than its sender waits", () => {
  test("is superseded for good once another has moved the case", async () => {
    const key = newCaseKey();
    const opened = await committed(store, aBatch(key));
    const late = aBatch(key, { caseEtag: opened, caseDocument: aCase(key, { version: 7 }) });
    await onBatch({ fault: "landLater", delayMs: 2 * requestTimeoutMs });
    expect(await store.write(late)).toMatchObject({ kind: "uncertain" });
    const caseEtag = await committed(store, aBatch(key, { caseEtag: opened }));
    await expect.poll(() => lateBatches(key), { timeout: 5000 }).toBe(1);
    expect((await store.head(key)).caseEtag).toBe(caseEtag);
    expect(await store.write(late)).toEqual({ kind: "superseded" });
  });

  test("meets itself when it was sent again meanwhile", async () => {
    const key = newCaseKey();
    const batch = aBatch(key);
    await onBatch({ fault: "landLater", delayMs: 2 * requestTimeoutMs });
    expect(await store.write(batch)).toMatchObject({ kind: "uncertain" });
    const caseEtag = await committed(store, batch);
    await expect.poll(() => lateBatches(key), { timeout: 5000 }).toBe(1);
    expect((await store.head(key)).caseEtag).toBe(caseEtag);
    expect((await store.history(key))?.log).toHaveLength(1);
  });
});

describe("a service that is moving, splitting or behind", () => {
  const passing = [
    [403, 3],
    [403, 1008],
    [404, 1002],
    [410, 1002],
    [410, 1007],
    [410, 1008],
    [449, undefined],
    [429, 3200],
    [503, undefined],
  ] as const;
  test.each(passing)(
    "is neither a refusal nor an absence, for a write, a read and a look (%i/%s)",
    async (status, substatus) => {
      const impatient = cosmosCases(world.container("cases"), { callBudgetMs: 700 });
      const key = newCaseKey();
      const event = anEvent(key);
      await committed(impatient, aBatch(key));
      await store.createEvent(event);
      const rule = substatus === undefined ? { status } : { status, substatus };
      const kind = ["batch", "create", "query", "read"] as const;
      await world.faults.inject({ match: { kind: [...kind] }, fault: "status", ...rule });
      const transient = { reason: { name: "TransientFault" } };
      const [written, created, ...looks] = await Promise.allSettled([
        impatient.write(aBatch(key)),
        impatient.createEvent(anEvent(key, { id: "event:src:other" })),
        impatient.read(key),
        impatient.head(key),
        impatient.readEvent(key, event.id),
      ]);
      expect(written).toMatchObject({ value: { kind: "uncertain" } });
      expect(created).toMatchObject({ value: "uncertain" });
      expect(looks).toMatchObject([transient, transient, transient]);
      await world.faults.clearFaults();
      expect((await impatient.readEvent(key, event.id))?.digest).toBe(event.digest);
    },
  );
});

describe("a refusal for good", () => {
  test.each([400, 401, 403, 413])(
    "of a batch is a fault that says what to do (%i)",
    async (status) => {
      await onBatch({ fault: "status", status });
      await expect(store.write(aBatch(newCaseKey()))).rejects.toMatchObject({
        name: "TerminalFault",
        message: expect.stringContaining(`(${status})`),
      });
    },
  );

  test("because a case's partition is full says so, and blames no identity", async () => {
    await onBatch({ fault: "status", status: 403, substatus: 1014 });
    await expect(store.write(aBatch(newCaseKey()))).rejects.toMatchObject({
      name: "TerminalFault",
      message: expect.stringContaining("partition is full (403/1014)"),
    });
  });

  test("because the container does not exist names the entities", async () => {
    const nowhere = cosmosCases(world.container("no-such-container"));
    const key = newCaseKey();
    const attempts = await Promise.allSettled([
      nowhere.write(aBatch(key)),
      nowhere.read(key),
      nowhere.createEvent(anEvent(key)),
      // A missing container is no missing document.
      nowhere.readEvent(key, "event:src:e1"),
      nowhere.readPayload(key, "payload:o"),
    ]);
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({
        reason: { name: "TerminalFault", message: expect.stringContaining("entities") },
      });
    }
  });

  test("because the key is wrong is a fault", async () => {
    const client = openCosmos({
      connectionString: `AccountEndpoint=${world.endpoint};AccountKey=${btoa("wrong")};`,
    });
    const stranger = cosmosCases(client.database("countersign").container("cases"));
    await expect(stranger.read(newCaseKey())).rejects.toMatchObject({ name: "TerminalFault" });
    client.dispose();
  });
});

describe("what is said of a failure", () => {
  test.each([
    { fault: "dropBefore" },
    { fault: "halfBody" },
    { fault: "status", status: 503 },
    { fault: "status", status: 400 },
  ] as const)("holds neither the payload nor the key ($fault $status)", async (fault) => {
    const key = newCaseKey();
    const payload = { secret: "s3cret" };
    await onBatch(fault);
    const said: unknown = await store
      .write(aBatch(key, { creates: [anEffect(key, { payload })] }))
      .catch((error: unknown) => error);
    const everything = inspect(said, { depth: Infinity, showHidden: true });
    expect(everything).toContain("Cosmos DB");
    expect(everything).not.toContain("s3cret");
    expect(everything).not.toContain("authorization");
  });
});

describe("an event or finding without an answer", () => {
  test("is uncertain, and exists when it is created again", async () => {
    const key = newCaseKey();
    const event = anEvent(key);
    const finding = aFinding(key);
    await world.faults.inject({ match: { kind: "create" }, fault: "dropAfterCommit", times: 2 });
    expect(await store.createEvent(event)).toBe("uncertain");
    expect(await store.createFinding(finding)).toBe("uncertain");
    expect(await store.createEvent(event)).toBe("exists");
    expect(await store.createFinding(finding)).toBe("exists");
  });
});

describe("a read", () => {
  test("that is dropped once is repeated by the SDK", async () => {
    const key = newCaseKey();
    const caseEtag = await committed(store, aBatch(key));
    await world.faults.inject({ match: { kind: "query" }, fault: "dropBefore", times: 1 });
    expect((await store.read(key)).caseEtag).toBe(caseEtag);
  });

  test("that is never answered ends within its budget", async () => {
    await world.faults.inject({ match: { kind: ["query", "read"] }, fault: "hangAfterCommit" });
    const key = newCaseKey();
    const patience = { callBudgetMs: 600 };
    const impatient = cosmosCases(world.container("cases"), patience);
    const startedAtMs = performance.now();
    await expect(impatient.read(key)).rejects.toMatchObject({ name: "TransientFault" });
    await expect(impatient.readEvent(key, "event:a:b")).rejects.toMatchObject({
      name: "TransientFault",
    });
    expect(performance.now() - startedAtMs).toBeLessThan(5000);
  });

  test("of the past makes no write binding", async () => {
    const key = newCaseKey();
    const opened = await committed(store, aBatch(key));
    await committed(store, aBatch(key, { caseEtag: opened, creates: [anEffect(key)] }));
    await world.faults.inject({ match: { kind: "query" }, fault: "staleReads", versions: 1 });
    const stale = await store.read(key);
    expect(stale.caseEtag).toBe(opened);
    expect(stale.snapshot.effects).toEqual([]);
    expect(await store.write(aBatch(key, stale))).toEqual({ kind: "superseded" });
  });
});

/** How many batches of this case a fault has held back, and let land. */
async function lateBatches(key: CaseKey): Promise<number> {
  const { entries } = await world.faults.log(0, 100_000);
  return entries.filter(
    ({ fault, partitionKey }) => fault === "landLater" && partitionKey.includes(key.caseId),
  ).length;
}
