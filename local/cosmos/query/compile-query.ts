// A whole query to a pipeline: FROM and JOIN make rows, WHERE keeps some, GROUP BY and aggregates
// fold them, ORDER BY sorts, SELECT projects, DISTINCT, OFFSET and LIMIT cut.
//
// The same pipeline runs a subquery (on the one row it is correlated with) and a top-level query,
// whose rows come one document at a time so that `run-query.ts` can stop early.
import type { Json, Value } from "../store/json.ts";
import { canonicalText, isObject } from "../store/json.ts";
import { compareForOrder } from "./compare.ts";
import { compileExpression, groupText } from "./compile.ts";
import type { AggregateSlot, Evaluate, QueryRow, Scope } from "./compile.ts";
import { queryError } from "./language/query-error.ts";
import type { Expression, Query, Source } from "./language/tree.ts";

export interface CompiledQuery {
  /** The rows that one document (or one outer row) yields, after WHERE. */
  rowsOf(row: QueryRow): QueryRow[];
  project(row: QueryRow): Value;
  orderKeys: { evaluate: Evaluate; descending: boolean }[];
  groupKeys: Evaluate[];
  aggregates: AggregateSlot[];
  isGrouped: boolean;
  distinct: boolean;
  skip: number;
  take: number;
}

type Expand = (rows: QueryRow[]) => QueryRow[];

/** The slot of the document itself. */
export const ROOT_SLOT = 0;

function rootName(expression: Expression | undefined): string | undefined {
  let at = expression;
  while (at?.kind === "member") at = at.of;
  return at?.kind === "name" ? at.name : undefined;
}

function compileSource(
  source: Source,
  scope: Scope,
  isRoot: boolean,
): { expand: Expand; slot: number } {
  if (isRoot && source.path?.kind === "name" && !source.each) {
    return { expand: (rows) => rows, slot: ROOT_SLOT };
  }
  const root = isRoot ? rootName(source.path) : undefined;
  const names = root === undefined ? scope.names : new Map([...scope.names, [root, ROOT_SLOT]]);
  const values = compileOrigin(source, { ...scope, names });
  const slot = scope.slots.count;
  scope.slots.count += 1;
  const expand: Expand = (rows) =>
    rows.flatMap((row) =>
      values(row).map((value) => {
        const bound = row.slice();
        bound[slot] = value;
        return bound;
      }),
    );
  return { expand, slot };
}

function compileOrigin(source: Source, scope: Scope): (row: QueryRow) => Value[] {
  const { query, path, each } = source;
  const values: (row: QueryRow) => Value[] =
    query === undefined
      ? pathValues(compileExpression(path ?? { kind: "literal", value: undefined }, scope))
      : scope.subquery(query, scope);
  if (!each) return values;
  if (query === undefined) return (row) => values(row).flatMap((value) => elements(value));
  // `x IN (SELECT VALUE ...)` yields the subquery's results, and an array result is taken apart.
  return (row) => values(row).flatMap((value) => (Array.isArray(value) ? value : [value]));
}

function pathValues(evaluate: Evaluate): (row: QueryRow) => Value[] {
  return (row) => {
    const value = evaluate(row);
    return value === undefined ? [] : [value];
  };
}

