// Create and upsert.
//
// A create of an existing id is refused (409): this is what makes it a claim. An upsert replaces or
// creates; its If-Match speaks of an existing version and is not looked at when there is none.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { conflict } from "../protocol/refusals.ts";
import type { Service } from "../service.ts";
import type { Transaction } from "../store/items.ts";
import type { PartitionKey } from "../store/keys/partition-key.ts";
import {
  containerOf,
  itemReply,
  keyOf,
  parseDocument,
  preconditionsOf,
  requireKey,
  requirePreconditions,
  written,
} from "./addressing.ts";
import type { Document, Outcome, Preconditions } from "./addressing.ts";

export function create(
  service: Service,
  transaction: Transaction,
  key: PartitionKey,
  document: Document,
): Outcome {
  requireKey(document, key, transaction.container);
  const { id } = document;
  if (service.items.find(transaction.container, key, id) !== undefined) throw conflict(id);
  return written(201, service.items.put(transaction, key, id, document));
}

export function upsert(
  service: Service,
  transaction: Transaction,
  key: PartitionKey,
  document: Document,
  preconditions: Preconditions,
): Outcome {
  requireKey(document, key, transaction.container);
  const { id } = document;
  const current = service.items.find(transaction.container, key, id);
  if (current !== undefined) requirePreconditions(preconditions, current);
  const stored = service.items.put(transaction, key, id, document);
  return written(current === undefined ? 201 : 200, stored);
}

export function createItem(request: CosmosRequest, service: Service): Reply {
  const container = containerOf(request, service);
  const key = keyOf(request, container);
  const transaction = service.items.begin(container);
  const outcome = create(service, transaction, key, parseDocument(request.body));
  service.items.finish(transaction);
  return itemReply(container, key, outcome);
}

export function upsertItem(request: CosmosRequest, service: Service): Reply {
  const container = containerOf(request, service);
  const key = keyOf(request, container);
  const transaction = service.items.begin(container);
  const document = parseDocument(request.body);
  const outcome = upsert(service, transaction, key, document, preconditionsOf(request));
  service.items.finish(transaction);
  return itemReply(container, key, outcome);
}
