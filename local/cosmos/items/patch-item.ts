// Patch: change parts of one item, on condition of its version (If-Match) or of a predicate over it
// (`from c where ...`). A predicate that is not true is 412 with substatus 1110.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { badRequest, notFound, preconditionFailed } from "../protocol/refusals.ts";
import { readCharge, sumCharges } from "../protocol/charges.ts";
import type { Service } from "../service.ts";
import { compileQuery } from "../query/compile-query.ts";
import { parseCondition } from "../query/language/parse-query.ts";
import { queryScope, toDocument } from "../query/run-query.ts";
import type { Transaction } from "../store/items.ts";
import type { Json, JsonObject } from "../store/json.ts";
import type { PartitionKey } from "../store/keys/partition-key.ts";
import {
  checkedDocument,
  containerOf,
  itemReply,
  keyOf,
  preconditionsOf,
  requireKey,
  requirePreconditions,
  written,
} from "./addressing.ts";
import type { Outcome, Preconditions } from "./addressing.ts";
import { parsePatch, patchDocument } from "./patch-document.ts";
import type { PatchRequest } from "./patch-document.ts";

export interface Patch {
  id: string;
  patch: PatchRequest;
  preconditions: Preconditions;
}

export function patch(
  service: Service,
  transaction: Transaction,
  key: PartitionKey,
  { id, patch: { operations, condition }, preconditions }: Patch,
): Outcome {
  const { container } = transaction;
  const current = service.items.find(container, key, id);
  if (current === undefined) throw notFound(id);
  requirePreconditions(preconditions, current);
  if (condition !== undefined && !isMet(service, condition, toDocument(container, current))) {
    throw preconditionFailed("The patch's filter predicate is not met.", 1110);
  }
  const document = checkedDocument(
    patchDocument(JSON.parse(current.body) as JsonObject, operations),
  );
  requireKey(document, key, container);
  const outcome = written(200, service.items.put(transaction, key, id, document));
  return { ...outcome, charge: sumCharges([outcome.charge, readCharge(current.body.length)]) };
}

function isMet(service: Service, condition: string, document: JsonObject): boolean {
  const compiled = compileQuery(
    parseCondition(condition),
    queryScope(service.clock, new Map()),
    true,
  );
  return compiled.rowsOf([document]).length > 0;
}

export function patchItem(request: CosmosRequest, service: Service): Reply {
  const container = containerOf(request, service);
  const key = keyOf(request, container);
  const transaction = service.items.begin(container);
  let body: Json;
  try {
    body = JSON.parse(request.body) as Json;
  } catch {
    throw badRequest("The request body is not valid JSON.");
  }
  const outcome = patch(service, transaction, key, {
    id: request.segments[5] ?? "",
    patch: parsePatch(body),
    preconditions: preconditionsOf(request),
  });
  service.items.finish(transaction);
  return itemReply(container, key, outcome);
}
