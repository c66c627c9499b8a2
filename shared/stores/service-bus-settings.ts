// The queues' settings and counts, through Service Bus's management API: it takes the right to manage, which the app's own identity
// need not have, and a certificate that this machine trusts. Absent without them.
import { ServiceBusAdministrationClient } from "@azure/service-bus";
import { credentialOf, type ServiceBusConnection } from "./connections.ts";

/** The broker's own counts. */
export interface QueueCounts {
  name: string;
  /** Those that somebody works on included. */
  active: number;
  scheduled: number;
  deadLettered: number;
}

export interface QueueSettings extends QueueCounts {
  requiresSession: boolean;
  detectsDuplicates: boolean;
  lockDuration: string;
  deliveryCountMax: number;
}

export interface QueueManagement {
  settings(names: readonly string[]): Promise<readonly QueueSettings[] | undefined>;
  counts(names: readonly string[]): Promise<readonly QueueCounts[] | undefined>;
}

const timeoutMs = 5000;

export function queueManagement(connection: ServiceBusConnection): QueueManagement {
  const retryOptions = { maxRetries: 0 };
  const client =
    "connectionString" in connection
      ? new ServiceBusAdministrationClient(connection.connectionString, { retryOptions })
      : new ServiceBusAdministrationClient(
          connection.fullyQualifiedNamespace,
          credentialOf(connection),
          { retryOptions },
        );
  return {
    settings: (names) => orUnreadable(names, (name) => settingsOf(client, name)),
    counts: (names) => orUnreadable(names, (name) => countsOf(client, name)),
  };
}

async function orUnreadable<Seen>(
  names: readonly string[],
  look: (name: string) => Promise<Seen>,
): Promise<readonly Seen[] | undefined> {
  try {
    return await Promise.all(names.map(look));
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
  const [queue, counts] = await Promise.all([
    client.getQueue(name, { abortSignal }),
    countsOf(client, name),
  ]);
  return {
    ...counts,
    requiresSession: queue.requiresSession,
    detectsDuplicates: queue.requiresDuplicateDetection,
    lockDuration: queue.lockDuration,
    deliveryCountMax: queue.maxDeliveryCount,
  };
}

async function countsOf(
  client: ServiceBusAdministrationClient,
  name: string,
): Promise<QueueCounts> {
  const abortSignal = AbortSignal.timeout(timeoutMs);
  const running = await client.getQueueRuntimeProperties(name, { abortSignal });
  return {
    name,
    active: running.activeMessageCount,
    scheduled: running.scheduledMessageCount,
    deadLettered: running.deadLetterMessageCount,
  };
}
