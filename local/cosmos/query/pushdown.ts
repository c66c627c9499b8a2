// What SQLite can preselect: a superset of the rows that a WHERE clause keeps.
//
// Pushed are comparisons of one property with a string, a number or a boolean, IN, BETWEEN and
// STARTSWITH, joined by AND, and by OR where each side can be pushed. All else counts as "maybe".
// The compiled filter always runs again on what comes back, so a pushed condition may be too wide
// (SQLite reads `true` as 1, an array as its text) but never too narrow.
import type { Json } from "../store/json.ts";
import type { IndexedColumn } from "../store/indexing.ts";
import { isPlainPath, jsonPath } from "../store/indexing.ts";
import { propertyPath } from "./language/tree.ts";
import type { Expression, Query } from "./language/tree.ts";

export type SqlValue = string | number;

export interface Condition {
  sql: string;
  values: SqlValue[];
  /** Set for `column IN (...)`, so that several of them can be one. */
  membership?: { target: string; isIndexed: boolean };
  isIndexed: boolean;
}

export interface PushdownContext {
  columns: readonly IndexedColumn[];
  parameters: ReadonlyMap<string, Json>;
  rootAlias: string;
}

interface Target {
  sql: string;
  isIndexed: boolean;
}

/** The name bound to the whole document, when there is one. */
export function rootAliasOf(query: Query): string | undefined {
  const first = query.from[0];
  return first?.path?.kind === "name" && !first.each ? first.alias : undefined;
}

export function targetOf(expression: Expression, context: PushdownContext): Target | undefined {
  const found = propertyPath(expression);
  if (found === undefined || found.root !== context.rootAlias) return undefined;
  const { path } = found;
  if (!isPlainPath(path)) return undefined;
  if (path.length === 1 && path[0] === "id") return { sql: "id", isIndexed: true };
  if (path.length === 1 && path[0] === "_ts") return { sql: "ts", isIndexed: false };
  if (path[0]?.startsWith("_") === true) return undefined;
  const indexed = context.columns.find((column) => column.path.join("/") === path.join("/"));
  if (indexed !== undefined) return { sql: indexed.column, isIndexed: true };
  return { sql: `json_extract(body, '${jsonPath(path)}')`, isIndexed: false };
}

export function constantOf(expression: Expression, context: PushdownContext): Json | undefined {
  if (expression.kind === "literal") return expression.value;
  return expression.kind === "parameter" ? context.parameters.get(expression.name) : undefined;
}

function sqlValue(value: Json | undefined): SqlValue | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "string") return value.includes("\u0000") ? undefined : value;
  // SQLite reads JSON booleans as 1 and 0, which also keeps their order.
  return typeof value === "boolean" ? Number(value) : undefined;
}

const FLIPPED: Record<string, string> = { "=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

export function pushdown(expression: Expression, context: PushdownContext): Condition | undefined {
  switch (expression.kind) {
    case "binary":
      if (expression.operator === "AND") {
        return both(pushdown(expression.left, context), pushdown(expression.right, context));
      }
      if (expression.operator === "OR") {
        return either(pushdown(expression.left, context), pushdown(expression.right, context));
      }
      return comparison(expression, context);
    case "in":
      return expression.negated ? undefined : membership(expression, context);
    case "between":
      if (expression.negated) return undefined;
      return both(
        compared(expression.value, ">=", expression.low, context),
        compared(expression.value, "<=", expression.high, context),
      );
    case "call":
      return startsWith(expression, context);
    default:
      return undefined;
  }
}

function both(left: Condition | undefined, right: Condition | undefined): Condition | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return {
    sql: `(${left.sql} AND ${right.sql})`,
    values: [...left.values, ...right.values],
    isIndexed: left.isIndexed || right.isIndexed,
  };
}

function either(left: Condition | undefined, right: Condition | undefined): Condition | undefined {
  if (left === undefined || right === undefined) return undefined;
  const values = [...left.values, ...right.values];
  const { membership } = left;
  if (membership !== undefined && membership.target === right.membership?.target) {
    return memberOfList(membership, values);
  }
  const isIndexed = left.isIndexed && right.isIndexed;
  return { sql: `(${left.sql} OR ${right.sql})`, values, isIndexed };
}

