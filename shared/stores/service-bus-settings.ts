// The settings of the queues, through Service Bus's management API: it takes the right to manage, which the app's own identity
// need not have, and a certificate that this machine trusts. Absent without them.
import { ServiceBusAdministrationClient } from "@azure/service-bus";
import { credentialOf, type ServiceBusConnection } from "./connections.ts";

export interface QueueSettings {
  name: string;
  requiresSession: boolean;
  detectsDuplicates: boolean;
  lockDuration: string;
  deliveryCountMax: number;
  active: number;
  deadLettered: number;
}

const timeoutMs = 5000;

export async function readQueueSettings(
  connection: ServiceBusConnection,
  names: readonly string[],
): Promise<readonly QueueSettings[] | undefined> {
  const retryOptions = { maxRetries: 0 };
  const client =
    "connectionString" in connection
      ? new ServiceBusAdministrationClient(connection.connectionString, { retryOptions })
      : new ServiceBusAdministrationClient(
          connection.fullyQualifiedNamespace,
          credentialOf(connection),
          { retryOptions },
        );
  try {
    return await Promise.all(names.map((name) => settingsOf(client, name)));
  } catch {
    // Refused, unreachable or in time for nothing: the SDK has a shape of its own for each, and all say "not readable".
    return undefined;
  }
}

async function settingsOf(
  client: ServiceBusAdministrationClient,
  name: string,
): Promise<QueueSettings> {
  const abortSignal = AbortSignal.timeout(timeoutMs);
  const [queue, running] = await Promise.all([
    client.getQueue(name, { abortSignal }),
    client.getQueueRuntimeProperties(name, { abortSignal }),
  ]);
  return {
    name,
    requiresSession: queue.requiresSession,
    detectsDuplicates: queue.requiresDuplicateDetection,
    lockDuration: queue.lockDuration,
    deliveryCountMax: queue.maxDeliveryCount,
    active: running.activeMessageCount,
    deadLettered: running.deadLetterMessageCount,
  };
}
