// Follows what the providers and the Cosmos server write down while the samples run.
//
// Something has moved when a provider was called or a document of a case was written. Reads and
// timers are no movement: a system that only looks at itself is standing still.
import { setTimeout as delay } from "node:timers/promises";
import { providersClient } from "../../providers/faults.ts";
import type { Entry } from "../../providers/faults.ts";

/** A line of the Cosmos server's request log. */
export interface StoreRequest {
  n: number;
  atMs: number;
  kind: string;
  container?: string;
  partitionKey?: unknown;
  status: number;
  charge?: number;
}

const pollMs = 100;

export interface Watch {
  journal: readonly Entry[];
  requests: readonly StoreRequest[];
  /** Since the last movement. */
  quietMs(): number;
  /** When a document of this case was last written, by the server's clock; 0: never seen. */
  writtenAtMs(caseId: string): number;
  /** Reads once more, and then no more. */
  stop(): Promise<void>;
}

const writes = new Set(["create", "upsert", "replace", "patch", "delete", "batch"]);

export function isWrite(request: StoreRequest): boolean {
  return request.container === "cases" && writes.has(request.kind);
}

export function concerns(request: StoreRequest, caseId: string): boolean {
  if (request.container !== "cases" || request.partitionKey === undefined) return false;
  return JSON.stringify(request.partitionKey).includes(caseId);
}

interface LogPage {
  entries: StoreRequest[];
  /** The number of the newest line, read or not. */
  last: number;
}

async function logPage(cosmosUrl: string, after: number): Promise<LogPage> {
  const response = await fetch(`${cosmosUrl}/_local/log?after=${after}`);
  if (!response.ok) throw new Error(`the Cosmos server's log answered ${response.status}`);
  return (await response.json()) as LogPage;
}

async function storeRequests(cosmosUrl: string, after: number): Promise<StoreRequest[]> {
  const { entries, last } = await logPage(cosmosUrl, after);
  const reached = entries.at(-1)?.n ?? last;
  return reached < last ? [...entries, ...(await storeRequests(cosmosUrl, reached))] : entries;
}

export async function startWatch(urls: {
  providers: string;
  cosmos: string;
  journalAfter: number;
}): Promise<Watch> {
  const providers = providersClient(urls.providers);
  const journal: Entry[] = [];
  const requests: StoreRequest[] = [];
  // Where the log stood when the run began: earlier requests are not of this run.
  let logAfter = (await logPage(urls.cosmos, 0)).last;
  let movedAt = performance.now();
  const stopping = new AbortController();

  async function read(): Promise<void> {
    const entries = await providers.journal(journal.at(-1)?.n ?? urls.journalAfter);
    const lines = await storeRequests(urls.cosmos, logAfter);
    journal.push(...entries);
    requests.push(...lines);
    logAfter = lines.at(-1)?.n ?? logAfter;
    if (entries.length > 0 || lines.some(isWrite)) movedAt = performance.now();
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await read();
      } catch (error) {
        // A server that is being started again; fetch says TypeError for every failed connection.
        if (!(error instanceof TypeError)) throw error;
      }
      await delay(pollMs);
    }
  }

  const following = follow();
  // Heard when the run awaits `stop`; until then a failure must not end the process unexplained.
  following.catch(() => undefined);
  return {
    journal,
    requests,
    quietMs: () => performance.now() - movedAt,
    writtenAtMs: (caseId) =>
      requests.findLast((request) => isWrite(request) && concerns(request, caseId))?.atMs ?? 0,
    async stop() {
      stopping.abort();
      await following;
      await read();
    },
  };
}
