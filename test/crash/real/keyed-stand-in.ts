// A stand-in for a system that enforces a key: one answer a key, given again whenever it comes, and a journal of what was done.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AppliedThere, StandIn } from "./subject.ts";

/** What one request does, in the journal's terms, and what is answered; `n` counts what was done. */
export type Act = (
  body: unknown,
  n: number,
) => { done: Omit<AppliedThere, "atMs">; answer: Record<string, unknown> };

/** A request without a key is carried out each time. */
export async function keyedStandIn(act: Act): Promise<StandIn> {
  const journal: AppliedThere[] = [];
  const answers = new Map<string, string>();
  const carryOut = (text: string): string => {
    const { answer, done } = act(JSON.parse(text), journal.length + 1);
    journal.push({ ...done, atMs: Date.now() });
    return JSON.stringify(answer);
  };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (bytes: Buffer) => void (text += bytes.toString()));
    request.on("end", () => {
      const key = String(request.headers["idempotency-key"] ?? "");
      const answer = (key === "" ? undefined : answers.get(key)) ?? carryOut(text);
      answers.set(key, answer);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(answer);
    });
  });
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
