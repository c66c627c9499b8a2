// A top-level query over a container: chooses how to read, runs the pipeline, cuts one page.
//
// Three ways to read, from best to worst: in the order of an index, stopping when the page is full;
// in document order, stopping likewise; or everything, when the result exists only as a whole.
import type { Clock } from "../store/clock.ts";
import type { Container } from "../store/catalog.ts";
import { hasCompositeIndex, isPathIndexed } from "../store/indexing.ts";
import type { StoredItem } from "../store/stored-item.ts";
import { itemText } from "../store/items.ts";
import type { Json, JsonObject, Value } from "../store/json.ts";
import { canonicalText } from "../store/json.ts";
import { documentRid } from "../store/keys/resource-ids.ts";
import type { ItemScan, ScanScope } from "./scan.ts";
import { COLLECTION_FUNCTIONS } from "./builtins/collections.ts";
import { dateFunctions } from "./builtins/dates.ts";
import { NUMBER_FUNCTIONS } from "./builtins/numbers.ts";
import { STRING_FUNCTIONS } from "./builtins/strings.ts";
import { compareRows, compileQuery, compileSubquery, groupRows } from "./compile-query.ts";
import type { CompiledQuery } from "./compile-query.ts";
import type { QueryRow, Scope } from "./compile.ts";
import { readToken, writeToken } from "./continuation.ts";
import type { Position } from "./continuation.ts";
import { orderColumn, pushdown, rootAliasOf } from "./pushdown.ts";
import type { PushdownContext } from "./pushdown.ts";
import { indexError, queryError } from "./language/query-error.ts";
import { propertyPath } from "./language/tree.ts";
import type { Query } from "./language/tree.ts";

export interface QueryRequest {
  container: Container;
  query: Query;
  parameters: ReadonlyMap<string, Json>;
  scope: ScanScope;
  pageSize: number;
  continuation?: string;
}

export interface QueryPage {
  /** JSON texts of the results. */
  documents: string[];
  continuation?: string;
  loaded: number;
}

const PAGE_BYTES_MAX = 4 * 1024 * 1024;

export function queryScope(clock: Clock, parameters: ReadonlyMap<string, Json>): Scope {
  return {
    names: new Map(),
    slots: { count: 1 },
    parameters,
    functions: {
      ...STRING_FUNCTIONS,
      ...NUMBER_FUNCTIONS,
      ...COLLECTION_FUNCTIONS,
      ...dateFunctions(clock),
    },
    subquery: compileSubquery,
  };
}

export function toDocument(container: Container, item: StoredItem): JsonObject {
  const document = JSON.parse(item.body) as JsonObject;
  const rid = documentRid(container.rid, item.n);
  document["_rid"] = rid;
  document["_self"] = `dbs/${container.databaseRid}/colls/${container.rid}/docs/${rid}/`;
  document["_etag"] = item.etag;
  document["_attachments"] = "attachments/";
  document["_ts"] = item.ts;
  return document;
}

/** What Azure's index would refuse to sort by. */
function refuseUnindexedOrder({ container, query }: QueryRequest): void {
  const policy = container.definition.indexingPolicy;
  const keys = query.orderBy.map(({ expression, descending }) => {
    const found = propertyPath(expression);
    if (found === undefined || found.path.length === 0) {
      throw queryError(
        "SC2206",
        "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.",
      );
    }
    return { path: found.path, descending };
  });
  if (keys.length > 1 && !hasCompositeIndex(policy, keys)) {
    throw indexError(
      "The order by query does not have a corresponding composite index that it can be served from.",
    );
  }
  if (keys.length === 1 && keys.some(({ path }) => !isPathIndexed(policy, path))) {
    throw indexError("The index path corresponding to the specified order-by item is excluded.");
  }
}

export function runQuery(request: QueryRequest, scan: ItemScan, clock: Clock): QueryPage {
  refuseUnindexedOrder(request);
  const compiled = compileQuery(request.query, queryScope(clock, request.parameters), true);
  const start = request.continuation === undefined ? { seen: 0 } : readToken(request.continuation);
  if (request.query.from.length === 0) return withoutSource(compiled);
  if (compiled.isGrouped || compiled.distinct) return wholePage(request, compiled, scan, start);
  if (compiled.orderKeys.length > 0) return orderedPage(request, compiled, scan, start);
  return page(request, compiled, start, inDocumentOrder(request, compiled, scan, start));
}

function pushdownContext({
  container,
  query,
  parameters,
}: QueryRequest): PushdownContext | undefined {
  const rootAlias = rootAliasOf(query);
  return rootAlias === undefined
    ? undefined
    : { columns: container.columns, parameters, rootAlias };
}

function conditionOf(request: QueryRequest) {
  const context = pushdownContext(request);
  const { where } = request.query;
  return context === undefined || where === undefined ? undefined : pushdown(where, context);
}

function withoutSource(compiled: CompiledQuery): QueryPage {
  const rows = compiled.isGrouped ? groupRows(compiled, compiled.rowsOf([])) : compiled.rowsOf([]);
  const results = rows.map((row) => compiled.project(row)).filter((value) => value !== undefined);
  return { documents: results.map((value) => JSON.stringify(value)), loaded: 0 };
}

interface Found {
  item: StoredItem;
  row: QueryRow;
  /** Its place among the rows of the same document. */
  at: number;
  keys: Value[];
}

