// One transaction: the log entry, the case under its ETag, then the rest (design.md 1, idea 3; 6).
//
// The log entry comes first, so that a batch sent again meets itself before it meets the ETag that it moved.
// A failed batch does not throw: it is answered with 207, the operation at fault has its own status and
// all others 424. Only a batch that got no answer, or one that leaves it open, is uncertain.
import type { OperationInput, OperationResponse } from "@azure/cosmos";
import { TerminalFault } from "../../domain/faults.ts";
import { assertFits } from "../batch-limits.ts";
import type { Amend, Batch, WriteOutcome } from "../ports.ts";
import { causeOf, failureOf, refusalOf, storeMsOf, whyRefused } from "./answers.ts";
import { idsOf, partitionOf } from "./query-pages.ts";
import { withinBudget, type Source } from "./source.ts";

const logIndex = 0;
const caseIndex = 1;

/** Without what has ended meanwhile: nothing of a failed batch remains, so it may go again under its own name. */
export async function writeBatch(source: Source, batch: Batch): Promise<WriteOutcome> {
  assertFits(batch);
  let { amends } = batch;
  for (;;) {
    const written = await writeOnce(source, { ...batch, amends });
    if (written.kind !== "gone") return written;
    amends = amends.filter(({ id }) => id !== written.id);
  }
}

type Written = WriteOutcome | { kind: "gone"; id: string };

async function writeOnce(source: Source, batch: Batch): Promise<Written> {
  const operations = operationsOf(batch);
  let response;
  try {
    response = await source.container.items.batch(operations, partitionOf(batch.key), {
      ...withinBudget(source),
      // Statuses and ETags are all that is read of the answer.
      contentResponseOnWriteEnabled: false,
    });
  } catch (error) {
    const refusal = refusalOf(error, idsOf(batch.key));
    if (refusal !== undefined) throw refusal;
    return uncertain(causeOf(error), failureOf(error).retryAfterMs);
  }
  const results = response.result ?? [];
  const storeMs = storeMsOf(response.headers);
  if (results.length === operations.length && results.every(succeeded)) {
    const caseEtag = results[caseIndex]?.eTag;
    // Without an ETag in the answer it has landed all the same: the caller reads it.
    return caseEtag === undefined
      ? { kind: "alreadyWritten" }
      : { kind: "committed", caseEtag, storeMs };
  }
  return outcomeOfFailed(batch, results);
}

function operationsOf(batch: Batch): OperationInput[] {
  const { amends, caseDocument, caseEtag, creates, log, replaces } = batch;
  // A copy, because the SDK may write into what it is given; what is undefined goes when it writes the JSON.
  const create = (document: object): OperationInput => ({
    operationType: "Create",
    resourceBody: { ...document },
  });
  const replace = (document: { id: string }, ifMatch?: string): OperationInput => ({
    operationType: "Replace",
    id: document.id,
    resourceBody: { ...document },
    ...(ifMatch === undefined ? {} : { ifMatch }),
  });
  return [
    create(log),
    caseEtag === undefined ? create(caseDocument) : replace(caseDocument, caseEtag),
    ...creates.map((document) => create(document)),
    // Unconditional: nobody writes them without moving the case's ETag.
    ...replaces.map((document) => replace(document)),
    ...amends.map(amend),
  ];
}

function amend({ id, set }: Amend): OperationInput {
  const operations = Object.entries(set).map(([member, value]) => ({
    op: "set" as const,
    path: `/${member}`,
    value,
  }));
  return { operationType: "Patch", id, resourceBody: { operations } };
}

function succeeded(result: OperationResponse): boolean {
  return result.statusCode >= 200 && result.statusCode < 300;
}

function outcomeOfFailed(batch: Batch, results: readonly OperationResponse[]): Written {
  const index = results.findIndex((result) => !succeeded(result) && result.statusCode !== 424);
  const status = results[index]?.statusCode;
  if (status === 409 && index === logIndex) return { kind: "alreadyWritten" };
  if (index === caseIndex && (status === 412 || status === 409 || status === 404)) {
    return { kind: "superseded" };
  }
  const documents = [batch.log, batch.caseDocument, ...batch.creates, ...batch.replaces];
  const amended = batch.amends[index - documents.length];
  if (amended !== undefined && status === 404) return { kind: "gone", id: amended.id };
  const document = documents[index];
  const named = `${document?.type ?? "?"} ${document?.id ?? "?"}`;
  if (status === 409 || status === 412 || status === 404) {
    throw new Error(`the case is as it was read, and yet ${named} answers ${status}`);
  }
  const why = whyRefused(status);
  if (why !== undefined) {
    const bytes = Buffer.byteLength(JSON.stringify(document));
    throw new TerminalFault(`${named}, ${bytes} bytes: ${why}`, { ids: idsOf(batch.key) });
  }
  return uncertain(new Error(`Cosmos DB answered ${status ?? "nothing"} to ${named}.`), undefined);
}

function uncertain(cause: unknown, retryAfterMs: number | undefined): WriteOutcome {
  return { kind: "uncertain", cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
