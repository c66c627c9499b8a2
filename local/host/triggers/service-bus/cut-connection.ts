// Cuts a Service Bus client's socket the way a dying machine does: nothing is closed, released or settled.
// The SDK has no such call (its `close` says good-bye properly, and the broker then frees the session without
// counting the delivery), so this reaches for the socket below it, by the names of @azure/service-bus 7.9.
import type { ServiceBusClient } from "@azure/service-bus";

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

export function cutConnection(client: ServiceBusClient): void {
  const context = field(client, "_connectionContext");
  // Tells the SDK not to connect again when it sees the socket go.
  if (typeof context === "object" && context !== null) {
    Reflect.set(context, "wasConnectionCloseCalled", true);
  }
  const connection = field(field(context, "connection"), "_connection");
  const socket = field(connection, "socket");
  const destroy = field(socket, "destroy");
  if (typeof destroy === "function") Reflect.apply(destroy, socket, []);
  client.close().catch(() => {});
}
