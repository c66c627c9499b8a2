// A client on the SDK's own AMQP library, for exchanges that cannot be forced with the SDK.

import { once } from "node:events";

import rhea, { type Connection, type EventContext } from "rhea";

import { afterTest } from "./with-service-bus.ts";

export function connectRaw(connectionString: string): Connection {
  const { hostname, port } = new URL(/Endpoint=([^;]+)/.exec(connectionString)?.[1] ?? "");
  const connection = rhea.connect({ host: hostname, port: Number(port), username: "a" });
  connection.on("disconnected", () => {});
  afterTest(async () => connection.close());
  return connection;
}

export type ManagementReply = {
  properties: Record<string, unknown> | undefined;
  body: unknown;
};

export async function managementRequests(connectionString: string, queue: string) {
  const connection = connectRaw(connectionString);
  const address = `${queue}/$management`;
  const replies = connection.open_receiver({ source: address, target: "replies" });
  const requests = connection.open_sender({ target: address });
  await once(requests, "sendable");
  return async (
    operation: string,
    body: Record<string, unknown>,
    linkName?: string,
  ): Promise<ManagementReply> => {
    requests.send({
      message_id: "1",
      reply_to: "replies",
      application_properties: {
        operation: `com.microsoft:${operation}`,
        ...(linkName !== undefined && { "associated-link-name": linkName }),
      },
      body,
    });
    const [{ message }] = (await once(replies, "message")) as [EventContext];
    return { properties: message?.application_properties, body: message?.body };
  };
}