function memberOfList(
  membership: { target: string; isIndexed: boolean },
  values: SqlValue[],
): Condition {
  const distinct = [...new Set(values)];
  return {
    sql: `${membership.target} IN (${distinct.map(() => "?").join(", ")})`,
    values: distinct,
    membership,
    isIndexed: membership.isIndexed,
  };
}

function comparison(
  expression: Extract<Expression, { kind: "binary" }>,
  context: PushdownContext,
): Condition | undefined {
  const { operator, left, right } = expression;
  const flipped = FLIPPED[operator];
  if (flipped === undefined) return undefined;
  return compared(left, operator, right, context) ?? compared(right, flipped, left, context);
}

function compared(
  property: Expression,
  operator: string,
  constant: Expression,
  context: PushdownContext,
): Condition | undefined {
  const target = targetOf(property, context);
  const value = sqlValue(constantOf(constant, context));
  if (target === undefined || value === undefined) return undefined;
  if (operator === "=") {
    return memberOfList({ target: target.sql, isIndexed: target.isIndexed }, [value]);
  }
  return {
    sql: `${target.sql} ${operator} ?`,
    values: [value],
    isIndexed: target.isIndexed,
  };
}

function membership(
  expression: Extract<Expression, { kind: "in" }>,
  context: PushdownContext,
): Condition | undefined {
  const target = targetOf(expression.needle, context);
  if (target === undefined) return undefined;
  const values = expression.haystack.map((item) => sqlValue(constantOf(item, context)));
  const known = values.filter((value) => value !== undefined);
  if (known.length !== values.length || known.length === 0) return undefined;
  return memberOfList({ target: target.sql, isIndexed: target.isIndexed }, known);
}

function startsWith(
  expression: Extract<Expression, { kind: "call" }>,
  context: PushdownContext,
): Condition | undefined {
  const [property, prefix, ignoreCase] = expression.args;
  if (expression.name !== "STARTSWITH" || property === undefined || prefix === undefined) {
    return undefined;
  }
  const target = targetOf(property, context);
  const value = constantOf(prefix, context);
  if (target === undefined || ignoreCase !== undefined) return undefined;
  if (typeof value !== "string" || value === "" || value.includes("\u0000")) return undefined;
  // The last code point is above all text that can follow the prefix.
  return {
    sql: `(${target.sql} >= ? AND ${target.sql} < ?)`,
    values: [value, `${value}\u{10ffff}`],
    isIndexed: target.isIndexed,
  };
}

/**
 * The column whose SQLite order is the query's own order: one ORDER BY key, and a filter that keeps
 * only numbers or only strings in it (their mixture would sort differently here and there).
 */
export function orderColumn(query: Query, context: PushdownContext): string | undefined {
  const key = query.orderBy[0];
  if (key === undefined || query.orderBy.length > 1) return undefined;
  const target = targetOf(key.expression, context);
  if (target === undefined || !target.isIndexed) return undefined;
  if (target.sql === "id") return "id";
  return query.where !== undefined && fixesType(query.where, target.sql, context)
    ? target.sql
    : undefined;
}

function fixesType(expression: Expression, column: string, context: PushdownContext): boolean {
  if (expression.kind === "between") {
    return !expression.negated && fixes(expression.value, expression.low, column, context);
  }
  if (expression.kind !== "binary") return false;
  const { operator, left, right } = expression;
  if (operator === "AND") {
    return fixesType(left, column, context) || fixesType(right, column, context);
  }
  if (FLIPPED[operator] === undefined) return false;
  return fixes(left, right, column, context) || fixes(right, left, column, context);
}

function fixes(
  property: Expression,
  constant: Expression,
  column: string,
  context: PushdownContext,
): boolean {
  if (targetOf(property, context)?.sql !== column) return false;
  return sqlValue(constantOf(constant, context)) !== undefined;
}
