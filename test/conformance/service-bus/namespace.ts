// A Service Bus namespace for one case: the stand-in, fresh, or the one that CONFORMANCE_SERVICE_BUS names.
//
// The entities are those of entities.json, which is in the shape of Microsoft's emulator: start that emulator with it, or make
// the same queues, topic and subscriptions in a namespace of your own (Standard tier). Aimed there, each case first empties what
// it uses, and waits for locks that earlier cases left. The stand-in gets the same file with shorter times, which Azure refuses;
// so a case that waits for a lock, a window or a time to live (its title ends with "(waits)") reads its length from `times`.
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ServiceBusAdministrationClient,
  ServiceBusClient,
  type ServiceBusReceivedMessage,
} from "@azure/service-bus";
import { afterEach, expect } from "vitest";
import type { EmulatorConfig } from "../../../local/service-bus/entities.ts";
import { startServiceBus } from "../../../local/service-bus/server.ts";
import { emptyQueue, peeker, type Entity } from "./empty-queue.ts";

export const aimedAt = process.env["CONFORMANCE_SERVICE_BUS"];

export const PLAIN = "conformance-plain";
export const BRIEF = "conformance-brief";
export const SESSIONS = "conformance-sessions";
export const BRIEF_SESSIONS = "conformance-brief-sessions";
export const EXPIRING = "conformance-expiring";
export const ONCE = "conformance-once";
export const NEWS = "conformance-news";

/** How long the waits of the short-lived entities are. */
export const times =
  aimedAt === undefined
    ? { lockMs: 500, timeToLiveMs: 500, windowMs: 500, soonMs: 1000 }
    : { lockMs: 5000, timeToLiveMs: 5000, windowMs: 20_000, soonMs: 3000 };

/** Long enough for a message that is there to arrive, and for one that must not come to show itself. */
export const QUIET_MS = aimedAt === undefined ? 150 : 3000;

export type Namespace = {
  connectionString: string;
  /** One more connection of its own; its operations are not retried. */
  connect(timeoutInMs?: number): ServiceBusClient;
  administer(): ServiceBusAdministrationClient;
  /** What lies in a queue or subscription, in every state, without touching it. */
  contents(...entity: Entity): Promise<ServiceBusReceivedMessage[]>;
  deadLetters(...entity: Entity): Promise<ServiceBusReceivedMessage[]>;
};

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

export function afterCase(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
}

export async function namespace(...used: (string | Entity)[]): Promise<Namespace> {
  const { connectionString, tlsOptions } =
    aimedAt === undefined ? await startStandIn() : { connectionString: aimedAt };
  const connect = (timeoutInMs?: number): ServiceBusClient => {
    const retryOptions = { maxRetries: 0, ...(timeoutInMs !== undefined && { timeoutInMs }) };
    const client = new ServiceBusClient(connectionString, { retryOptions });
    afterCase(() => client.close());
    return client;
  };
  const looking = connect();
  const peek = peeker(looking);
  if (aimedAt !== undefined) {
    for (const entity of used) {
      await emptyQueue(looking, typeof entity === "string" ? [entity] : entity);
    }
  }
  return {
    connectionString,
    connect,
    administer: () =>
      new ServiceBusAdministrationClient(connectionString, {
        retryOptions: { maxRetries: 0 },
        ...(tlsOptions !== undefined && { tlsOptions }),
      }),
    contents: (...entity) => peek(entity),
    deadLetters: (...entity) => peek(entity, "deadLetter"),
  };
}

/** A queue with these messages in it, and a receiver that renews no locks by itself, as the SDK would for five minutes. */
export async function withMessages(queue: string, ...sent: unknown[]) {
  const bus = await namespace(queue);
  const client = bus.connect();
  const sender = client.createSender(queue);
  for (const body of sent) await sender.sendMessages({ body });
  const receiver = client.createReceiver(queue, { maxAutoLockRenewalDurationInMs: 0 });
  const receive = (): Promise<ServiceBusReceivedMessage> => one(receiver.receiveMessages(1));
  return { bus, client, sender, receiver, receive };
}

const ENTITIES = join(import.meta.dirname, "entities.json");
const SHORTENED = /"PT(5|20)S"/g;

async function startStandIn() {
  const dataFolder = await mkdtemp(join(tmpdir(), "conformance-service-bus-"));
  afterCase(() => rm(dataFolder, { recursive: true, force: true }));
  const text = readFileSync(ENTITIES, "utf8").replaceAll(SHORTENED, '"PT0.5S"');
  const bus = await startServiceBus({ dataFolder, entities: JSON.parse(text) as EmulatorConfig });
  afterCase(() => bus.close());
  // The only difference for a client: it must be told to trust this machine's own certificate.
  return { connectionString: bus.connectionString, tlsOptions: { ca: bus.certificate.text } };
}

export function bodies(messages: ServiceBusReceivedMessage[]): unknown[] {
  return messages.map((message) => message.body as unknown);
}

type SequenceNumber = NonNullable<ServiceBusReceivedMessage["sequenceNumber"]>;

export function numberOf(message: ServiceBusReceivedMessage | undefined): SequenceNumber {
  return message?.sequenceNumber ?? expect.fail("there is no message with a sequence number");
}

/** The code that the SDK gave its error, or a note that there was none. */
export async function codeOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return "no error";
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
}

/** The one that was asked for. */
export async function one(
  receiving: Promise<ServiceBusReceivedMessage[]>,
): Promise<ServiceBusReceivedMessage> {
  const [message] = await receiving;
  return message ?? expect.fail("no message came");
}

export async function until<Value>(
  what: string,
  read: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  const givenUpAtMs = Date.now() + (aimedAt === undefined ? 8000 : 90_000);
  while (Date.now() < givenUpAtMs) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, aimedAt === undefined ? 10 : 250));
  }
  throw new Error(`Waited in vain: ${what}`);
}
