// Output bindings: what a function returned or set is written after it ended. A write that fails makes the
// invocation fail, although everything the handler did has happened (as on Azure).
//   Service Bus: the body only, an array is one message each; no session or message id can be set.
//   Cosmos DB: upsert, an array item by item; no transaction with anything.
import { type Container, CosmosClient } from "@azure/cosmos";
import { ServiceBusClient, type ServiceBusSender } from "@azure/service-bus";
import type { HostLog } from "../events.ts";
import type { Binding, ErrorText, InvocationResponse, TypedData } from "../protocol.ts";
import { type AppSettings, connectionString } from "../settings/app-settings.ts";
import { neededText, optionText } from "../settings/binding-text.ts";
import type { HostedFunction } from "../settings/functions.ts";

export type Outputs = {
  deliver: (hosted: HostedFunction, response: InvocationResponse) => Promise<ErrorText | undefined>;
  close(): Promise<void>;
};

function parsed(data: TypedData): unknown {
  if (data.json !== undefined) return JSON.parse(data.json);
  if (data.bytes !== undefined) return data.bytes;
  return data.string ?? data.int ?? data.double;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without a `$return` binding, the properties of a returned object go to the outputs of the same name. */
function outputValues(hosted: HostedFunction, response: InvocationResponse): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const { returnValue } = response;
  if (returnValue !== null && returnValue !== undefined) {
    if (hosted.hasReturnBinding) values.set("$return", parsed(returnValue));
    else if (returnValue.json !== undefined) {
      const returned: unknown = JSON.parse(returnValue.json);
      if (isRecord(returned)) {
        for (const [name, value] of Object.entries(returned)) values.set(name, value);
      }
    }
  }
  for (const { name, data } of response.outputData ?? []) values.set(name, parsed(data));
  return values;
}

function messageOf(value: unknown): { body: unknown; contentType?: string } {
  if (typeof value === "string") return { body: Buffer.from(value), contentType: "text/plain" };
  if (value instanceof Uint8Array) return { body: value };
  return { body: value, contentType: "application/json" };
}

type Clients = {
  sender: (binding: Binding) => ServiceBusSender;
  container: (binding: Binding) => Container;
  close: () => Promise<void>;
};

/** One client per connection, one sender per entity, for the host's life. */
function keptClients(settings: AppSettings): Clients {
  const buses = new Map<string, ServiceBusClient>();
  const senders = new Map<string, ServiceBusSender>();
  const accounts = new Map<string, CosmosClient>();
  return {
    sender: (binding) => {
      const connection = connectionString(
        settings,
        binding["connection"],
        "AzureWebJobsServiceBus",
      );
      const entity = optionText(binding, "queueName") ?? neededText(binding, "topicName");
      const bus = buses.get(connection) ?? new ServiceBusClient(connection);
      buses.set(connection, bus);
      const key = `${entity} ${connection}`;
      const sender = senders.get(key) ?? bus.createSender(entity);
      senders.set(key, sender);
      return sender;
    },
    container: (binding) => {
      const connection = connectionString(settings, binding["connection"], "CosmosDB");
      const account = accounts.get(connection) ?? new CosmosClient(connection);
      accounts.set(connection, account);
      return account
        .database(neededText(binding, "databaseName"))
        .container(neededText(binding, "containerName"));
    },
    close: async () => {
      await Promise.all([...buses.values()].map((bus) => bus.close()));
    },
  };
}

async function write(clients: Clients, binding: Binding, value: unknown): Promise<void> {
  const many = Array.isArray(value) ? value : [value];
  switch (binding.type?.toLowerCase()) {
    case "http":
      return;
    case "servicebus":
      await clients.sender(binding).sendMessages(many.map(messageOf));
      return;
    case "cosmosdb": {
      const container = clients.container(binding);
      for (const document of many) {
        await container.items.upsert(
          typeof document === "string" ? JSON.parse(document) : document,
        );
      }
      return;
    }
    default:
      throw new Error(`The local host has no output binding of type "${binding.type}".`);
  }
}

export function createOutputs(settings: AppSettings, log: HostLog): Outputs {
  const clients = keptClients(settings);
  return {
    deliver: async (hosted, response) => {
      if (hosted.outputs.every(({ type }) => type.toLowerCase() === "http")) return undefined;
      const values = outputValues(hosted, response);
      for (const binding of hosted.outputs) {
        const value = values.get(binding.name);
        if (value === undefined || value === null) continue;
        try {
          await write(clients, binding, value);
        } catch (error) {
          const message = `The output "${binding.name}" of '${hosted.name}' was not written: ${String(error)}`;
          log("error", `Function.${hosted.name}`, message, { functionName: hosted.name });
          return { message };
        }
      }
      return undefined;
    },
    close: () => clients.close(),
  };
}
