// The query plan: how the client's own pipeline merges a query over several partitions.
//
// Each partition is sent the rewritten query. ORDER BY makes it return the sort keys beside each row;
// an aggregate makes it return a partial result (AVG as sum and count); GROUP BY both; OFFSET asks
// each for the rows from the start. The client merges, aggregates and skips.
import type { Json } from "../store/json.ts";
import { AGGREGATES } from "./aggregates.ts";
import { printExpression, printQuery } from "./language/print.ts";
import { queryError } from "./language/query-error.ts";
import type { Expression, Query } from "./language/tree.ts";

export interface QueryPlan {
  partitionedQueryExecutionInfoVersion: number;
  queryInfo: Record<string, unknown>;
  queryRanges: { min: string; max: string; isMinInclusive: boolean; isMaxInclusive: boolean }[];
}

/** The client puts the rows already seen here when it resumes. */
const FILTER_PLACEHOLDER = "{documentdb-formattableorderbyquery-filter}";

const AGGREGATE_NAMES: Record<string, string> = {
  COUNT: "Count",
  COUNTIF: "CountIf",
  SUM: "Sum",
  MIN: "Min",
  MAX: "Max",
  AVG: "Average",
  MAKELIST: "MakeList",
  MAKESET: "MakeSet",
};

function selected(query: Query): { expression: Expression; alias: string }[] {
  const { selection } = query;
  if (selection.kind === "value") return [{ expression: selection.expression, alias: "" }];
  return selection.kind === "list" ? selection.items : [];
}

type Call = Extract<Expression, { kind: "call" }>;

function isAggregate(expression: Expression): expression is Call {
  return expression.kind === "call" && AGGREGATES[expression.name] !== undefined;
}

function containsAggregate(expression: Expression): boolean {
  switch (expression.kind) {
    case "member":
      return containsAggregate(expression.of);
    case "unary":
      return containsAggregate(expression.operand);
    case "binary":
      return containsAggregate(expression.left) || containsAggregate(expression.right);
    case "call":
      return AGGREGATES[expression.name] !== undefined || expression.args.some(containsAggregate);
    case "array":
      return expression.items.some(containsAggregate);
    case "object":
      return expression.entries.some(({ value }) => containsAggregate(value));
    default:
      return false;
  }
}

/** True for what several partitions cannot answer by being read one after the other. */
export function needsClientPipeline(query: Query): boolean {
  return (
    query.orderBy.length > 0 ||
    query.groupBy.length > 0 ||
    query.distinct ||
    query.top !== undefined ||
    query.offset !== undefined ||
    selected(query).some(({ expression }) => containsAggregate(expression))
  );
}

function partial(expression: Expression): string {
  if (!isAggregate(expression)) {
    if (!containsAggregate(expression)) return printExpression(expression);
    const message = "Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates.";
    throw queryError("SC2201", message);
  }
  const argument = expression.args.map(printExpression).join(", ");
  const own = `${expression.name}(${argument})`;
  switch (expression.name) {
    case "AVG":
      return `{"item": {"sum": SUM(${argument}), "count": COUNT(${argument})}}`;
    case "MIN":
    case "MAX": {
      const key = expression.name.toLowerCase();
      return `{"item": ${own}, "item2": {"${key}": ${own}, "count": COUNT(${argument})}}`;
    }
    default:
      return `{"item": ${own}}`;
  }
}

function boxed(expressions: readonly Expression[]): string {
  return `[${expressions.map((each) => `{"item": ${printExpression(each)}}`).join(", ")}]`;
}

/** The payload of a group, or of a sorted row. */
function payload(query: Query): string {
  const { selection } = query;
  if (selection.kind === "star") return query.from[0]?.alias ?? "{}";
  if (selection.kind === "value") {
    const { expression } = selection;
    return isAggregate(expression) ? `[${partial(expression)}]` : partial(expression);
  }
  const entries = selection.items.map(
    ({ alias, expression }) => `${JSON.stringify(alias)}: ${partial(expression)}`,
  );
  return `{${entries.join(", ")}}`;
}

function rewrite(query: Query, counts: Counts): string {
  const each: Query =
    counts.offset === null || counts.limit === null
      ? query
      : {
          ...query,
          offset: { kind: "literal", value: 0 },
          limit: { kind: "literal", value: counts.offset + counts.limit },
        };
  if (query.groupBy.length > 0) {
    const select = `${boxed(query.groupBy)} AS groupByItems, ${payload(query)} AS payload`;
    // Groups are complete only after the merge: no partition may cut them.
    const { offset: _offset, limit: _limit, top: _top, ...whole } = query;
    return printQuery(whole, { select });
  }
  const isFolded = selected(query).some(({ expression }) => containsAggregate(expression));
  if (isFolded) return printQuery(query, { select: `VALUE ${payload(query)}` });
  if (query.orderBy.length > 0) {
    const root = query.from[0]?.alias ?? "c";
    const keys = boxed(query.orderBy.map(({ expression }) => expression));
    const select = `${root}._rid, ${keys} AS orderByItems, ${payload(query)} AS payload`;
    const own = query.where === undefined ? "" : `${printExpression(query.where)} AND `;
    return printQuery(each, { select, filter: `(${own}${FILTER_PLACEHOLDER})` });
  }
  return needsClientPipeline(query) ? printQuery(each) : "";
}

interface Counts {
  top: number | null;
  offset: number | null;
  limit: number | null;
}

export function queryPlan(query: Query, parameters: ReadonlyMap<string, Json>): QueryPlan {
  const count = (expression: Expression | undefined): number | null => {
    if (expression === undefined) return null;
    const value =
      expression.kind === "parameter"
        ? parameters.get(expression.name)
        : expression.kind === "literal" && expression.value;
    return typeof value === "number" ? value : null;
  };
  const counts: Counts = {
    top: count(query.top),
    offset: count(query.offset),
    limit: count(query.limit),
  };
  const items = selected(query);
  const named = items.map(({ alias, expression }) => [
    alias,
    isAggregate(expression) ? (AGGREGATE_NAMES[expression.name] ?? null) : null,
  ]);
  const isGrouped = query.groupBy.length > 0;
  const isValue = query.selection.kind === "value";
  const aggregates = named.map(([, name]) => name).filter((name) => name !== null);
  return {
    partitionedQueryExecutionInfoVersion: 2,
    queryInfo: {
      distinctType: query.distinct ? (query.orderBy.length > 0 ? "Ordered" : "Unordered") : "None",
      ...counts,
      orderBy: query.orderBy.map(({ descending }) => (descending ? "Descending" : "Ascending")),
      orderByExpressions: query.orderBy.map(({ expression }) => printExpression(expression)),
      groupByExpressions: query.groupBy.map(printExpression),
      groupByAliases: isGrouped && !isValue ? items.map(({ alias }) => alias) : [],
      aggregates: isGrouped && !isValue ? [] : aggregates,
      groupByAliasToAggregateType: isGrouped && !isValue ? Object.fromEntries(named) : {},
      rewrittenQuery: rewrite(query, counts),
      hasSelectValue: isValue,
      hasNonStreamingOrderBy: false,
    },
    queryRanges: [{ min: "", max: "FF", isMinInclusive: true, isMaxInclusive: false }],
  };
}
