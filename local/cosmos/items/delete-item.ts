// Delete: 204, or 404 when there is nothing, or 412 when it is another version.
import { writeCharge } from "../protocol/charges.ts";
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { notFound } from "../protocol/refusals.ts";
import type { Service } from "../service.ts";
import type { Transaction } from "../store/items.ts";
import type { PartitionKey } from "../store/keys/partition-key.ts";
import {
  containerOf,
  itemReply,
  keyOf,
  preconditionsOf,
  requirePreconditions,
} from "./addressing.ts";
import type { Outcome, Preconditions } from "./addressing.ts";

export function remove(
  service: Service,
  transaction: Transaction,
  key: PartitionKey,
  id: string,
  preconditions: Preconditions,
): Outcome {
  const current = service.items.find(transaction.container, key, id);
  if (current === undefined) throw notFound(id);
  requirePreconditions(preconditions, current);
  service.items.remove(transaction, current);
  return { status: 204, charge: writeCharge(current.body.length) };
}

export function deleteItem(request: CosmosRequest, service: Service): Reply {
  const container = containerOf(request, service);
  const key = keyOf(request, container);
  const transaction = service.items.begin(container);
  const id = request.segments[5] ?? "";
  const outcome = remove(service, transaction, key, id, preconditionsOf(request));
  service.items.finish(transaction);
  return itemReply(container, key, outcome);
}
