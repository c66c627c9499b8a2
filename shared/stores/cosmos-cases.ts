// The cases in Cosmos DB: container `cases`, hierarchical key /tenantId, /caseId; one statement a file in `cosmos/`.
//
// The account must have one write region and Strong or Bounded Staleness consistency (connections.ts checks it): a
// weaker one would let the send gate look at the past.
import type { Container } from "@azure/cosmos";
import type { z } from "zod";
import { TransientFault } from "../domain/faults.ts";
import type { CaseKey } from "../domain/identity.ts";
import { Checkpoint } from "../domain/records/checkpoint.ts";
import { Event } from "../domain/records/inbox.ts";
import { Payload } from "../domain/records/payload.ts";
import { assembleCase, decode } from "./case-documents.ts";
import { answerApproval } from "./cosmos/answer-approval.ts";
import { createOnce } from "./cosmos/create-once.ts";
import { idsOf, partitionOf, queryPages } from "./cosmos/query-pages.ts";
import { readCase } from "./cosmos/read-case.ts";
import { readDocument } from "./cosmos/read-document.ts";
import { readDue } from "./cosmos/read-due.ts";
import { readHeldForGrant } from "./cosmos/read-held.ts";
import { readHead } from "./cosmos/read-head.ts";
import { readPassing } from "./cosmos/read-passing.ts";
import { readUnresolved } from "./cosmos/read-unresolved.ts";
import type { Source } from "./cosmos/source.ts";
import { writeBatch } from "./cosmos/write-batch.ts";
import type { CaseHistory, CaseStore } from "./ports.ts";

export function cosmosCases(
  container: Container,
  options: Omit<Source, "container"> = {},
): CaseStore {
  const source: Source = { ...options, container };
  return {
    read: (key) => readCase(source, key),
    head: (key) => readHead(source, key),
    write: (batch) => writeBatch(source, batch),
    createFinding: (finding) => createOnce(source, finding),
    createEvent: (event) => createOnce(source, event),
    answerApproval: (key, request) => answerApproval(source, key, request),
    createRefusal: (refusal) => createOnce(source, refusal),
    readEvent: (key, id) => readOne(source, Event, { key, id }),
    readCheckpoint: (key, id) => readOne(source, Checkpoint, { key, id }),
    createCheckpoint: (checkpoint) => createOnce(source, checkpoint),
    readPayload: (key, id) => readOne(source, Payload, { key, id }),
    passing: (key) => readPassing(source, key),
    due: (bounds) => readDue(source, bounds),
    unresolved: (bounds) => readUnresolved(source, bounds),
    heldForGrant: (wanted) => readHeldForGrant(source, wanted),
    history: (key) => readHistory(source, key),
  };
}

async function readOne<Document extends object>(
  source: Source,
  schema: z.ZodType<Document>,
  { key, id }: { key: CaseKey; id: string },
): Promise<Document | undefined> {
  const partition = { partitionKey: partitionOf(key), ids: idsOf(key) };
  const { document } = await readDocument(source, id, partition);
  if (document === undefined) return undefined;
  const decoded = decode(schema, document);
  if (decoded !== undefined) return decoded;
  throw new TransientFault("Newer code wrote this document; ask an instance that runs it.", {
    ids: { ...idsOf(key), documentId: id },
  });
}

async function readHistory(source: Source, key: CaseKey): Promise<CaseHistory | undefined> {
  const query = `SELECT * FROM c WHERE c.type IN ("case", "effect", "event", "finding", "review", "approval", "log")`;
  const { pages, storeMs } = await queryPages(
    source,
    { query },
    { partitionKey: partitionOf(key), ids: idsOf(key), what: "the history of a case" },
  );
  const documents = pages.flat();
  if (documents.length === 0) return undefined;
  const { snapshot, log } = assembleCase(key, documents);
  return { snapshot, log, storeMs };
}