function* inDocumentOrder(
  request: QueryRequest,
  compiled: CompiledQuery,
  scan: ItemScan,
  start: Position,
): Iterable<Found> {
  const condition = conditionOf(request);
  const after = start.n === undefined ? 0 : start.n - 1;
  for (const item of scan.items(request.container, request.scope, { condition, after })) {
    const rows = compiled.rowsOf([toDocument(request.container, item)]);
    const from = item.n === start.n ? (start.rows ?? 0) : 0;
    for (let at = from; at < rows.length; at += 1)
      yield { item, row: rows[at] ?? [], at, keys: [] };
  }
}

/** Fills one page from rows that come in the final order and begin where the last page ended. */
function page(
  request: QueryRequest,
  compiled: CompiledQuery,
  start: Position,
  found: Iterable<Found>,
): QueryPage {
  const { container, query, pageSize } = request;
  const documents: string[] = [];
  const isWhole =
    query.selection.kind === "star" && query.from.length === 1 && !query.from[0]?.each;
  const end = compiled.skip + compiled.take;
  let { seen } = start;
  let bytes = 0;
  let loaded = 0;
  let last: Found | undefined;
  for (const each of found) {
    loaded += 1;
    if (seen >= end) return { documents, loaded };
    if (documents.length >= pageSize || bytes > PAGE_BYTES_MAX) {
      const { item, at, keys } = last ?? each;
      const position: Position = { seen, n: item.n, rows: at + 1 };
      if (compiled.orderKeys.length > 0) position.keys = keys;
      return { documents, loaded, continuation: writeToken(position) };
    }
    last = each;
    seen += 1;
    if (seen <= compiled.skip) continue;
    const text = isWhole ? wholeText(container, each) : textOf(compiled.project(each.row));
    if (text === undefined) continue;
    documents.push(text);
    bytes += text.length;
    if (seen >= end) break;
  }
  return { documents, loaded };
}

function wholeText(container: Container, { item, row }: Found): string | undefined {
  return row[0] === undefined ? undefined : itemText(container, item);
}

function textOf(value: Value): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function orderedPage(
  request: QueryRequest,
  compiled: CompiledQuery,
  scan: ItemScan,
  start: Position,
): QueryPage {
  const { container, query, scope } = request;
  const context = pushdownContext(request);
  const isPast = scope.past !== undefined;
  const column = context === undefined || isPast ? undefined : orderColumn(query, context);
  const condition = conditionOf(request);
  const descending = query.orderBy[0]?.descending ?? false;
  const order = column === undefined ? undefined : { column, descending, from: start.keys?.[0] };
  const direction = descending ? -1 : 1;

  const isBehindStart = (found: Found): boolean => {
    if (start.keys === undefined || start.n === undefined) return true;
    const byKeys = compareRows(compiled, found.keys, start.keys);
    if (byKeys !== 0) return byKeys > 0;
    if (found.item.n !== start.n) return direction * (found.item.n - start.n) > 0;
    return found.at >= (start.rows ?? 0);
  };
  function* found(): Iterable<Found> {
    for (const item of scan.items(container, scope, { condition, order })) {
      const rows = compiled.rowsOf([toDocument(container, item)]);
      for (const [at, row] of rows.entries()) {
        const keys = compiled.orderKeys.map((key) => key.evaluate(row));
        const each = { item, row, at, keys };
        if (isBehindStart(each)) yield each;
      }
    }
  }
  // A token without keys (they were too long) resumes by count, from the beginning.
  const passed = start.keys === undefined ? start.seen : 0;
  const from = { ...start, seen: start.keys === undefined ? 0 : start.seen };
  if (order !== undefined) return page(request, compiled, start, skipping(found(), passed));
  const sorted = [...found()].sort(
    (left, right) =>
      compareRows(compiled, left.keys, right.keys) ||
      direction * (left.item.n - right.item.n) ||
      left.at - right.at,
  );
  return page(request, compiled, { ...from, seen: start.seen }, skipping(sorted, passed));
}

function* skipping(found: Iterable<Found>, count: number): Iterable<Found> {
  let skipped = 0;
  for (const each of found) {
    if (skipped >= count) yield each;
    skipped += 1;
  }
}

function wholePage(
  request: QueryRequest,
  compiled: CompiledQuery,
  scan: ItemScan,
  start: Position,
): QueryPage {
  const { container, scope, pageSize } = request;
  const condition = conditionOf(request);
  let loaded = 0;
  function* rows(): Iterable<QueryRow> {
    for (const item of scan.items(container, scope, { condition })) {
      loaded += 1;
      yield* compiled.rowsOf([toDocument(container, item)]);
    }
  }
  let kept = compiled.isGrouped ? groupRows(compiled, rows()) : [...rows()];
  if (compiled.orderKeys.length > 0) {
    const keyed = kept.map((row) => ({
      row,
      keys: compiled.orderKeys.map((key) => key.evaluate(row)),
    }));
    keyed.sort((left, right) => compareRows(compiled, left.keys, right.keys));
    kept = keyed.map(({ row }) => row);
  }
  let results = kept.map((row) => compiled.project(row)).filter((value) => value !== undefined);
  if (compiled.distinct) {
    results = [...new Map(results.map((value) => [canonicalText(value), value])).values()];
  }
  const wanted = results.slice(compiled.skip, compiled.skip + compiled.take);
  const documents = wanted.slice(start.seen, start.seen + pageSize);
  const seen = start.seen + documents.length;
  const rest = seen < wanted.length ? { continuation: writeToken({ seen }) } : {};
  return { documents: documents.map((value) => JSON.stringify(value)), loaded, ...rest };
}
