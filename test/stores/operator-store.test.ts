// The operators' queries under their contract: in memory, and in Cosmos DB through the real SDK, where each page may come cut
// into single documents from several partitions.
import { afterAll, beforeAll, describe } from "vitest";
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

describe("in Cosmos DB, on four physical partitions, a document a page", () => {
  contractOn({ physicalPartitions: 4 }, { pageSize: 1 });
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
