// Both report stores under one contract: memory, and Cosmos DB through the real SDK on four physical partitions.
import { afterAll, beforeAll, describe } from "vitest";
import { cosmosCases } from "../../shared/stores/cosmos-cases.ts";
import { cosmosReports } from "../../shared/stores/cosmos-reports.ts";
import { memoryCases } from "../memory/memory-cases.ts";
import { memoryReports } from "../memory/memory-reports.ts";
import { openCosmosWorld, type CosmosWorld } from "./local-cosmos.ts";
import { reportStoreContract } from "./report-store.contract.ts";

describe("in memory", () => {
  reportStoreContract(() => {
    const cases = memoryCases({ nowMs: () => Date.now() });
    return { cases, store: memoryReports(cases) };
  });
});

describe("in Cosmos DB, on four physical partitions, a document a page", () => {
  let world: CosmosWorld;
  beforeAll(async () => {
    world = await openCosmosWorld({ physicalPartitions: 4 });
  });
  afterAll(() => world.close());

  reportStoreContract(() => ({
    cases: cosmosCases(world.container("cases")),
    store: cosmosReports(world.container("cases"), { pageSize: 1 }),
  }));
});
