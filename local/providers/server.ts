// The systems that the app does not own, as one HTTP server on loopback: a supplier portal under
// /supplier-portal, an email provider under /email, a CRM under /crm, a task board under /task-board,
// and under /_local what tests and demos use to read the journal and to order faults. Never deployed.
//
// State is the journal in the data folder: stored keys and result numbers are read back from it at
// start, so the process may be killed at any time. /elsewhere is where a redirect leads; it answers
// like the portal and applies nothing, so a client that follows redirects is found out.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseJson } from "./systems/call.ts";
import type { ReadCall, ReadQuestion } from "./systems/call.ts";
import { readCrmCall, readCrmQuestion } from "./systems/crm.ts";
import { readTaskCall, readTaskQuestion } from "./systems/task-board.ts";
import { readEmailCall } from "./systems/email.ts";
import { faultTable } from "./fault-table.ts";
import { idempotencyKeys, requestDigest } from "./systems/idempotency-keys.ts";
import type { IdempotencyKeys } from "./systems/idempotency-keys.ts";
import { openJournal } from "./journal.ts";
import type { Entry } from "./journal.ts";
import { serveLocal } from "./local-api.ts";
import { onceKey, serveCall } from "./serve-call.ts";
import type { World } from "./serve-call.ts";
import { readPortalCall } from "./systems/supplier-portal.ts";
import { answer, heldCalls, readBody } from "./wire.ts";

export interface ProvidersOptions {
  dataFolder: string;
  /** 0, the default, takes a free one. */
  port?: number;
  keyRetentionMs?: number;
  /** How long each takes before it answers, once it has applied what it was asked for. */
  latencyMs?: number;
}

export interface Providers {
  url: string;
  port: number;
  close(): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1_000;

const providers: Record<string, ReadCall> = {
  "/supplier-portal": readPortalCall,
  "/email": readEmailCall,
  "/crm": readCrmCall,
  "/task-board": readTaskCall,
};

const questions: Record<string, ReadQuestion> = {
  "/crm": readCrmQuestion,
  "/task-board": readTaskQuestion,
};

export async function startProviders(options: ProvidersOptions): Promise<Providers> {
  const journal = await openJournal(join(options.dataFolder, "journal.jsonl"));
  const past = await journal.after(0);
  const closing = new AbortController();
  const keys = idempotencyKeys(options.keyRetentionMs ?? dayMs);
  restoreKeys(keys, past);
  const world: World = {
    journal,
    faults: faultTable(),
    keys,
    done: new Set(
      past.filter(({ event, provider }) => event === "applied" && provider === "crm").map(onceKey),
    ),
    held: heldCalls(),
    nextResultId: resultNumbers(past),
    closing: closing.signal,
    latencyMs: options.latencyMs ?? 0,
    nowMs: () => Date.now(),
  };

  // Calls under way, so that closing the journal waits for the last line of each.
  const open = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const served = serve(world, request, response).finally(() => open.delete(served));
    open.add(served);
  });
  // Longer than any client keeps an idle connection: a reset of ours in the very moment of a send
  // would be an unknown that nobody ordered.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });

  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async close() {
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, ...open]);
      await journal.close();
    },
  };
}

async function serve(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) return;
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  if (body === "tooLarge") {
    await answer(response, 413, { code: "body_too_large" }, { connection: "close" });
    return;
  }
  const method = request.method ?? "GET";
  if (pathname.startsWith("/_local/")) {
    const query = { after: searchParams.get("after"), waitMs: searchParams.get("waitMs") };
    const { status, body: said } = await serveLocal(world, {
      method,
      path: pathname.slice("/_local".length),
      query,
      body: parseJson(body),
    });
    await answer(response, status, said);
    return;
  }
  if (pathname === "/elsewhere") {
    await answer(response, 201, { id: "CN-999999", status: "accepted" });
    return;
  }
  const [prefix] = /^\/[^/]+/.exec(pathname) ?? [];
  const path = pathname.slice(prefix?.length ?? 0);
  const understood = { method, path, headers: request.headers, body, query: searchParams };
  const asked = questions[prefix ?? ""]?.(understood);
  if (asked !== undefined) {
    const { status, body: said } = await asked(world.journal, world.nowMs());
    await answer(response, status, said);
    return;
  }
  const call = providers[prefix ?? ""]?.(understood);
  if (call === undefined) {
    await answer(response, 404, { code: "not_found" });
    return;
  }
  const digest = requestDigest(`${method} ${pathname}`, body);
  await serveCall(world, { call, digest, requestId: randomUUID(), response });
}

function restoreKeys(keys: IdempotencyKeys, past: Entry[]): void {
  for (const { event, account, key, digest, answer, atMs } of past) {
    if (event !== "applied" || key === undefined) continue;
    if (digest === undefined || answer === undefined) continue;
    keys.store(account, key, digest, answer, atMs);
  }
}

/** Numbers go on where the journal left off: `CN-000124` after `CN-000123`. */
function resultNumbers(past: Entry[]): (series: string) => string {
  const counts = new Map<string, number>();
  for (const { event, resultId } of past) {
    if (event === "applied" && resultId !== undefined) bump(resultId.split(/[-_]/)[0] ?? "");
  }
  function bump(series: string): number {
    const count = (counts.get(series) ?? 0) + 1;
    counts.set(series, count);
    return count;
  }
  return (series) => {
    const separator = series === "msg" ? "_" : "-";
    return `${series}${separator}${String(bump(series)).padStart(6, "0")}`;
  };
}
