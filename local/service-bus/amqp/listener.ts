// The AMQP 1.0 side of the broker's port: SASL ANONYMOUS over plain TCP, and a table of what a link
// may attach to.
//
//   $cbs                     token exchange            cbs.ts
//   <entity>/$management     requests and replies      management.ts
//   <entity>                 the client sends          client-sends.ts
//   <entity>                 the client receives       client-receives.ts
//
// Every link's end (detach, session end, close, socket lost) comes down to one call of its `ended`.

import type { Server } from "node:net";

import rhea, { type Connection, type EventContext, type Receiver, type Sender } from "rhea";

import type { Broker } from "../broker/broker.ts";
import { entityNotFound } from "../broker/message.ts";
import { serveTokenRequests } from "./requests/cbs.ts";
import { serveReceiver } from "./client-receives.ts";
import { serveSender } from "./client-sends.ts";
import { serveManagement } from "./requests/management.ts";
import type { Queue } from "../broker/queue.ts";
import {
  cutConnection,
  keepRawMessages,
  letLateDetachesPass,
  onSocketClosed,
  tellEachOutcome,
  writeTogether,
  userAgentOf,
} from "./rhea-internals.ts";

/** What a link leaves behind: called once, however the link came to its end. */
export type LinkEnd = () => void;

/** A server that begins to listen at once; whoever starts it waits for that and closes it. */
export function serveAmqp(broker: Broker, port: number): Server {
  const container = rhea.create_container({
    id: "local-service-bus",
    // Settling is the broker's business, message by message.
    receiver_options: { autoaccept: false, autosettle: false },
    sender_options: { autosettle: false, treat_modified_as_released: false },
    tcp_no_delay: true,
    max_frame_size: 65_536,
  });
  container.sasl_server_mechanisms.enable_anonymous();

  const connections = new Set<Connection>();
  broker.catalog.onRemoved((queue) => {
    for (const connection of connections) detachFrom(queue, connection);
  });
  container.on("connection_open", ({ connection }: EventContext) => {
    connections.add(connection);
    onSocketClosed(connection, () => connections.delete(connection));
    letLateDetachesPass(connection);
    writeTogether(connection);
    const subject = { operation: "connect", queue: "", sessionId: undefined } as const;
    const fault = broker.faults.draw(subject, userAgentOf(connection));
    if (fault !== undefined) cutConnection(connection);
  });
  container.on("session_open", ({ session }: EventContext) => {
    if (session === undefined) return;
    keepRawMessages(session);
    tellEachOutcome(session);
  });
  container.on("sender_open", ({ sender }: EventContext) => {
    if (sender !== undefined) openToClient(broker, sender);
  });
  container.on("receiver_open", ({ receiver }: EventContext) => {
    if (receiver !== undefined) openFromClient(broker, receiver);
  });
  // A peer that vanishes loses its connection; the broker goes on.
  for (const event of ["connection_error", "session_error", "disconnected"]) {
    container.on(event, () => {});
  }
  // rhea also catches what handlers throw and cuts that connection. It must not go unseen.
  container.on("error", (error: unknown) => console.error("A connection failed.", error));
  // Somebody who speaks neither AMQP nor TLS.
  container.on("protocol_error", (error: Error) =>
    console.error(`A connection failed: ${error.message}`),
  );

  return container.listen({ host: "127.0.0.1", port });
}

/** The queue or subscription that a link is for, so that it ends with it. */
const servedBy = new WeakMap<Sender | Receiver, Queue>();

function detachFrom(queue: Queue, connection: Connection): void {
  const isForIt = (link: Sender | Receiver): boolean => servedBy.get(link) === queue;
  const detach = (link: Sender | Receiver): void => link.close(entityNotFound(queue.name));
  connection.each_sender(detach, isForIt);
  connection.each_receiver(detach, isForIt);
}

/** The client attached as receiver. */
function openToClient(broker: Broker, link: Sender): void {
  const address = link.source?.address ?? "";
  link.set_source({ address });
  link.set_target({ address: link.target?.address ?? "" });
  // Replies of $cbs and $management are sent by their request links, which find this one by name.
  if (address === "$cbs" || isManagement(address)) return;
  const queue = broker.findSource(address);
  if (queue === undefined) link.close(entityNotFound(address));
  else {
    servedBy.set(link, queue);
    onceEnded(link, serveReceiver(broker, queue, link));
  }
}

/** The client attached as sender. */
function openFromClient(broker: Broker, link: Receiver): void {
  const address = link.target?.address ?? "";
  link.set_source({ address: link.source?.address ?? "" });
  link.set_target({ address });
  if (address === "$cbs") {
    serveTokenRequests(link);
    return;
  }
  if (isManagement(address)) {
    const entity = entityOf(address);
    const managed = broker.findDestination(entity) ?? broker.findSource(entity);
    if (managed === undefined) link.close(entityNotFound(address));
    else {
      servedBy.set(link, managed);
      serveManagement(broker, managed, link);
    }
    return;
  }
  const queue = broker.findDestination(address);
  if (queue === undefined) link.close(entityNotFound(address));
  else {
    servedBy.set(link, queue);
    serveSender(broker, queue, link);
  }
}

function isManagement(address: string): boolean {
  return address.toLowerCase().endsWith("/$management");
}

function entityOf(address: string): string {
  return address.slice(0, -"/$management".length);
}

const linkEnds = new WeakMap<Connection, Set<{ link: Sender; end: LinkEnd }>>();

function onceEnded(link: Sender, end: LinkEnd): void {
  const { connection } = link;
  const ends = linkEnds.get(connection) ?? watchConnection(connection);
  const entry = { link, end };
  ends.add(entry);
  link.on("sender_close", () => {
    if (ends.delete(entry)) end();
  });
}

function watchConnection(connection: Connection): Set<{ link: Sender; end: LinkEnd }> {
  const ends = new Set<{ link: Sender; end: LinkEnd }>();
  linkEnds.set(connection, ends);
  const endWhere = (isOver: (link: Sender) => boolean): void => {
    for (const entry of ends) {
      if (isOver(entry.link) && ends.delete(entry)) entry.end();
    }
  };
  connection.on("session_close", ({ session }: EventContext) => {
    endWhere((link) => link.session === session);
  });
  connection.on("connection_close", () => endWhere(() => true));
  onSocketClosed(connection, () => endWhere(() => true));
  return ends;
}
