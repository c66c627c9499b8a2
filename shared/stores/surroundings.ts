// What can be seen of the account and the queues that the app works on, for operators; nothing here is needed to work.
//
// A part that the identity may not read is absent: an app that can send and receive need not be able to manage.
import type { CosmosClient, Database } from "@azure/cosmos";
import { readAccount, type ServiceBusConnection } from "./connections.ts";
import { failureOf, readFault } from "./cosmos/answers.ts";
import type { QueueCounts, QueueManagement, QueueSettings } from "./service-bus-settings.ts";

export interface ContainerSeen {
  id: string;
  /** Absent: there is no such container. */
  partitionKey?: readonly string[];
}

export interface Surroundings {
  account(): Promise<{ consistency: string; writeRegions: string[]; readRegions: string[] }>;
  containers(ids: readonly string[]): Promise<readonly ContainerSeen[] | undefined>;
  queues(names: readonly string[]): Promise<readonly QueueSettings[] | undefined>;
  queueCounts(names: readonly string[]): Promise<readonly QueueCounts[] | undefined>;
}

const notFound = 404;
/** By who asks: another may see it. */
const refused: ReadonlySet<number> = new Set([401, 403]);

export function azureSurroundings(
  cosmos: { client: CosmosClient; database: Database },
  serviceBus: ServiceBusConnection,
): Surroundings {
  let management: Promise<QueueManagement> | undefined;
  // Loaded only here: no turn needs it. One for all that ask, so that an identity's token is asked for once.
  const managed = () => {
    management ??= import("./service-bus-settings.ts").then(({ queueManagement }) =>
      queueManagement(serviceBus),
    );
    return management;
  };
  return {
    async account() {
      const account = await readAccount(cosmos.client);
      return {
        consistency: account?.consistencyPolicy ?? "unknown",
        writeRegions: regionsOf(account?.writableLocations),
        readRegions: regionsOf(account?.readableLocations),
      };
    },

    containers: (ids) =>
      orUnreadable(() => Promise.all(ids.map((id) => containerSeen(cosmos.database, id)))),

    queues: async (names) => (await managed()).settings(names),
    queueCounts: async (names) => (await managed()).counts(names),
  };
}

function regionsOf(locations: readonly { name: string }[] | undefined): string[] {
  return (locations ?? []).map(({ name }) => name);
}

async function containerSeen(database: Database, id: string): Promise<ContainerSeen> {
  try {
    const { resource } = await database.container(id).read();
    return { id, partitionKey: resource?.partitionKey?.paths ?? [] };
  } catch (error) {
    if (failureOf(error).status === notFound) return { id };
    throw error;
  }
}

async function orUnreadable<Seen>(look: () => Promise<Seen>): Promise<Seen | undefined> {
  try {
    return await look();
  } catch (error) {
    if (refused.has(failureOf(error).status ?? 0)) return undefined;
    throw readFault(error, "a look at the containers", {});
  }
}
