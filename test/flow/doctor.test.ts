// The doctor against surroundings that are not as they should be, and its own expectations against the entities that are deployed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  deliveryCountMax,
  partitionKeys,
  queueNames,
  showDoctor,
  type DoctorPorts,
} from "../../shared/flow/operate/about/doctor.ts";
import type { Surroundings } from "../../shared/stores/surroundings.ts";
import { newWorld } from "./world.ts";

const healthy: Surroundings = {
  account: async () => ({
    consistency: "BoundedStaleness",
    writeRegions: ["A"],
    readRegions: ["A"],
  }),
  containers: async (ids) => ids.map((id) => ({ id, partitionKey: partitionKeys[id] ?? [] })),
  queues: async (names) =>
    names.map((name) => ({
      name,
      requiresSession: true,
      detectsDuplicates: true,
      lockDuration: "PT1M",
      deliveryCountMax,
      active: 0,
      scheduled: 0,
      deadLettered: 0,
    })),
  queueCounts: async () => undefined,
};

const secret = `whsec_${Buffer.alloc(32).toString("base64")}`;

async function wrongIn(seen: Partial<Surroundings>, change: Partial<DoctorPorts> = {}) {
  const { book, control, nowMs } = newWorld();
  const reply = await showDoctor({
    about: { version: "1", workflows: [], settings: [] },
    surroundings: { ...healthy, ...seen },
    book,
    control,
    nowMs,
    sources: { erp: { tenantId: "acme", workflow: "test-flow", secrets: [{ name: "a", secret }] } },
    easyAuthIsOn: true,
    ...change,
  });
  if (reply.kind === "problem") throw new Error("the doctor always answers");
  return reply.body.checks
    .filter(({ state }) => state !== "ok")
    .map(({ name, says, state }) => `${name}: ${state}: ${says}`);
}

describe("the doctor", () => {
  test("finds nothing where all is as it is deployed", async () => {
    expect(await wrongIn({})).toEqual([]);
  });

  test("tells a webhook source whose deliveries are all turned away", async () => {
    const ended = { name: "old", secret, notAfter: "2026-11-29T11:59:59Z" };
    const good = { name: "new", secret };
    const tenantId = "acme";
    const sources = {
      erp: { tenantId, workflow: "test-flow", secrets: [ended, good] },
      typo: { tenantId, workflow: "test-flaw", secrets: [good] },
      mail: { tenantId, provider: "e-mail", secrets: [good] },
      forgotten: { tenantId, workflow: "test-flow", secrets: [ended] },
    };
    expect(await wrongIn({}, { sources })).toEqual([
      "webhook sources: wrong: typo: its workflow is not registered here; mail: its provider is not registered here, or has no webhooks; forgotten: each of its secrets has ended",
    ]);
  });

  test("tells an account where an ETag guards nothing", async () => {
    const account = async () => ({
      consistency: "Session",
      writeRegions: ["A", "B"],
      readRegions: ["A"],
    });
    expect(await wrongIn({ account })).toEqual([
      expect.stringContaining("Cosmos DB account: wrong: Session"),
    ]);
  });

  test("tells a container that is missing or partitioned by something else", async () => {
    const containers: Surroundings["containers"] = async () => [
      { id: "cases", partitionKey: ["/caseId"] },
      { id: "leases" },
    ];
    expect(await wrongIn({ containers })).toEqual([
      "container cases: wrong: partitioned by /caseId, not by /tenantId, /caseId",
      "container leases: wrong: there is none",
    ]);
  });

  test("tells a queue without sessions, and that Easy Auth is off", async () => {
    const queues: Surroundings["queues"] = async (names) =>
      (await healthy.queues(names))?.map((queue) => ({ ...queue, requiresSession: false }));
    const wrong = await wrongIn({ queues }, { easyAuthIsOn: false });
    expect(wrong.map((line) => line.split(";")[0])).toEqual([
      expect.stringContaining("Easy Auth: wrong"),
      "queue cases: wrong: it has no sessions",
      "queue reviews: wrong: it has no sessions",
    ]);
  });

  test("calls what the identity may not read unreadable, which is no fault", async () => {
    const nothing = async () => undefined;
    expect(await wrongIn({ containers: nothing, queues: nothing })).toEqual([
      expect.stringContaining("containers: notReadable"),
      expect.stringContaining("queues: notReadable"),
    ]);
  });
});

test("what the doctor expects is what is deployed", () => {
  const path = join(import.meta.dirname, "../../infra/entities.json");
  const entities = JSON.parse(readFileSync(path, "utf8")) as {
    serviceBus: { queues: { name: string; maxDeliveryCount: number }[] };
    cosmos: { containers: { id: string; partitionKey: { paths: string[] } }[] };
  };
  const { containers } = entities.cosmos;
  expect(
    Object.fromEntries(containers.map(({ id, partitionKey }) => [id, partitionKey.paths])),
  ).toEqual(partitionKeys);
  expect(entities.serviceBus.queues.map(({ name }) => name)).toEqual(queueNames);
  for (const { maxDeliveryCount } of entities.serviceBus.queues)
    expect(maxDeliveryCount).toBe(deliveryCountMax);
});
