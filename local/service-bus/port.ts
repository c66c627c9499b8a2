// One port for both of the SDK's clients, as in Azure one connection string serves both: the client of
// messages speaks AMQP, in the clear (UseDevelopmentEmulator) or over TLS (an identity's namespace), the
// administration client https.
//
// All speak first, so the first byte tells: a TLS record of a handshake begins with 0x16, AMQP with
// its own name; inside TLS the same again. No server sees that the byte was looked at.

import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:tls";
import type { AddressInfo, Server, Socket } from "node:net";

const TLS_HANDSHAKE = 0x16;
/** "A"; no method of HTTP begins with it. */
const AMQP = 0x41;

export type Port = { port: number; close(): Promise<void> };

export async function openPort(
  amqp: Server,
  certificate: { key: string; cert: string },
  administer: RequestListener,
): Promise<Port> {
  // Neither listens: they are handed their connections.
  const http = createServer(administer);
  const [serveAmqp] = amqp.listeners("connection");
  if (serveAmqp === undefined) throw new Error("The AMQP server takes no connections.");
  amqp.removeAllListeners("connection");
  const tls = createTlsServer(certificate, (socket) => {
    byFirstByte(socket, (first) => {
      if (first === AMQP) serveAmqp.call(amqp, socket);
      else http.emit("connection", socket);
    });
  });
  // A client that does not trust the certificate says so and goes.
  tls.on("tlsClientError", () => {});

  const sockets = new Set<Socket>();
  amqp.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    byFirstByte(socket, (first) => {
      if (first === TLS_HANDSHAKE) tls.emit("connection", socket);
      else serveAmqp.call(amqp, socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    amqp.once("listening", resolve).once("error", reject);
  });
  return {
    port: (amqp.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => amqp.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function byFirstByte(socket: Socket, serve: (first: number | undefined) => void): void {
  // Whoever is served hears of it as well; a peer may also vanish before that.
  socket.on("error", () => {});
  socket.once("data", (bytes: Buffer) => {
    socket.pause();
    socket.unshift(bytes);
    serve(bytes[0]);
    process.nextTick(() => socket.resume());
  });
}
