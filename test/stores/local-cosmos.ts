// A local Cosmos DB server with the app's own entities, and the app's own client to it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Container, CosmosClient } from "@azure/cosmos";
import entities from "../../infra/entities.json" with { type: "json" };
import { localCosmos, type LocalCosmos } from "../../local/cosmos/faults.ts";
import { startCosmos, type CosmosOptions } from "../../local/cosmos/server.ts";
import { openCosmos } from "../../shared/stores/connections.ts";

export interface CosmosWorld {
  endpoint: string;
  connectionString: string;
  client: CosmosClient;
  container: (id: string) => Container;
  faults: LocalCosmos;
  close: () => Promise<void>;
}

export async function openCosmosWorld(
  options: Partial<CosmosOptions> & { requestTimeoutMs?: number } = {},
): Promise<CosmosWorld> {
  const dataFolder = await mkdtemp(join(tmpdir(), "stores-cosmos-"));
  const { requestTimeoutMs = 10_000, ...serverOptions } = options;
  const server = await startCosmos({
    dataFolder,
    entities: entities.cosmos,
    consistencyLevel: "BoundedStaleness",
    ...serverOptions,
  });
  const { connectionString, endpoint } = server;
  const client = openCosmos({ connectionString }, { requestTimeoutMs });
  return {
    endpoint,
    connectionString,
    client,
    container: (id) => client.database(entities.cosmos.database).container(id),
    faults: localCosmos(endpoint),
    close: async () => {
      client.dispose();
      await server.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
