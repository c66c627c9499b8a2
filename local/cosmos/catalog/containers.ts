// Containers: create, list, read, replace, delete.
//
// A definition is completed as the service completes it (kind, version, default indexing policy) and
// echoed, because the client hashes keys by what it reads here. A container without a key of its own
// gets `/_partitionKey` as a system key.
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { json } from "../protocol/exchange.ts";
import { badRequest, preconditionFailed } from "../protocol/refusals.ts";
import type { Service } from "../service.ts";
import type { Container, ContainerDefinition } from "../store/catalog.ts";
import { DEFAULT_POLICY } from "../store/indexing.ts";
import type { Json, JsonObject } from "../store/json.ts";
import { isObject } from "../store/json.ts";
import type { PartitionKeyDefinition } from "../store/keys/partition-key.ts";
import { recomputeExpiry } from "../store/expiry.ts";
import { parseBody, resourceId } from "./databases.ts";

const CREATE_CHARGE = 4.95;
const PATHS_MAX = 3;
const THROUGHPUT_DEFAULT = 400;

export function shownContainer(container: Container) {
  const self = `dbs/${container.databaseRid}/colls/${container.rid}/`;
  return {
    ...container.definition,
    _rid: container.rid,
    _self: self,
    _etag: container.etag,
    _ts: container.ts,
    _docs: "docs/",
    _sprocs: "sprocs/",
    _triggers: "triggers/",
    _udfs: "udfs/",
    _conflicts: "conflicts/",
  };
}

function keyDefinition(given: Json | undefined): PartitionKeyDefinition {
  if (given === undefined) {
    return { paths: ["/_partitionKey"], kind: "Hash", version: 2, systemKey: true };
  }
  const paths = isObject(given) ? given["paths"] : undefined;
  if (!Array.isArray(paths) || paths.length === 0 || paths.length > PATHS_MAX) {
    throw badRequest("partitionKey.paths must name one to three paths.");
  }
  for (const path of paths) {
    if (typeof path !== "string" || !/^(\/[^/]+)+$/.test(path)) {
      throw badRequest(`The partition key path '${JSON.stringify(path)}' is not valid.`);
    }
  }
  const kind = isObject(given) && given["kind"] === "MultiHash" ? "MultiHash" : "Hash";
  const asked = isObject(given) ? given["version"] : undefined;
  const version = typeof asked === "number" ? asked : kind === "MultiHash" ? 2 : 1;
  if (kind === "Hash" && paths.length > 1) {
    throw badRequest("A key of several paths needs kind MultiHash.");
  }
  return { paths: paths.map(String), kind, version };
}

export function completeDefinition(body: JsonObject): ContainerDefinition {
  const id = resourceId(body);
  const { defaultTtl, indexingPolicy, uniqueKeyPolicy } = body;
  if (defaultTtl !== undefined && defaultTtl !== null) {
    if (!Number.isInteger(defaultTtl) || (defaultTtl as number) < -1 || defaultTtl === 0) {
      throw badRequest("defaultTtl must be -1 or a positive number of seconds.");
    }
  }
  return {
    id,
    indexingPolicy: isObject(indexingPolicy) ? completedPolicy(indexingPolicy) : DEFAULT_POLICY,
    partitionKey: keyDefinition(body["partitionKey"]),
    ...(typeof defaultTtl === "number" ? { defaultTtl } : {}),
    ...(isObject(uniqueKeyPolicy)
      ? { uniqueKeyPolicy: uniqueKeyPolicy as unknown as { uniqueKeys: { paths: string[] }[] } }
      : {}),
    conflictResolutionPolicy: {
      mode: "LastWriterWins",
      conflictResolutionPath: "/_ts",
      conflictResolutionProcedure: "",
    },
  };
}

function completedPolicy(policy: JsonObject): JsonObject {
  return {
    indexingMode: "consistent",
    automatic: true,
    includedPaths: [],
    excludedPaths: [],
    ...policy,
  };
}

function containerOf({ segments }: CosmosRequest, { catalog }: Service): Container {
  return catalog.container(segments[1] ?? "", segments[3] ?? "");
}

function replyOf(status: number, container: Container, charge: number): Reply {
  const reply = json(status, shownContainer(container), charge);
  return { ...reply, headers: { etag: container.etag }, container };
}

/** Autoscale offers arrive as JSON; their maximum is what we enforce. */
function offeredThroughput(request: CosmosRequest): number {
  const manual = Number(request.header("x-ms-offer-throughput") ?? Number.NaN);
  if (manual > 0) return manual;
  const autoscale = request.header("x-ms-cosmos-offer-autopilot-settings");
  const found = autoscale === undefined ? undefined : parseBody(autoscale)["maxThroughput"];
  return typeof found === "number" ? found : THROUGHPUT_DEFAULT;
}

export function createContainer(request: CosmosRequest, service: Service): Reply {
  const definition = completeDefinition(parseBody(request.body));
  const container = service.catalog.createContainer(request.segments[1] ?? "", definition, {
    throughput: offeredThroughput(request),
    physicalPartitions: service.settings.physicalPartitions,
  });
  return replyOf(201, container, CREATE_CHARGE);
}

export function listContainers(request: CosmosRequest, { catalog }: Service): Reply {
  const databaseId = request.segments[1] ?? "";
  const containers = catalog.containers(databaseId).map(shownContainer);
  const { rid } = catalog.database(databaseId);
  const body = { _rid: rid, DocumentCollections: containers, _count: containers.length };
  return json(200, body, 2);
}

export function readContainer(request: CosmosRequest, service: Service): Reply {
  return replyOf(200, containerOf(request, service), 2);
}

export function replaceContainer(request: CosmosRequest, service: Service): Reply {
  const container = containerOf(request, service);
  const ifMatch = request.header("if-match");
  if (ifMatch !== undefined && ifMatch !== "*" && ifMatch !== container.etag) {
    throw preconditionFailed("The container has changed since it was read.");
  }
  const definition = completeDefinition(parseBody(request.body));
  const before = container.definition;
  if (
    definition.id !== before.id ||
    JSON.stringify(definition.partitionKey) !== JSON.stringify(before.partitionKey)
  ) {
    throw badRequest("The id and the partition key of a container cannot be changed.");
  }
  if (JSON.stringify(definition.uniqueKeyPolicy) !== JSON.stringify(before.uniqueKeyPolicy)) {
    throw badRequest("The unique key policy of a container cannot be changed.");
  }
  const replaced = service.catalog.replaceContainer(container, definition);
  if (definition.defaultTtl !== before.defaultTtl) recomputeExpiry(service.sqlite, replaced);
  return replyOf(200, replaced, CREATE_CHARGE);
}

export function deleteContainer(request: CosmosRequest, service: Service): Reply {
  service.catalog.deleteContainer(containerOf(request, service));
  return { status: 204, charge: CREATE_CHARGE };
}
