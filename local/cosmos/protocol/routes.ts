// The route table: every call that this server answers, most specific first.
//
// A pattern's `*` stands for one path segment. `when` tells apart calls that share method and path,
// as `POST .../docs` does for a create, an upsert, a batch, a bulk, a query and a query plan.
import { readAccount } from "../catalog/account.ts";
import {
  createContainer,
  deleteContainer,
  listContainers,
  readContainer,
  replaceContainer,
} from "../catalog/containers.ts";
import {
  createDatabase,
  deleteDatabase,
  listDatabases,
  readDatabase,
} from "../catalog/databases.ts";
import { listOffers, queryOffers, readOffer, replaceOffer } from "../catalog/offers.ts";
import { listRanges } from "../catalog/ranges.ts";
import { batch, bulk } from "../items/batch.ts";
import { changeFeed } from "../items/change-feed.ts";
import { createItem, upsertItem } from "../items/create-item.ts";
import { deleteItem } from "../items/delete-item.ts";
import { patchItem } from "../items/patch-item.ts";
import { listItems, planQuery, query } from "../items/query.ts";
import { readItem } from "../items/read-item.ts";
import { replaceItem } from "../items/replace-item.ts";
import type { Service } from "../service.ts";
import type { CosmosRequest, Reply, RequestKind } from "./exchange.ts";

export interface Route {
  method: string;
  pattern: string;
  when?: (request: CosmosRequest) => boolean;
  kind: RequestKind;
  isWrite: boolean;
  handler: (request: CosmosRequest, service: Service) => Reply;
}

function hasFlag(header: string) {
  return (request: CosmosRequest): boolean => request.header(header)?.toLowerCase() === "true";
}

const isBatch = hasFlag("x-ms-cosmos-is-batch-request");
const isAtomic = hasFlag("x-ms-cosmos-batch-atomic");
const isPlan = hasFlag("x-ms-cosmos-is-query-plan-request");
const isUpsert = hasFlag("x-ms-documentdb-is-upsert");
const isQuery = (request: CosmosRequest): boolean =>
  hasFlag("x-ms-documentdb-isquery")(request) ||
  (request.header("content-type") ?? "").startsWith("application/query+json");
const isFeed = (request: CosmosRequest): boolean => request.header("a-im") !== undefined;

const DOCS = "dbs/*/colls/*/docs";
const DOC = `${DOCS}/*`;

function write(
  method: string,
  pattern: string,
  kind: RequestKind,
  handler: Route["handler"],
  when?: Route["when"],
): Route {
  return { method, pattern, kind, isWrite: true, handler, ...(when === undefined ? {} : { when }) };
}

function view(
  method: string,
  pattern: string,
  kind: RequestKind,
  handler: Route["handler"],
  when?: Route["when"],
): Route {
  return { ...write(method, pattern, kind, handler, when), isWrite: false };
}

export const ROUTES: readonly Route[] = [
  view("GET", DOC, "read", readItem),
  write("PUT", DOC, "replace", replaceItem),
  write("PATCH", DOC, "patch", patchItem),
  write("DELETE", DOC, "delete", deleteItem),

  write("POST", DOCS, "batch", batch, (request) => isBatch(request) && isAtomic(request)),
  write("POST", DOCS, "batch", bulk, isBatch),
  view("POST", DOCS, "queryPlan", planQuery, isPlan),
  view("POST", DOCS, "query", query, isQuery),
  write("POST", DOCS, "upsert", upsertItem, isUpsert),
  write("POST", DOCS, "create", createItem),
  view("GET", DOCS, "feed", changeFeed, isFeed),
  view("GET", DOCS, "query", listItems),

  view("GET", "", "metadata", readAccount),
  view("GET", "dbs", "metadata", listDatabases),
  write("POST", "dbs", "metadata", createDatabase),
  view("GET", "dbs/*", "metadata", readDatabase),
  write("DELETE", "dbs/*", "metadata", deleteDatabase),
  view("GET", "dbs/*/colls", "metadata", listContainers),
  write("POST", "dbs/*/colls", "metadata", createContainer),
  view("GET", "dbs/*/colls/*", "metadata", readContainer),
  write("PUT", "dbs/*/colls/*", "metadata", replaceContainer),
  write("DELETE", "dbs/*/colls/*", "metadata", deleteContainer),
  view("GET", "dbs/*/colls/*/pkranges", "metadata", listRanges),
  view("GET", "offers", "metadata", listOffers),
  view("POST", "offers", "metadata", queryOffers),
  view("GET", "offers/*", "metadata", readOffer),
  write("PUT", "offers/*", "metadata", replaceOffer),
];

export function routeOf(request: CosmosRequest): Route | undefined {
  return ROUTES.find(
    (route) =>
      route.method === request.method &&
      matches(route.pattern, request.segments) &&
      (route.when === undefined || route.when(request)),
  );
}

function matches(pattern: string, segments: readonly string[]): boolean {
  const parts = pattern === "" ? [] : pattern.split("/");
  return (
    parts.length === segments.length &&
    parts.every((part, at) => part === "*" || part === segments[at])
  );
}
