// The host's HTTP server: on 127.0.0.1, with an error that says what to do when the port is in use, and a close that
// lets running requests end and does not wait for idle keep-alive connections.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type HttpServer = {
  port: number;
  url: string;
  /** Resolves when the last running request has been answered. */
  close(): Promise<void>;
  /** Cuts what is still open. */
  destroy(): void;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function inWords(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== "EADDRINUSE") return error;
  const text = `Port ${port} on 127.0.0.1 is already in use: stop what uses it or choose another port.`;
  return Object.assign(new Error(text, { cause: error }), { code: error.code });
}

export async function listenHttp(port: number, handler: Handler): Promise<HttpServer> {
  let isClosing = false;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    // The connection of a request that was running at the close becomes idle only now.
    response.on("close", () => {
      if (isClosing) setImmediate(() => server.closeIdleConnections());
    });
    handler(request, response);
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", (error) => listening.reject(inWords(error, port)));
  server.listen(port, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      isClosing = true;
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
    destroy: () => server.closeAllConnections(),
  };
}
