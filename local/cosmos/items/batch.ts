// Transactional batches (all or nothing, one logical partition) and bulk requests (each for itself).
//
// Operations run in order under one transaction, so a later one sees what an earlier one did. The
// first that fails tells: it keeps its own status, all others get 424, nothing of the batch remains,
// and the reply is 207, which the client does not throw. A batch counts as one change of the
// container: its items share one `_lsn`.
import type { CosmosRequest, OperationRecord, Reply } from "../protocol/exchange.ts";
import { refusalCharge, sumCharges } from "../protocol/charges.ts";
import { Refusal, badRequest, tooLarge } from "../protocol/refusals.ts";
import type { Service } from "../service.ts";
import type { Container } from "../store/catalog.ts";
import { itemText } from "../store/items.ts";
import type { Transaction } from "../store/items.ts";
import type { Json, JsonObject } from "../store/json.ts";
import { isObject } from "../store/json.ts";
import type { PartitionKey } from "../store/keys/partition-key.ts";
import { parseKeyHeader, toPartitionKey } from "../store/keys/partition-key.ts";
import { rangeOf } from "../store/keys/ranges.ts";
import { checkedDocument, containerOf, keyOf } from "./addressing.ts";
import type { Outcome, Preconditions } from "./addressing.ts";
import { create, upsert } from "./create-item.ts";
import { remove } from "./delete-item.ts";
import { parsePatch } from "./patch-document.ts";
import { patch } from "./patch-item.ts";
import { read } from "./read-item.ts";
import { replace } from "./replace-item.ts";

const OPERATIONS_MAX = 100;
const BYTES_MAX = 2 * 1024 * 1024;

interface Result {
  statusCode: number;
  requestCharge: number;
  subStatusCode?: number;
  eTag?: string;
  resourceBody?: Json;
  retryAfterMilliseconds?: number;
}

function operationsOf(request: CosmosRequest): JsonObject[] {
  if (Buffer.byteLength(request.body) > BYTES_MAX) {
    throw tooLarge("Request size is too large: a batch holds at most 2 MB.");
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(request.body);
  } catch {
    throw badRequest("The request body is not valid JSON.");
  }
  if (!Array.isArray(parsed) || parsed.length === 0 || !parsed.every(isObject)) {
    throw badRequest("A batch is a list of operations.");
  }
  if (parsed.length > OPERATIONS_MAX) {
    throw badRequest(`A batch holds at most ${OPERATIONS_MAX} operations.`);
  }
  return parsed;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function idOf(operation: JsonObject): string {
  const { id, resourceBody } = operation;
  if (typeof id === "string") return id;
  const own = isObject(resourceBody) ? resourceBody["id"] : undefined;
  return typeof own === "string" ? own : "";
}

function perform(
  service: Service,
  transaction: Transaction,
  key: PartitionKey,
  operation: JsonObject,
): Outcome {
  const { operationType, resourceBody = null, ifMatch, ifNoneMatch } = operation;
  const preconditions: Preconditions = {
    ifMatch: typeof ifMatch === "string" ? ifMatch : undefined,
    ifNoneMatch: typeof ifNoneMatch === "string" ? ifNoneMatch : undefined,
  };
  const id = idOf(operation);
  switch (operationType) {
    case "Create":
      return create(service, transaction, key, checkedDocument(resourceBody));
    case "Upsert":
      return upsert(service, transaction, key, checkedDocument(resourceBody), preconditions);
    case "Replace": {
      const document = checkedDocument(resourceBody);
      return replace(service, transaction, key, { id, document, preconditions });
    }
    case "Delete":
      return remove(service, transaction, key, id, preconditions);
    case "Patch":
      return patch(service, transaction, key, {
        id,
        patch: parsePatch(resourceBody),
        preconditions,
      });
    case "Read":
      return read(service.items.find(transaction.container, key, id), id, preconditions);
    default:
      throw badRequest(`${JSON.stringify(operationType)} is not a batch operation.`);
  }
}

function resultOf(container: Container, operation: JsonObject, outcome: Outcome, minimal: boolean) {
  const { status, item, charge } = outcome;
  const result: Result = { statusCode: status, requestCharge: charge };
  if (item === undefined) return result;
  result.eTag = item.etag;
  const isRead = operation["operationType"] === "Read";
  if (status !== 304 && (isRead || !minimal)) {
    result.resourceBody = JSON.parse(itemText(container, item)) as Json;
  }
  return result;
}

function failureOf(refusal: Refusal): Result {
  const { subStatus, retryAfterMs } = refusal.details;
  return {
    statusCode: refusal.status,
    requestCharge: refusalCharge(refusal.status),
    ...(subStatus === undefined ? {} : { subStatusCode: subStatus }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMilliseconds: retryAfterMs }),
  };
}

