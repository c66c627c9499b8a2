// POST .../docs with a query: parsed, run over its scope, answered one page at a time.
//
// Cross-partition queries are answered here as well (the client accepts that), unless the server was
// set up to send them back for the client's own pipeline (`crossPartitionQueries: "client"`).
import { queryCharge } from "../protocol/charges.ts";
import type { CosmosRequest, Reply } from "../protocol/exchange.ts";
import { badRequest } from "../protocol/refusals.ts";
import { parseQuery } from "../query/language/parse-query.ts";
import type { Query } from "../query/language/tree.ts";
import { needsClientPipeline, queryPlan } from "../query/plan.ts";
import { runQuery } from "../query/run-query.ts";
import { isInScope } from "../query/scan.ts";
import type { Service } from "../service.ts";
import type { Json } from "../store/json.ts";
import { isObject } from "../store/json.ts";
import { Refusal } from "../protocol/refusals.ts";
import { RANGE_HEADER, containerOf, rangeIdOf, scopeOf } from "./addressing.ts";
import { requireSession } from "./session.ts";

const PAGE_DEFAULT = 100;
const PAGE_DYNAMIC = 1000;

function parseQueryBody(body: string): { text: string; parameters: Map<string, Json> } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw badRequest("The request body is not valid JSON.");
  }
  if (!isObject(parsed) || typeof parsed["query"] !== "string") {
    throw badRequest("The request body holds no query.");
  }
  const parameters = new Map<string, Json>();
  const given = parsed["parameters"];
  for (const parameter of Array.isArray(given) ? given : []) {
    if (isObject(parameter) && typeof parameter["name"] === "string") {
      if (parameter["value"] !== undefined) parameters.set(parameter["name"], parameter["value"]);
    }
  }
  return { text: parsed["query"], parameters };
}

const QUERIES_MAX = 500;
const queries = new Map<string, Query>();

/** Each text once: an app asks the same few over and over. */
function parsedQuery(text: string): Query {
  const known = queries.get(text) ?? parseQuery(text);
  if (queries.size >= QUERIES_MAX) queries.clear();
  queries.set(text, known);
  return known;
}

function pageSizeOf(request: CosmosRequest): number {
  const asked = Number(request.header("x-ms-max-item-count") ?? 0);
  if (asked === -1) return PAGE_DYNAMIC;
  return asked > 0 ? asked : PAGE_DEFAULT;
}

export function query(request: CosmosRequest, service: Service): Reply {
  const container = containerOf(request, service);
  requireSession(request, container);
  const { text, parameters } = parseQueryBody(request.body);
  const parsed = parsedQuery(text);
  const scope = scopeOf(request, container);
  const isAcross = scope.key === undefined && request.header(RANGE_HEADER) === undefined;
  if (
    isAcross &&
    service.settings.crossPartitionQueries === "client" &&
    needsClientPipeline(parsed)
  ) {
    throw new Refusal(400, "Cross partition query only supports 'VALUE <AggregateFunc>' here.", {
      subStatus: 1004,
      extra: { additionalErrorInfo: JSON.stringify(queryPlan(parsed, parameters)) },
    });
  }
  if (request.staleTransactions > 0) {
    scope.past = service.history.past(container, request.staleTransactions, (pk) =>
      scope.key === undefined ? true : isInScope({ key: scope.key }, pk, ""),
    );
  }
  const continuation = request.header("x-ms-continuation");
  const page = runQuery(
    {
      container,
      query: parsed,
      parameters,
      scope,
      pageSize: pageSizeOf(request),
      ...(continuation === undefined ? {} : { continuation }),
    },
    service.scan,
    service.clock,
  );
  const documents = page.documents.join(",");
  const rangeId = rangeIdOf(container, scope);
  const ranges = rangeId === undefined ? container.ranges.length : 1;
  return {
    status: 200,
    body: `{"_rid":"${container.rid}","Documents":[${documents}],"_count":${page.documents.length}}`,
    headers: {
      "x-ms-item-count": page.documents.length,
      ...(page.continuation === undefined ? {} : { "x-ms-continuation": page.continuation }),
    },
    charge: queryCharge(page.loaded, documents.length, ranges),
    container,
    ...(rangeId === undefined ? {} : { rangeId }),
  };
}

/** The plan that the client asks for beside every query, and uses only when it must. */
export function planQuery(request: CosmosRequest, service: Service): Reply {
  containerOf(request, service);
  const { text, parameters } = parseQueryBody(request.body);
  const plan = queryPlan(parseQuery(text), parameters);
  return { status: 200, body: JSON.stringify(plan), charge: 0 };
}

/** GET .../docs without a feed header: every item, in pages. */
export function listItems(request: CosmosRequest, service: Service): Reply {
  const body = JSON.stringify({ query: "SELECT * FROM c" });
  return query({ ...request, body }, service);
}
