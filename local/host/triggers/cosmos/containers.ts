// The two containers of a Cosmos DB trigger: the monitored one and the one that holds its leases. The lease container
// is made only when the function asks for it; otherwise its absence is an error at start.
import { type Container, CosmosClient } from "@azure/cosmos";
import { neededText, optionText } from "../../settings/binding-text.ts";
import type { HostedFunction } from "../../settings/functions.ts";
import { cosmosLeases, isStatus, type Leases } from "./leases.ts";

export type FeedContainers = { monitored: Container; leases: Leases };

async function checkExists(container: Container, role: string): Promise<void> {
  try {
    await container.read();
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
    const name = `${container.database.id}/${container.id}`;
    throw new Error(`The ${role} container "${name}" does not exist.`, { cause: error });
  }
}

export async function feedContainers(
  { trigger }: HostedFunction,
  connectionString: string,
  leaseConnectionString: string,
  userAgentSuffix: string,
): Promise<FeedContainers> {
  const databaseName = neededText(trigger, "databaseName");
  const containerName = neededText(trigger, "containerName");
  const leaseDatabaseName = optionText(trigger, "leaseDatabaseName") ?? databaseName;
  const leaseContainerName = optionText(trigger, "leaseContainerName") ?? "leases";
  if (leaseDatabaseName === databaseName && leaseContainerName === containerName) {
    throw new Error("The lease container must not be the monitored container.");
  }
  const monitored = new CosmosClient({ connectionString, userAgentSuffix })
    .database(databaseName)
    .container(containerName);
  const leaseClient = new CosmosClient({
    connectionString: leaseConnectionString,
    userAgentSuffix,
  });
  if (trigger["createLeaseContainerIfNotExists"] === true) {
    const { database } = await leaseClient.databases.createIfNotExists({ id: leaseDatabaseName });
    await database.containers.createIfNotExists({ id: leaseContainerName, partitionKey: "/id" });
  }
  const leases = leaseClient.database(leaseDatabaseName).container(leaseContainerName);
  await checkExists(monitored, "monitored");
  await checkExists(leases, "lease");
  const prefix = `${optionText(trigger, "leaseContainerPrefix") ?? ""}${databaseName}_${containerName}`;
  return { monitored, leases: cosmosLeases(leases, prefix) };
}
