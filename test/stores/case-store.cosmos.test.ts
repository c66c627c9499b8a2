// The Cosmos DB store under the contract, through the real SDK: once as an answer fits into one page, and once cut
// into pages of a single document.
import { afterAll, beforeAll, describe } from "vitest";
import { cosmosCases } from "../../shared/stores/cosmos-cases.ts";
import { caseStoreContract } from "./case-store.contract.ts";
import { openCosmosWorld, type CosmosWorld } from "./local-cosmos.ts";

describe("in Cosmos DB, on one physical partition", () => {
  contractOn({}, {});
});

describe("in Cosmos DB, on four physical partitions, a document a page", () => {
  contractOn({ physicalPartitions: 4 }, { pageSize: 1 });
});

function contractOn(
  server: Parameters<typeof openCosmosWorld>[0],
  options: Parameters<typeof cosmosCases>[1],
): void {
  let world: CosmosWorld;
  beforeAll(async () => {
    world = await openCosmosWorld(server);
  });
  afterAll(() => world.close());

  caseStoreContract(() => ({
    store: cosmosCases(world.container("cases"), options),
    plant: async (document) => void (await world.container("cases").items.upsert(document)),
  }));
}
