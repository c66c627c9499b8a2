// Replace: the item must be there, and be the version that If-Match names.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { badRequest, notFound } from "../protocol/refusals.ts";
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

export interface Replacement {
  id: string;
  document: Document;
  preconditions: Preconditions;
}

export function replace(
  service: Service,
  transaction: Transaction,
  key: PartitionKey,
  { id, document, preconditions }: Replacement,
): Outcome {
  requireKey(document, key, transaction.container);
  const current = service.items.find(transaction.container, key, id);
  if (current === undefined) throw notFound(id);
  requirePreconditions(preconditions, current);
  if (document.id !== id) throw badRequest("The id of an item cannot be changed by a replace.");
  return written(200, service.items.put(transaction, key, id, document));
}

export function replaceItem(request: CosmosRequest, service: Service): Reply {
  const container = containerOf(request, service);
  const key = keyOf(request, container);
  const transaction = service.items.begin(container);
  const outcome = replace(service, transaction, key, {
    id: request.segments[5] ?? "",
    document: parseDocument(request.body),
    preconditions: preconditionsOf(request),
  });
  service.items.finish(transaction);
  return itemReply(container, key, outcome);
}
