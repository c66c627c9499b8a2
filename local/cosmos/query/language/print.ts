// The tree back to text: what the planner hands the client to send to each partition. Everything is
// in parentheses, so precedence needs no thought.
import { ownName } from "./tree.ts";
import type { Expression, Query, Source } from "./tree.ts";

export function printExpression(expression: Expression): string {
  const print = printExpression;
  switch (expression.kind) {
    case "literal":
      return expression.value === undefined ? "undefined" : JSON.stringify(expression.value);
    case "parameter":
    case "name":
      return expression.name;
    case "member":
      return `${print(expression.of)}[${print(expression.key)}]`;
    case "unary":
      return `(${expression.operator} ${print(expression.operand)})`;
    case "binary":
      return `(${print(expression.left)} ${expression.operator} ${print(expression.right)})`;
    case "in":
      return `(${print(expression.needle)}${not(expression)} IN (${expression.haystack.map(print).join(", ")}))`;
    case "between":
      return `(${print(expression.value)}${not(expression)} BETWEEN ${print(expression.low)} AND ${print(expression.high)})`;
    case "like":
      return `(${print(expression.text)}${not(expression)} LIKE ${print(expression.pattern)}${
        expression.escape === undefined ? "" : ` ESCAPE ${print(expression.escape)}`
      })`;
    case "conditional":
      return `(${print(expression.test)} ? ${print(expression.yes)} : ${print(expression.no)})`;
    case "call":
      return `${expression.name}(${expression.args.map(print).join(", ")})`;
    case "object":
      return `{${expression.entries.map(({ key, value }) => `${JSON.stringify(key)}: ${print(value)}`).join(", ")}}`;
    case "array":
      return `[${expression.items.map(print).join(", ")}]`;
    case "exists":
      return `EXISTS(${printQuery(expression.query)})`;
    case "arrayOf":
      return `ARRAY(${printQuery(expression.query)})`;
    case "subquery":
      return `(${printQuery(expression.query)})`;
  }
}

function not({ negated }: { negated: boolean }): string {
  return negated ? " NOT" : "";
}

function printSource({ alias, each, path, query }: Source): string {
  const origin =
    query === undefined
      ? printExpression(path ?? { kind: "array", items: [] })
      : `(${printQuery(query)})`;
  return each ? `${alias} IN ${origin}` : `${origin} AS ${alias}`;
}

function printSelection({ selection }: Query): string {
  switch (selection.kind) {
    case "star":
      return "*";
    case "value":
      return `VALUE ${printExpression(selection.expression)}`;
    case "list":
      return selection.items
        .map(({ expression, alias }) =>
          alias.startsWith("$") || ownName(expression) === alias
            ? printExpression(expression)
            : `${printExpression(expression)} AS ${alias}`,
        )
        .join(", ");
  }
}

/** `select` and `filter` replace the query's own. */
export function printQuery(
  query: Query,
  { select, filter }: { select?: string; filter?: string } = {},
): string {
  const where = filter ?? (query.where === undefined ? undefined : printExpression(query.where));
  const list = (items: readonly Expression[]): string => items.map(printExpression).join(", ");
  const orders = query.orderBy.map(
    ({ expression, descending }) => `${printExpression(expression)} ${descending ? "DESC" : "ASC"}`,
  );
  return [
    `SELECT${query.distinct ? " DISTINCT" : ""}`,
    query.top === undefined ? "" : `TOP ${printExpression(query.top)}`,
    select ?? printSelection(query),
    query.from.length === 0 ? "" : `FROM ${query.from.map(printSource).join(" JOIN ")}`,
    where === undefined ? "" : `WHERE ${where}`,
    query.groupBy.length === 0 ? "" : `GROUP BY ${list(query.groupBy)}`,
    orders.length === 0 ? "" : `ORDER BY ${orders.join(", ")}`,
    query.offset === undefined || query.limit === undefined
      ? ""
      : `OFFSET ${printExpression(query.offset)} LIMIT ${printExpression(query.limit)}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}
