// The socket below a Service Bus client, reached by the names of @azure/service-bus 7.9 and rhea-promise 3, because the SDK
// offers none of four things that this host needs of it.
import type { ServiceBusClient } from "@azure/service-bus";
import { Socket } from "node:net";

export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

export function setField(value: unknown, name: string, next: unknown): void {
  if (typeof value === "object" && value !== null) Reflect.set(value, name, next);
}

function amqpConnection(client: ServiceBusClient): unknown {
  return field(field(field(client, "_connectionContext"), "connection"), "_connection");
}

/**
 * Cuts the socket the way a dying machine does: nothing is closed, released or settled. (`close` says good-bye properly.)
 */
export function cutConnection(client: ServiceBusClient): void {
  // Tells the SDK not to connect again when it sees the socket go.
  setField(field(client, "_connectionContext"), "wasConnectionCloseCalled", true);
  const socket = field(amqpConnection(client), "socket");
  const destroy = field(socket, "destroy");
  if (typeof destroy === "function") Reflect.apply(destroy, socket, []);
  // Or each link would wait 60 s for the answer to its good-bye.
  const connection = amqpConnection(client);
  const state = field(connection, "state");
  for (const end of ["local_open", "remote_open"]) setField(state, end, false);
  // rhea does not tell of a connection that it holds for closed: what waits for such an answer already is told here.
  const emit = field(connection, "emit");
  if (typeof emit === "function") Reflect.apply(emit, connection, ["disconnected", { connection }]);
  client.close().catch(() => {});
}

/**
 * Told once, when the connection is gone. rhea-promise 3 forgets what waits for a link or a session to close in that moment
 * (it stops listening and settles nothing), and the SDK may wait for such a close itself: so whoever waits for anything of
 * this client must be told from here, and take another one.
 */
export function onConnectionLost(client: ServiceBusClient, lost: () => void): void {
  const connection = amqpConnection(client);
  const once = field(connection, "once");
  if (typeof once === "function") Reflect.apply(once, connection, ["disconnected", lost]);
}

/**
 * Sends small frames at once. With many receivers on one connection a new session otherwise waits 40 ms for the peer's
 * delayed acknowledgement. Counts for the next connect, so it is said before each use.
 */
export function sendAtOnce(client: ServiceBusClient): void {
  setField(field(amqpConnection(client), "options"), "tcp_no_delay", true);
}

/** rhea gives each frame to the socket by itself, with a system call for each: what one round writes leaves together. */
export function writeTogether(client: ServiceBusClient): void {
  const connection = amqpConnection(client);
  const original = field(connection, "_process");
  if (typeof original !== "function") return;
  setField(connection, "_process", () => {
    const socket = field(connection, "socket");
    if (!(socket instanceof Socket)) return void Reflect.apply(original, connection, []);
    socket.cork();
    try {
      Reflect.apply(original, connection, []);
    } finally {
      socket.uncork();
    }
  });
}
