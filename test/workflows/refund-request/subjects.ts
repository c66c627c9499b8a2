// What tries the refund with workers that are killed and frozen: its adapter, one thing to do, and a stand-in for the provider.
//
//   npm run crash -- --action payments.refund.v1 --from test/workflows/refund-request/subjects.ts
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { AppliedThere, StandIn, Subject } from "../../crash/real/subject.ts";
import { cardPayments, refund } from "./card-payments.ts";

export const subjects: readonly Subject[] = [
  {
    action: refund,
    provider: (baseUrl) => cardPayments({ baseUrl, token: "test-token" }),
    example: (tag) => {
      const charge = `ch-${tag}`;
      return { target: charge, payload: { charge, amount: "12.50", currency: "EUR" } };
    },
    startStandIn: startPayments,
  },
];

const Asked = z.object({
  operation: z.string(),
  charge: z.string(),
  amount: z.string(),
  currency: z.string(),
});

/** Keeps the provider's promise about keys, and a journal of what it has refunded. */
export async function startPayments(): Promise<StandIn> {
  const journal: AppliedThere[] = [];
  const answers = new Map<string, string>();
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (bytes: Buffer) => void (text += bytes.toString()));
    request.on("end", () => {
      const key = String(request.headers["idempotency-key"]);
      const answer = answers.get(key) ?? refundOnce(JSON.parse(text));
      answers.set(key, answer);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(answer);
    });
  });

  function refundOnce(body: unknown): string {
    const { operation: operationId, ...payload } = Asked.parse(body);
    const providerId = `re-${journal.length + 1}`;
    const { charge: target } = payload;
    const action = refund.name;
    journal.push({ action, atMs: Date.now(), operationId, target, payload, providerId });
    return JSON.stringify({ id: providerId, operation: operationId, ...payload });
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
