// The cases in Cosmos DB: container `cases`, hierarchical key /tenantId, /caseId; one statement a file in `cosmos/`.
//
// The account must have one write region and Strong or Bounded Staleness consistency (connections.ts checks it): a
// weaker one would let the send gate look at the past.
import type { Container } from "@azure/cosmos";
import { TransientFault } from "../domain/faults.ts";
import type { CaseKey } from "../domain/identity.ts";
import { Event } from "../domain/records/inbox.ts";
import { assembleCase, decode } from "./case-documents.ts";
import { createOnce } from "./cosmos/create-once.ts";
import { idsOf, partitionOf, queryPages } from "./cosmos/query-pages.ts";
import { readCase } from "./cosmos/read-case.ts";
import { readDocument } from "./cosmos/read-document.ts";
import { readDue } from "./cosmos/read-due.ts";
import { readHead } from "./cosmos/read-head.ts";
import { writeBatch } from "./cosmos/write-batch.ts";
import type { CaseHistory, CaseStore } from "./ports.ts";

/** `pageSize`: at most so many documents an answer; without it, as many as fit. */
export function cosmosCases(container: Container, options: { pageSize?: number } = {}): CaseStore {
  return {
    read: (key) => readCase(container, key, options),
    head: (key) => readHead(container, key, options),
    write: (batch) => writeBatch(container, batch),
    createFinding: (finding) => createOnce(container, finding),
    createEvent: (event) => createOnce(container, event),
    createRefusal: (refusal) => createOnce(container, refusal),
    readEvent: (key, id) => readEvent(container, key, id),
    due: (bounds) => readDue(container, bounds),
    history: (key) => readHistory(container, key, options),
  };
}

async function readEvent(
  container: Container,
  key: CaseKey,
  id: string,
): Promise<Event | undefined> {
  const partition = { partitionKey: partitionOf(key), ids: idsOf(key) };
  const { document } = await readDocument(container, id, partition);
  if (document === undefined) return undefined;
  const event = decode(Event, document);
  if (event !== undefined) return event;
  throw new TransientFault("Newer code wrote this event; ask an instance that runs it.", {
    ids: { ...idsOf(key), documentId: id },
  });
}

async function readHistory(
  container: Container,
  key: CaseKey,
  options: { pageSize?: number },
): Promise<CaseHistory | undefined> {
  const query = `SELECT * FROM c WHERE c.type IN ("case", "effect", "event", "finding", "review", "log")`;
  const { pages } = await queryPages(
    container,
    { query },
    { ...options, partitionKey: partitionOf(key), ids: idsOf(key), what: "the history of a case" },
  );
  const documents = pages.flat();
  if (documents.length === 0) return undefined;
  const { snapshot, log } = assembleCase(key, documents);
  return { snapshot, log };
}
