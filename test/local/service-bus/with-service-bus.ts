// A broker of its own for a test, the real SDK connected to it, and waiting for a condition.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  ServiceBusAdministrationClient,
  ServiceBusClient,
  type ServiceBusReceivedMessage,
} from "@azure/service-bus";
import { afterEach } from "vitest";

import type { ServiceBusEntities } from "../../../local/service-bus/entities.ts";
import { serviceBusControl, type ServiceBusControl } from "../../../local/service-bus/faults.ts";
import { startServiceBus } from "../../../local/service-bus/server.ts";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

export function afterTest(cleanup: () => Promise<void>): void {
  cleanups.push(cleanup);
}

export type TestBus = {
  dataFolder: string;
  connectionString: string;
  controlUrl: string;
  control: ServiceBusControl;
  /** One more connection of its own. */
  connect(timeoutInMs?: number): ServiceBusClient;
  administer(): ServiceBusAdministrationClient;
  /** The certificate of this machine, to be trusted by hand. */
  certificate: string;
  /** Stops and starts again on the same data; old clients stay on the old port. */
  restart(): Promise<void>;
};

export async function serviceBus(entities: ServiceBusEntities): Promise<TestBus> {
  const dataFolder = await temporaryFolder();
  let running = await startServiceBus({ dataFolder, entities });
  afterTest(() => running.close());
  return {
    dataFolder,
    get connectionString() {
      return running.connectionString;
    },
    get controlUrl() {
      return running.controlUrl;
    },
    get control() {
      return serviceBusControl(running.controlUrl);
    },
    connect: (timeoutInMs) => connect(running.connectionString, timeoutInMs),
    administer: () => administer(running.connectionString, running.certificate.text),
    get certificate() {
      return running.certificate.text;
    },
    async restart() {
      await running.close();
      running = await startServiceBus({ dataFolder, entities });
    },
  };
}

export function connect(connectionString: string, timeoutInMs?: number): ServiceBusClient {
  const client = new ServiceBusClient(connectionString, {
    retryOptions: { maxRetries: 0, ...(timeoutInMs !== undefined && { timeoutInMs }) },
  });
  afterTest(() => client.close());
  return client;
}

export function administer(
  connectionString: string,
  certificate: string,
): ServiceBusAdministrationClient {
  return new ServiceBusAdministrationClient(connectionString, {
    retryOptions: { maxRetries: 0 },
    tlsOptions: { ca: certificate },
  });
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "service-bus-"));
  afterTest(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function until<Value>(
  what: string,
  read: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  const givenUpAtMs = Date.now() + 15_000;
  while (Date.now() < givenUpAtMs) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  throw new Error(`Waited in vain: ${what}`);
}

export function bodies(messages: ServiceBusReceivedMessage[]): unknown[] {
  return messages.map((message) => message.body as unknown);
}

type SequenceNumber = NonNullable<ServiceBusReceivedMessage["sequenceNumber"]>;

export function numberOf({ sequenceNumber }: ServiceBusReceivedMessage): SequenceNumber {
  if (sequenceNumber === undefined) throw new Error("A received message has no sequence number.");
  return sequenceNumber;
}

/** The code the SDK gave its error, or a note that there was none. */
export async function codeOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return "no error";
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
}

export function only<Value>(values: Value[]): Value {
  const [value] = values;
  if (value === undefined || values.length !== 1) {
    throw new Error(`Expected one, found ${values.length}`);
  }
  return value;
}
