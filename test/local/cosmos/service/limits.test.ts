import { Agent } from "node:https";
import { CosmosClient } from "@azure/cosmos";
import type { OperationInput } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { failureOf, situation } from "../fixture.ts";
import { tokenFor } from "../../managed-identity.ts";
import { CERTIFICATE, PRIVATE_KEY } from "./loopback-certificate.ts";

describe("throughput that is enforced", () => {
  test("answers 429 with a wait, which the SDK keeps, and nothing is lost", async () => {
    const { client, local } = await situation({ enforceThroughput: true });
    const { container } = await client
      .database("test")
      .containers.create({ id: "slow", partitionKey: "/pk", throughput: 400 });
    // Two MB cost about 1,250 units: three seconds' worth, so the next write meets a debt of two.
    await container.items.create({ id: "large", pk: "p", text: "x".repeat(2_000_000) });
    const next = await container.items.create({ id: "next", pk: "p" });
    expect(next.statusCode).toBe(201);
    expect(next.headers["x-ms-throttle-retry-count"]).toBeGreaterThan(0);
    const { entries } = await local.log();
    const refused = entries.filter(({ status }) => status === 429);
    expect(refused.map(({ kind }) => kind)).toContain("create");
  });
});

describe("an account that says it has several write regions", () => {
  test("makes the SDK repeat a create after a 503, so its own success answers 409", async () => {
    const { local, container } = await situation({ multipleWriteLocations: true });
    await local.inject({
      match: { kind: "create" },
      fault: "status",
      status: 503,
      afterCommit: true,
      times: 1,
    });
    const failure = await failureOf(container("things").items.create({ id: "own", pk: "p" }));
    expect(failure.code).toBe(409);
  });
});

describe("a bulk request", () => {
  test("gives each operation its own fate, on every partition", async () => {
    const { container } = await situation({ physicalPartitions: 4 });
    const things = container("things");
    await things.items.create({ id: "i3", pk: "p3" });
    const operations: OperationInput[] = Array.from({ length: 20 }, (_, n) => ({
      operationType: "Create",
      partitionKey: `p${n}`,
      resourceBody: { id: `i${n}`, pk: `p${n}` },
    }));
    const done = await things.items.executeBulkOperations(operations);
    const statuses = done.map(({ response, error }) => response?.statusCode ?? error?.code);
    expect(statuses.filter((status) => status === 201)).toHaveLength(19);
    expect(statuses[3]).toBe(409);
    const { resources } = await things.items.query("SELECT VALUE COUNT(1) FROM c").fetchAll();
    expect(resources).toEqual([20]);
  });
});

describe("a bearer token", () => {
  test("is taken over TLS when the server was told to take it, and not otherwise", async () => {
    const tls = { key: PRIVATE_KEY, cert: CERTIFICATE };
    const read = async (acceptBearerTokens: boolean, audience?: string, expiresInSeconds = 60) => {
      const { endpoint } = await situation({ tls, acceptBearerTokens });
      const token = tokenFor(audience ?? endpoint, expiresInSeconds);
      const client = new CosmosClient({
        endpoint,
        agent: new Agent({ ca: CERTIFICATE }),
        aadCredentials: {
          getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }),
        },
      });
      try {
        return (await client.database("test").read()).statusCode;
      } finally {
        client.dispose();
      }
    };
    expect(await read(true)).toBe(200);
    expect(await read(true, "https://cosmos.azure.com")).toBe(200);
    expect((await failureOf(read(false))).code).toBe(401);
    expect((await failureOf(read(true, "https://servicebus.azure.net"))).code).toBe(401);
    expect((await failureOf(read(true, undefined, -60))).code).toBe(401);
  });
});