function elements(value: Value): Json[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

export function compileQuery(query: Query, outer: Scope, isTop: boolean): CompiledQuery {
  let scope: Scope = outer;
  const expanders: Expand[] = [];
  query.from.forEach((source, at) => {
    const isOuterName = !isTop && scope.names.has(rootName(source.path) ?? "");
    const { expand, slot } = compileSource(source, scope, at === 0 && !isOuterName);
    expanders.push(expand);
    scope = { ...scope, names: new Map([...scope.names, [source.alias, slot]]) };
  });
  const keep = query.where === undefined ? undefined : compileExpression(query.where, scope);
  const aggregates: AggregateSlot[] = [];
  const project = compileSelection(query, { ...scope, aggregates });
  const plain = { ...scope };
  delete plain.aggregates;
  const constant = (expression: Expression | undefined, otherwise: number): number => {
    if (expression === undefined) return otherwise;
    const value = compileExpression(expression, plain)([]);
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
    throw queryError("SC2062", "TOP, OFFSET and LIMIT need an integer that is not negative.");
  };
  return {
    rowsOf: (row) => {
      let rows = [row];
      for (const expand of expanders) rows = expand(rows);
      return keep === undefined ? rows : rows.filter((candidate) => keep(candidate) === true);
    },
    project,
    orderKeys: query.orderBy.map(({ expression, descending }) => ({
      evaluate: compileExpression(expression, plain),
      descending,
    })),
    groupKeys: query.groupBy.map((key) => compileExpression(key, plain)),
    aggregates,
    isGrouped: query.groupBy.length > 0 || aggregates.length > 0,
    distinct: query.distinct,
    skip: constant(query.offset, 0),
    take: constant(query.top ?? query.limit, Number.POSITIVE_INFINITY),
  };
}

function compileSelection(query: Query, scope: Scope): Evaluate {
  const { selection } = query;
  switch (selection.kind) {
    case "star": {
      const slot = scope.names.get(query.from[0]?.alias ?? "") ?? ROOT_SLOT;
      return (row) => row[slot];
    }
    case "value":
      return compileExpression(selection.expression, scope);
    case "list":
      return compileExpression(
        {
          kind: "object",
          entries: selection.items.map(({ alias, expression }) => ({
            key: alias,
            value: expression,
          })),
        },
        scope,
      );
  }
}

/** Folds rows into one row for each group, its aggregates in their slots. */
export function groupRows(query: CompiledQuery, rows: Iterable<QueryRow>): QueryRow[] {
  const groups = new Map<
    string,
    { first: QueryRow; totals: ReturnType<AggregateSlot["start"]>[] }
  >();
  for (const row of rows) {
    const key = groupText(query.groupKeys, row);
    let group = groups.get(key);
    if (group === undefined) {
      group = { first: row, totals: query.aggregates.map((aggregate) => aggregate.start()) };
      groups.set(key, group);
    }
    const { totals } = group;
    query.aggregates.forEach((aggregate, at) => totals[at]?.add(aggregate.argument(row)));
  }
  if (groups.size === 0 && query.groupKeys.length === 0) {
    groups.set("", { first: [], totals: query.aggregates.map((aggregate) => aggregate.start()) });
  }
  return [...groups.values()].map(({ first, totals }) => {
    const row = first.slice();
    query.aggregates.forEach(({ slot }, at) => (row[slot] = totals[at]?.result()));
    return row;
  });
}

export function compareRows(query: CompiledQuery, left: Value[], right: Value[]): number {
  for (const [at, { descending }] of query.orderKeys.entries()) {
    const comparison = compareForOrder(left[at], right[at]);
    if (comparison !== 0) return descending ? -comparison : comparison;
  }
  return 0;
}

export function compileSubquery(query: Query, outer: Scope): (row: QueryRow) => Json[] {
  const compiled = compileQuery(query, outer, false);
  return (row) => {
    let rows = compiled.rowsOf(row);
    if (compiled.isGrouped) rows = groupRows(compiled, rows);
    if (compiled.orderKeys.length > 0) {
      const keyed = rows.map((each) => ({
        row: each,
        keys: compiled.orderKeys.map((key) => key.evaluate(each)),
      }));
      keyed.sort((left, right) => compareRows(compiled, left.keys, right.keys));
      rows = keyed.map((each) => each.row);
    }
    let results = rows.map((each) => compiled.project(each)).filter((each) => each !== undefined);
    if (compiled.distinct) {
      results = [...new Map(results.map((each) => [canonicalText(each), each])).values()];
    }
    return results.slice(compiled.skip, compiled.skip + compiled.take);
  };
}