function records(operations: readonly JsonObject[], results: readonly Result[]): OperationRecord[] {
  return operations.map((operation, at) => ({
    operation: textOf(operation["operationType"]),
    id: idOf(operation),
    status: results[at]?.statusCode ?? 0,
  }));
}

export function batch(request: CosmosRequest, service: Service): Reply {
  const container = containerOf(request, service);
  const key = keyOf(request, container);
  const operations = operationsOf(request);
  const minimal = request.header("prefer") === "return=minimal";
  const transaction = service.items.begin(container);
  const results: Result[] = [];
  service.sqlite.run("SAVEPOINT batch");
  let status = 200;
  try {
    for (const operation of operations) {
      const outcome = perform(service, transaction, key, operation);
      results.push(resultOf(container, operation, outcome, minimal));
    }
    service.items.finish(transaction);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    service.sqlite.run("ROLLBACK TO batch");
    const failedAt = results.length;
    const failure = failureOf(error);
    results.length = 0;
    for (const at of operations.keys()) {
      results.push(at === failedAt ? failure : { statusCode: 424, requestCharge: 0 });
    }
    status = 207;
  } finally {
    service.sqlite.run("RELEASE batch");
  }
  return {
    status,
    body: JSON.stringify(results),
    charge: sumCharges(results.map((result) => result.requestCharge)),
    container,
    rangeId: rangeOf(container.ranges, key.epk).id,
    operations: records(operations, results),
  };
}

/** Bulk: each operation has its own partition key and its own fate. */
export function bulk(request: CosmosRequest, service: Service): Reply {
  const container = containerOf(request, service);
  const operations = operationsOf(request);
  const { partitionKey } = container.definition;
  const rangeId = request.header("x-ms-documentdb-partitionkeyrangeid");
  if (rangeId !== undefined && !container.ranges.some((range) => range.id === rangeId)) {
    throw new Refusal(410, `The partition key range ${rangeId} is gone.`, { subStatus: 1002 });
  }
  const minimal = request.header("prefer") === "return=minimal";
  const results = operations.map((operation) => {
    service.sqlite.run("SAVEPOINT one");
    try {
      const parts = parseKeyHeader(textOf(operation["partitionKey"]), partitionKey);
      const key = toPartitionKey(parts, partitionKey);
      if (rangeId !== undefined && rangeOf(container.ranges, key.epk).id !== rangeId) {
        throw new Refusal(410, "The partition key is in another range.", { subStatus: 1002 });
      }
      const transaction = service.items.begin(container);
      const outcome = perform(service, transaction, key, operation);
      service.items.finish(transaction);
      return resultOf(container, operation, outcome, minimal);
    } catch (error) {
      service.sqlite.run("ROLLBACK TO one");
      if (!(error instanceof Refusal)) throw error;
      return failureOf(error);
    } finally {
      service.sqlite.run("RELEASE one");
    }
  });
  return {
    status: 200,
    body: JSON.stringify(results),
    charge: sumCharges(results.map((result) => result.requestCharge)),
    container,
    ...(rangeId === undefined ? {} : { rangeId }),
    operations: records(operations, results),
  };
}
