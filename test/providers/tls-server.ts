// An HTTPS server of the tests' own certificate, which a client must be told to trust.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { onTestFinished } from "vitest";
import { CERTIFICATE, PRIVATE_KEY } from "../local/cosmos/service/loopback-certificate.ts";
import { bodyOf, listening } from "./odd-server.ts";

/** With a certificate of its own for 127.0.0.1; `received` are the bodies. */
export async function tlsServer({
  answers,
  ...options
}: {
  answers: number | "reset" | "silence";
  requestCert?: boolean;
  rejectUnauthorized?: boolean;
}): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    received.push(await bodyOf(request));
    if (answers === "reset") request.socket.destroy();
    else if (answers !== "silence") response.writeHead(answers).end("{}");
  }
  const own = { cert: CERTIFICATE, key: PRIVATE_KEY };
  const server = createServer({ ...own, ...options }, (request, response) => {
    void receive(request, response);
  });
  const url = await listening(server);
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return { url: url.replace(/^http:/, "https:"), received };
}
