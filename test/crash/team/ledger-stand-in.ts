// The general ledger's stand-in: keeps its promise about keys, and a journal of what it has posted.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { AppliedThere, StandIn } from "../real/subject.ts";

const Asked = z.object({
  action: z.string(),
  operation: z.string(),
  account: z.string(),
  amount: z.string(),
});

export async function startLedger(): Promise<StandIn> {
  const journal: AppliedThere[] = [];
  const answers = new Map<string, string>();
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (bytes: Buffer) => void (text += bytes.toString()));
    request.on("end", () => {
      const key = String(request.headers["idempotency-key"] ?? "");
      const answer = (key === "" ? undefined : answers.get(key)) ?? post(JSON.parse(text));
      answers.set(key, answer);
      response.writeHead(201, { "content-type": "application/json" });
      response.end(answer);
    });
  });

  function post(body: unknown): string {
    const { action, operation, ...payload } = Asked.parse(body);
    const providerId = `E-${journal.length + 1}`;
    const target = payload.account;
    journal.push({ action, atMs: Date.now(), operationId: operation, target, payload, providerId });
    return JSON.stringify({ id: providerId, operation, ...payload });
  }

  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    applied: async () => [...journal],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
