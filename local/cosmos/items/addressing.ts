// From a request to the container, the partition key and the rules that all item handlers share.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { badRequest, preconditionFailed, tooLarge } from "../protocol/refusals.ts";
import { Refusal } from "../protocol/refusals.ts";
import { readCharge, writeCharge } from "../protocol/charges.ts";
import type { Service } from "../service.ts";
import type { ScanScope } from "../query/scan.ts";
import type { Container } from "../store/catalog.ts";
import { itemText } from "../store/items.ts";
import type { StoredItem } from "../store/stored-item.ts";
import type { Json, JsonObject } from "../store/json.ts";
import type { PartitionKey } from "../store/keys/partition-key.ts";
import { keyOfDocument, parseKeyHeader, toPartitionKey } from "../store/keys/partition-key.ts";
import { rangeOf } from "../store/keys/ranges.ts";

const ITEM_BYTES_MAX = 2 * 1024 * 1024;
const ID_BYTES_MAX = 1023;
const SYSTEM_PROPERTIES = ["_rid", "_self", "_etag", "_ts", "_attachments", "_lsn"];

export const KEY_HEADER = "x-ms-documentdb-partitionkey";
export const RANGE_HEADER = "x-ms-documentdb-partitionkeyrangeid";

/** What a single request, or one operation of a batch, may ask of the current version. */
export interface Preconditions {
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
}

/** What an operation on one item came to; `item` is the version it left or read. */
export interface Outcome {
  status: number;
  item?: StoredItem;
  charge: number;
}

export function containerOf({ segments }: CosmosRequest, { catalog }: Service): Container {
  return catalog.container(segments[1] ?? "", segments[3] ?? "");
}

export function preconditionsOf(request: CosmosRequest): Preconditions {
  return { ifMatch: request.header("if-match"), ifNoneMatch: request.header("if-none-match") };
}

/** The whole key of a point operation. */
export function keyOf(request: CosmosRequest, container: Container): PartitionKey {
  const header = request.header(KEY_HEADER);
  const { partitionKey } = container.definition;
  if (header === undefined) {
    throw badRequest("PartitionKey value must be supplied for this operation.");
  }
  const parts = parseKeyHeader(header, partitionKey);
  if (parts.length !== partitionKey.paths.length) {
    throw badRequest("This operation needs a value for every level of the partition key.", 1001);
  }
  return toPartitionKey(parts, partitionKey);
}

/** What a query or a feed reads: a partition, a prefix, a physical partition, a range of keys, or all. */
export function scopeOf(request: CosmosRequest, container: Container): ScanScope {
  const scope: ScanScope = {};
  const header = request.header(KEY_HEADER);
  if (header !== undefined) {
    const { partitionKey } = container.definition;
    const parts = parseKeyHeader(header, partitionKey);
    scope.key = { parts, isWhole: parts.length === partitionKey.paths.length };
  }
  const rangeId = request.header(RANGE_HEADER);
  if (rangeId !== undefined) {
    const range = container.ranges.find((candidate) => candidate.id === rangeId);
    if (range === undefined) {
      throw new Refusal(410, `The partition key range ${rangeId} is gone.`, { subStatus: 1002 });
    }
    scope.range = range;
  }
  const startEpk = request.header("x-ms-start-epk");
  const endEpk = request.header("x-ms-end-epk");
  if (startEpk !== undefined && endEpk !== undefined) {
    const within = scope.range ?? { minInclusive: "", maxExclusive: "FF" };
    scope.range = {
      minInclusive: startEpk > within.minInclusive ? startEpk : within.minInclusive,
      maxExclusive: endEpk < within.maxExclusive ? endEpk : within.maxExclusive,
    };
  }
  return scope;
}

export function rangeIdOf(container: Container, scope: ScanScope): string | undefined {
  if (container.ranges.length === 1) return container.ranges[0]?.id;
  if (scope.key?.isWhole === true) {
    const { epk } = toPartitionKey(scope.key.parts, container.definition.partitionKey);
    return rangeOf(container.ranges, epk).id;
  }
  const { range } = scope;
  if (range === undefined) return undefined;
  return container.ranges.find(
    ({ minInclusive, maxExclusive }) =>
      range.minInclusive >= minInclusive && range.maxExclusive <= maxExclusive,
  )?.id;
}

/** What may be stored: an object with an id. */
export type Document = JsonObject & { id: string };

export function parseDocument(body: string): Document {
  if (Buffer.byteLength(body) > ITEM_BYTES_MAX) throw tooLarge("Request size is too large.");
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw badRequest("The request body is not valid JSON.");
  }
  return checkedDocument(parsed as Json);
}

/** A document without the properties that the service owns. Refuses ids that the service refuses. */
export function checkedDocument(parsed: Json): Document {
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw badRequest("The document is not a JSON object.");
  }
  const document = { ...parsed };
  for (const property of SYSTEM_PROPERTIES) delete document[property];
  const { id } = document;
  if (typeof id !== "string" || id === "") {
    throw badRequest("The input content is invalid because the required property 'id' is missing.");
  }
  if (Buffer.byteLength(id) > ID_BYTES_MAX || /[/\\?#]/.test(id) || id.endsWith(" ")) {
    throw badRequest("The id is too long, ends with a space, or contains / \\ ? or #.");
  }
  const { ttl } = document;
  if (ttl !== undefined && ttl !== null) {
    if (!Number.isInteger(ttl) || (ttl as number) < -1 || ttl === 0) {
      throw badRequest("The value of ttl must be -1 or a positive number of seconds.");
    }
  }
  if (Buffer.byteLength(JSON.stringify(document)) > ITEM_BYTES_MAX) {
    throw tooLarge("Request size is too large.");
  }
  return { ...document, id };
}

/** The key in the request must be the one in the document. */
export function requireKey(document: JsonObject, key: PartitionKey, container: Container): void {
  const own = keyOfDocument(document, container.definition.partitionKey);
  if (JSON.stringify(own) !== key.text) {
    throw badRequest(
      "PartitionKey extracted from document doesn't match the one specified in the header.",
      1001,
    );
  }
}

export function requirePreconditions(
  { ifMatch, ifNoneMatch }: Preconditions,
  current: StoredItem,
): void {
  if (ifMatch !== undefined && ifMatch !== "*" && ifMatch !== current.etag) {
    throw preconditionFailed("One of the specified pre-condition is not met.");
  }
  if (ifNoneMatch !== undefined && (ifNoneMatch === "*" || ifNoneMatch === current.etag)) {
    throw preconditionFailed("One of the specified pre-condition is not met.");
  }
}

export function written(status: number, item: StoredItem): Outcome {
  return { status, item, charge: writeCharge(item.body.length) };
}

export function readOutcome(item: StoredItem): Outcome {
  return { status: 200, item, charge: readCharge(item.body.length) };
}

export function itemReply(container: Container, key: PartitionKey, outcome: Outcome): Reply {
  const { status, item, charge } = outcome;
  const rangeId = rangeOf(container.ranges, key.epk).id;
  if (item === undefined || status === 204) return { status, charge, container, rangeId };
  const headers = { etag: item.etag };
  return { status, body: itemText(container, item), headers, charge, container, rangeId };
}
