// HTTP servers that answer as no good provider would, and what reached them: whole requests and connections.
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer as createRawServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface OddServer {
  url: string;
  received: Received[];
  /** All connections that were ever made to it. */
  sockets: Socket[];
}

export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** `respond` runs once the whole request has been read. */
export async function oddServer(
  respond: (response: ServerResponse, received: Received) => void,
): Promise<OddServer> {
  const received: Received[] = [];
  const sockets: Socket[] = [];
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, url: path = "" } = request;
    const one = { path, headers, body: await bodyOf(request) };
    received.push(one);
    respond(response, one);
  }
  const server = createServer((request, response) => {
    void receive(request, response);
  });
  server.on("connection", (socket) => sockets.push(socket));
  const url = await listening(server);
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return { url, received, sockets };
}

export function answering(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** Speaks bytes, not HTTP: `respond` runs at the first bytes of each connection. */
export async function rawServer(respond: (socket: Socket) => void): Promise<OddServer> {
  const sockets: Socket[] = [];
  const received: Received[] = [];
  const server = createRawServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {
      // The other side hung up: that is what these servers are for.
    });
    socket.once("data", (bytes) => {
      received.push({ path: "", headers: {}, body: bytes.toString() });
      respond(socket);
    });
  });
  const url = await listening(server);
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return { url, received, sockets };
}

/** An address where nobody listens. */
export async function refusingUrl(): Promise<string> {
  const server = createRawServer();
  const url = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}
