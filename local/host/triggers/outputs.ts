// Output bindings: what a function returned or set is written after it ended. A write that fails makes the
// invocation fail, although everything the handler did has happened (as on Azure).
//   Service Bus: the body only, an array is one message each; no session or message id can be set.
//   Cosmos DB: upsert, an array item by item; no transaction with anything.
import { CosmosClient } from "@azure/cosmos";
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

export function createOutputs(settings: AppSettings, log: HostLog): Outputs {
  const busClients = new Map<string, ServiceBusClient>();
  const senders = new Map<string, ServiceBusSender>();
  const cosmosClients = new Map<string, CosmosClient>();

  function sender(binding: Binding): ServiceBusSender {
    const connection = connectionString(settings, binding["connection"], "AzureWebJobsServiceBus");
    const entity = optionText(binding, "queueName") ?? neededText(binding, "topicName");
    const client = busClients.get(connection) ?? new ServiceBusClient(connection);
    busClients.set(connection, client);
    const key = `${entity} ${connection}`;
    const existing = senders.get(key) ?? client.createSender(entity);
    senders.set(key, existing);
    return existing;
  }

  async function upsert(binding: Binding, value: unknown): Promise<void> {
    const connection = connectionString(settings, binding["connection"], "CosmosDB");
    const client = cosmosClients.get(connection) ?? new CosmosClient(connection);
    cosmosClients.set(connection, client);
    const container = client
      .database(neededText(binding, "databaseName"))
      .container(neededText(binding, "containerName"));
    const document: unknown = typeof value === "string" ? JSON.parse(value) : value;
    for (const one of Array.isArray(document) ? document : [document]) {
      await container.items.upsert(one);
    }
  }

  async function write(binding: Binding & { type: string }, value: unknown): Promise<void> {
    switch (binding.type.toLowerCase()) {
      case "http":
        return;
      case "servicebus": {
        const messages = (Array.isArray(value) ? value : [value]).map(messageOf);
        await sender(binding).sendMessages(messages);
        return;
      }
      case "cosmosdb":
        await upsert(binding, value);
        return;
      default:
        throw new Error(`The local host has no output binding of type "${binding.type}".`);
    }
  }

  return {
    deliver: async (hosted, response) => {
      if (hosted.outputs.every((binding) => binding.type.toLowerCase() === "http")) {
        return undefined;
      }
      const values = outputValues(hosted, response);
      for (const binding of hosted.outputs) {
        const value = values.get(binding.name);
        if (value === undefined || value === null) continue;
        try {
          await write(binding, value);
        } catch (error) {
          const message = `The output "${binding.name}" of '${hosted.name}' was not written: ${String(error)}`;
          log("error", `Function.${hosted.name}`, message, { functionName: hosted.name });
          return { message };
        }
      }
      return undefined;
    },
    close: async () => {
      await Promise.all([...busClients.values()].map((client) => client.close()));
    },
  };
}
