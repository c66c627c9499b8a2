// The two connections, in the two forms that the Functions bindings know too: a connection string, or an endpoint
// with an identity. The settings are the bindings' own, so app and triggers always talk to the same thing.
//
// The SDK's retries are kept short: whoever gets no answer within a turn is woken again by what is due.
import { CosmosClient, type CosmosClientOptions, type PluginConfig } from "@azure/cosmos";
import { DefaultAzureCredential, ManagedIdentityCredential } from "@azure/identity";
import { RetryMode, ServiceBusClient } from "@azure/service-bus";
import { TerminalFault } from "../domain/faults.ts";
import { readFault } from "./cosmos/answers.ts";
import { listener, type Heard } from "./cosmos/listen.ts";

export type CosmosConnection =
  | { connectionString: string }
  | { accountEndpoint: string; clientId?: string };

export type ServiceBusConnection =
  | { connectionString: string }
  | { fullyQualifiedNamespace: string; clientId?: string };

const defaultTimeoutMs = 10_000;

export function openCosmos(
  connection: CosmosConnection,
  options: {
    requestTimeoutMs?: number;
    instanceId?: string;
    hear?: (heard: Heard) => void;
  } = {},
): CosmosClient {
  // The service's own logs then tell which instance asked.
  const named = options.instanceId === undefined ? {} : { userAgentSuffix: options.instanceId };
  const connectionPolicy = {
    requestTimeout: options.requestTimeoutMs ?? defaultTimeoutMs,
    // A write is sent to one region, once: what became of it is ours to find out.
    useMultipleWriteLocations: false,
    enablePartitionLevelFailover: false,
  };
  const { hear } = options;
  // In the SDK's code and exports; only its options' type leaves it out.
  const plugins = hear === undefined ? {} : { plugins: [listener(hear)] };
  const common: CosmosClientOptions & { plugins?: PluginConfig[] } = {
    connectionPolicy,
    ...named,
    ...plugins,
  };
  if ("connectionString" in connection) {
    const { connectionString } = connection;
    return new CosmosClient({ ...common, connectionString });
  }
  return new CosmosClient({
    ...common,
    endpoint: connection.accountEndpoint,
    aadCredentials: credentialOf(connection),
  });
}

export function openServiceBus(
  connection: ServiceBusConnection,
  options: { requestTimeoutMs?: number; instanceId?: string } = {},
): ServiceBusClient {
  const { instanceId } = options;
  const clientOptions = {
    ...(instanceId !== undefined && { userAgentOptions: { userAgentPrefix: instanceId } }),
    retryOptions: {
      mode: RetryMode.Exponential,
      maxRetries: 2,
      retryDelayInMs: 500,
      maxRetryDelayInMs: 4000,
      timeoutInMs: options.requestTimeoutMs ?? defaultTimeoutMs,
    },
  };
  return "connectionString" in connection
    ? new ServiceBusClient(connection.connectionString, clientOptions)
    : new ServiceBusClient(
        connection.fullyQualifiedNamespace,
        credentialOf(connection),
        clientOptions,
      );
}

/** A user-assigned identity is named by its client id; else whatever this machine has. */
export function credentialOf({ clientId }: { clientId?: string }) {
  return clientId === undefined
    ? new DefaultAzureCredential()
    : new ManagedIdentityCredential({ clientId });
}

export async function readAccount(client: CosmosClient) {
  try {
    return (await client.getDatabaseAccount()).resource;
  } catch (error) {
    throw readFault(error, "the read of the account", {});
  }
}

/** Throws when the account cannot keep what the protocol rests on; called at start-up. */
export async function assertSafeAccount(client: CosmosClient): Promise<void> {
  const account = await readAccount(client);
  if (account === undefined) return;
  if (account.enableMultipleWritableLocations) {
    throw new TerminalFault(
      "The Cosmos DB account writes in several regions, where an ETag guards nothing; turn multi-region writes off.",
    );
  }
  const consistency: string = account.consistencyPolicy;
  if (consistency !== "Strong" && consistency !== "BoundedStaleness") {
    throw new TerminalFault(
      `The Cosmos DB account's consistency is ${consistency}: one worker would not see what another wrote; ` +
        "choose Bounded Staleness or Strong.",
    );
  }
}
