// The operators' queries under their contract: in memory, and in Cosmos DB through the real SDK, where each page may come cut
// into single documents from several partitions.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import entities from "../../infra/entities.json" with { type: "json" };
import { cosmosOperators } from "../../shared/stores/cosmos-operators.ts";
import { memoryCases } from "../memory/memory-cases.ts";
import { memoryOperators } from "../memory/memory-operators.ts";
import { openCosmosWorld, type CosmosWorld } from "./local-cosmos.ts";
import { operatorStoreContract } from "./operator-store.contract.ts";

describe("in memory", () => {
  operatorStoreContract(() => {
    const cases = memoryCases({ nowMs: () => Date.now() });
    return {
      store: memoryOperators(cases),
      plant: async ({ caseId, tenantId, ...rest }) =>
        cases.plant({ tenantId, caseId }, { ...rest, tenantId, caseId } as { id: string }),
    };
  });
});

describe("in Cosmos DB, on one physical partition", () => {
  contractOn({}, {});
});

describe("in Cosmos DB, on four physical partitions that the SDK puts together, as on Azure, a document a page", () => {
  contractOn({ physicalPartitions: 4, crossPartitionQueries: "client" }, { pageSize: 1 });
});

function contractOn(
  server: Parameters<typeof openCosmosWorld>[0],
  options: Parameters<typeof cosmosOperators>[1],
): void {
  let world: CosmosWorld;
  beforeAll(async () => {
    world = await openCosmosWorld(server);
  });
  afterAll(() => world.close());

  operatorStoreContract(() => ({
    store: cosmosOperators(world.container("cases"), options),
    plant: async (document) => void (await world.container("cases").items.upsert(document)),
  }));
}

test("every path that these queries filter or sort by is in the indexing policy", () => {
  const source = readFileSync(
    new URL("../../shared/stores/cosmos-operators.ts", import.meta.url),
    "utf8",
  );
  const columns = /const caseColumns = `([^`]*)`/.exec(source)?.[0] ?? "";
  const queried = source.replace(columns, "");
  const used = [
    ...[...queried.matchAll(/\bc\.([A-Za-z.]+)/g)].map(([, path = ""]) => path),
    ...[...queried.matchAll(/time: "(\w+)"/g)].map(([, path = ""]) => path),
  ].map((path) => `/${path.replaceAll(".", "/")}/?`);
  const [cases] = entities.cosmos.containers;
  const indexed = new Set(cases?.indexingPolicy?.includedPaths.map(({ path }) => path));
  expect(used.length).toBeGreaterThan(12);
  expect(used.filter((path) => !indexed.has(path))).toEqual([]);
});
