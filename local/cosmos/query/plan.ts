// The query plan: what the client's own pipeline needs in order to merge several partitions.
import type { Expression, Query } from "./tree.ts";
import { AGGREGATES } from "./aggregates.ts";

export interface QueryPlan {
  partitionedQueryExecutionInfoVersion: number;
  queryInfo: Record<string, unknown>;
  queryRanges: { min: string; max: string; isMinInclusive: boolean; isMaxInclusive: boolean }[];
}

/** True for what several partitions cannot answer by being read one after the other. */
export function needsClientPipeline(query: Query): boolean {
  return (
    query.orderBy.length > 0 ||
    query.groupBy.length > 0 ||
    query.distinct ||
    query.top !== undefined ||
    query.offset !== undefined ||
    aggregatesOf(query).length > 0
  );
}

function selected(query: Query): Expression[] {
  const { selection } = query;
  if (selection.kind === "value") return [selection.expression];
  return selection.kind === "list" ? selection.items.map((item) => item.expression) : [];
}

export function aggregatesOf(query: Query): string[] {
  return selected(query).flatMap((expression) =>
    expression.kind === "call" && AGGREGATES[expression.name] !== undefined
      ? [expression.name]
      : [],
  );
}

function number(expression: Expression | undefined): number | null {
  if (expression?.kind !== "literal" || typeof expression.value !== "number") return null;
  return expression.value;
}

export function queryPlan(query: Query): QueryPlan {
  return {
    partitionedQueryExecutionInfoVersion: 2,
    queryInfo: {
      distinctType: query.distinct ? "Unordered" : "None",
      top: number(query.top),
      offset: number(query.offset),
      limit: number(query.limit),
      orderBy: query.orderBy.map(({ descending }) => (descending ? "Descending" : "Ascending")),
      orderByExpressions: [],
      groupByExpressions: [],
      groupByAliases: [],
      aggregates: [],
      groupByAliasToAggregateType: {},
      rewrittenQuery: "",
      hasSelectValue: query.selection.kind === "value",
      hasNonStreamingOrderBy: false,
    },
    queryRanges: [{ min: "", max: "FF", isMinInclusive: true, isMaxInclusive: false }],
  };
}
