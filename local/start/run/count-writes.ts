// What the cases cost in the store, from the Cosmos server's own request log.
//
// A case without faults makes exactly N + 1 batches for its N effects (outbox included) and one
// create, its event at intake; a refused copy of the event (409) is no write. Anything else is work
// that the design does not need, and is unexpected.
import type { CaseView, ReadWindow } from "./case-api.ts";
import type { Sample } from "./samples.ts";
import { concerns, isWrite } from "./watch.ts";
import type { StoreRequest } from "./watch.ts";

export interface StoreCost {
  writesPerCase: number;
  readsPerCase: number;
  reasons: string[];
}

const reads = new Set(["read", "query"]);

function mean(total: number, count: number): number {
  return count === 0 ? 0 : Math.round((total / count) * 100) / 100;
}

function isOurs(request: StoreRequest, windows: readonly ReadWindow[], caseId: string): boolean {
  return windows.some(
    (window) =>
      window.caseId === caseId && request.atMs >= window.fromMs && request.atMs <= window.toMs,
  );
}

function wrongWrites(sample: Sample, writes: readonly StoreRequest[]): string[] {
  const batches = writes.filter(({ kind }) => kind === "batch").length;
  const others = writes.filter(({ kind, status }) => kind !== "batch" && status < 400);
  const { confirmed, rejected, unknown, cancelled } = sample.expected.effects;
  const batchesMax = confirmed + rejected + unknown + cancelled + 1;
  const wrong: string[] = [];
  if (batches !== batchesMax) {
    wrong.push(`${sample.name}: made ${batches} batches instead of ${batchesMax}`);
  }
  const kinds = others.map(({ kind }) => kind).join(", ");
  if (kinds !== "create") {
    wrong.push(`${sample.name}: besides its batches it wrote (${kinds}) instead of one create`);
  }
  return wrong;
}

export function countWrites(
  samples: readonly Sample[],
  views: ReadonlyMap<string, CaseView>,
  requests: readonly StoreRequest[],
  windows: readonly ReadWindow[],
): StoreCost {
  let writeCount = 0;
  let readCount = 0;
  const reasons: string[] = [];
  for (const sample of samples) {
    const caseId = views.get(sample.name)?.case.caseId;
    if (caseId === undefined) continue;
    const own = requests.filter((request) => concerns(request, caseId));
    const writes = own.filter(isWrite);
    writeCount += writes.length;
    readCount += own.filter(
      (request) => reads.has(request.kind) && !isOurs(request, windows, caseId),
    ).length;
    if (sample.expected.faultFree) reasons.push(...wrongWrites(sample, writes));
  }
  return {
    writesPerCase: mean(writeCount, views.size),
    readsPerCase: mean(readCount, views.size),
    reasons,
  };
}
