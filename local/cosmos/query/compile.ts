// Expressions to closures. A row is an array of slots, one for each bound name; names become slot
// numbers here, so an unknown name is refused before any row is read.
//
// Undefined semantics: an operator whose operand has a type it does not take yields undefined; AND
// is false as soon as one side is false, OR true as soon as one side is true, whatever the other is;
// a filter keeps a row only for exactly `true`.
import type { Json, JsonObject, Value } from "../store/json.ts";
import { canonicalText, memberOf } from "../store/json.ts";
import { compareScalars, equals } from "./compare.ts";
import { AGGREGATES } from "./aggregates.ts";
import type { Accumulator } from "./aggregates.ts";
import type { BuiltIn } from "./builtins/strings.ts";
import { likePattern } from "./like.ts";
import { queryError } from "./language/query-error.ts";
import type { BinaryOperator, Expression, Query } from "./language/tree.ts";

export type QueryRow = Value[];
export type Evaluate = (row: QueryRow) => Value;

export interface AggregateSlot {
  slot: number;
  start: () => Accumulator;
  argument: Evaluate;
}

export interface Scope {
  names: ReadonlyMap<string, number>;
  /** Shared by a query and its subqueries: slots are never reused. */
  slots: { count: number };
  parameters: ReadonlyMap<string, Json>;
  functions: Readonly<Record<string, BuiltIn>>;
  /** Where aggregates may stand (a SELECT list), those found are collected here. */
  aggregates?: AggregateSlot[];
  subquery: (query: Query, scope: Scope) => (row: QueryRow) => Json[];
}

function numeric(apply: (left: number, right: number) => number) {
  return (left: Value, right: Value): Value => {
    if (typeof left !== "number" || typeof right !== "number") return undefined;
    const result = apply(left, right);
    return Number.isFinite(result) ? result : undefined;
  };
}

function ordered(isKept: (comparison: number) => boolean) {
  return (left: Value, right: Value): Value => {
    const comparison = compareScalars(left, right);
    return comparison === undefined ? undefined : isKept(comparison);
  };
}

function negated(value: Value): Value {
  return typeof value === "boolean" ? !value : undefined;
}

type Strict = Exclude<BinaryOperator, "AND" | "OR" | "??">;
const OPERATORS: Record<Strict, (left: Value, right: Value) => Value> = {
  "=": equals,
  "!=": (left, right) => negated(equals(left, right)),
  "<": ordered((comparison) => comparison < 0),
  "<=": ordered((comparison) => comparison <= 0),
  ">": ordered((comparison) => comparison > 0),
  ">=": ordered((comparison) => comparison >= 0),
  "+": numeric((left, right) => left + right),
  "-": numeric((left, right) => left - right),
  "*": numeric((left, right) => left * right),
  "/": numeric((left, right) => left / right),
  "%": numeric((left, right) => left % right),
  "&": numeric((left, right) => left & right),
  "|": numeric((left, right) => left | right),
  "^": numeric((left, right) => left ^ right),
  "<<": numeric((left, right) => left << right),
  ">>": numeric((left, right) => left >> right),
  ">>>": numeric((left, right) => left >>> right),
  "||": (left, right) =>
    typeof left === "string" && typeof right === "string" ? left + right : undefined,
};

export function compileExpression(expression: Expression, scope: Scope): Evaluate {
  const compile = (inner: Expression): Evaluate => compileExpression(inner, scope);
  switch (expression.kind) {
    case "literal": {
      const { value } = expression;
      return () => value;
    }
    case "parameter":
      return compileParameter(expression, scope);
    case "name":
      return compileName(expression, scope);
    case "member":
      return compileMember(compile(expression.of), expression.key, compile);
    case "unary":
      return compileUnary(expression.operator, compile(expression.operand));
    case "binary":
      return compileBinary(
        expression.operator,
        compile(expression.left),
        compile(expression.right),
      );
    case "in":
      return compileIn(compile(expression.needle), expression.haystack.map(compile), expression);
    case "between": {
      const value = compile(expression.value);
      const isFrom = compileBinary(">=", value, compile(expression.low));
      const isTo = compileBinary("<=", value, compile(expression.high));
      const isBetween = compileBinary("AND", isFrom, isTo);
      return expression.negated ? (row) => negated(isBetween(row)) : isBetween;
    }
    case "like":
      return compileLike(expression, compile);
    case "conditional": {
      const [test, yes, no] = [expression.test, expression.yes, expression.no].map(compile);
      return (row) => (test?.(row) === true ? yes?.(row) : no?.(row));
    }
    case "call":
      return compileCall(expression, scope);
    case "object":
      return compileObject(expression.entries, compile);
    case "array": {
      const items = expression.items.map(compile);
      return (row) => items.map((item) => item(row)).filter((value) => value !== undefined);
    }
    case "exists":
    case "arrayOf":
    case "subquery":
      return compileSubquery(expression.kind, scope.subquery(expression.query, scope));
  }
}

function compileParameter({ name, at }: { name: string; at: number }, scope: Scope): Evaluate {
  if (!scope.parameters.has(name)) {
    throw queryError("SC2010", `The query names the parameter '${name}', which was not given.`, at);
  }
  const value = scope.parameters.get(name);
  return () => value;
}

function compileName({ name, at }: { name: string; at: number }, scope: Scope): Evaluate {
  const slot = scope.names.get(name);
  if (slot === undefined) {
    throw queryError("SC2001", `Identifier '${name}' could not be resolved.`, at);
  }
  return (row) => row[slot];
}

function compileMember(
  of: Evaluate,
  key: Expression,
  compile: (inner: Expression) => Evaluate,
): Evaluate {
  if (key.kind === "literal" && (typeof key.value === "string" || typeof key.value === "number")) {
    const fixed = key.value;
    return (row) => memberOf(of(row), fixed);
  }
  const index = compile(key);
  return (row) => {
    const at = index(row);
    return typeof at === "string" || typeof at === "number" ? memberOf(of(row), at) : undefined;
  };
}

function compileUnary(operator: "NOT" | "-" | "+" | "~", operand: Evaluate): Evaluate {
  if (operator === "NOT") return (row) => negated(operand(row));
  return (row) => {
    const value = operand(row);
    if (typeof value !== "number") return undefined;
    if (operator === "~") return ~value;
    return operator === "-" ? -value : value;
  };
}

function compileBinary(operator: BinaryOperator, left: Evaluate, right: Evaluate): Evaluate {
  switch (operator) {
    case "AND":
      return (row) => both(left(row), () => right(row));
    case "OR":
      return (row) => either(left(row), () => right(row));
    case "??":
      return (row) => left(row) ?? orUndefined(left(row), right, row);
    default: {
      const apply = OPERATORS[operator];
      return (row) => apply(left(row), right(row));
    }
  }
}

/** `??` looks for undefined only: null is a value. */
function orUndefined(left: Value, right: Evaluate, row: QueryRow): Value {
  return left === null ? null : right(row);
}

function both(left: Value, right: () => Value): Value {
  if (left === false) return false;
  const other = right();
  if (other === false) return false;
  return left === true && other === true ? true : undefined;
}

function either(left: Value, right: () => Value): Value {
  if (left === true) return true;
  const other = right();
  if (other === true) return true;
  return left === false && other === false ? false : undefined;
}

function compileIn(
  needle: Evaluate,
  haystack: Evaluate[],
  options: { negated: boolean },
): Evaluate {
  return (row) => {
    const wanted = needle(row);
    if (wanted === undefined) return undefined;
    return haystack.some((item) => equals(wanted, item(row)) === true) !== options.negated;
  };
}

function compileLike(
  expression: Extract<Expression, { kind: "like" }>,
  compile: (inner: Expression) => Evaluate,
): Evaluate {
  const text = compile(expression.text);
  const pattern = compile(expression.pattern);
  const escape = expression.escape === undefined ? undefined : compile(expression.escape);
  return (row) => {
    const value = text(row);
    const wanted = pattern(row);
    if (typeof value !== "string" || typeof wanted !== "string") return undefined;
    const escaping = escape?.(row);
    const isLike = likePattern(wanted, typeof escaping === "string" ? escaping : undefined);
    return isLike.test(value) !== expression.negated;
  };
}

function compileCall(expression: Extract<Expression, { kind: "call" }>, scope: Scope): Evaluate {
  const start = AGGREGATES[expression.name];
  if (start !== undefined) return compileAggregate(expression, scope, start);
  const apply = scope.functions[expression.name];
  if (apply === undefined) {
    const message = `'${expression.name}' is not a recognized built-in function name.`;
    throw queryError("SC2005", message, expression.at);
  }
  const args = expression.args.map((arg) => compileExpression(arg, scope));
  return (row) => apply(args.map((arg) => arg(row)));
}

function compileAggregate(
  expression: Extract<Expression, { kind: "call" }>,
  scope: Scope,
  start: () => Accumulator,
): Evaluate {
  const { aggregates, ...plain } = scope;
  const argument = expression.args[0];
  if (aggregates === undefined || argument === undefined || expression.args.length !== 1) {
    const message = `The aggregate '${expression.name}' is not allowed here.`;
    throw queryError("SC2006", message, expression.at);
  }
  const slot = scope.slots.count;
  scope.slots.count += 1;
  aggregates.push({ slot, start, argument: compileExpression(argument, plain) });
  return (row) => row[slot];
}

function compileObject(
  entries: readonly { key: string; value: Expression }[],
  compile: (inner: Expression) => Evaluate,
): Evaluate {
  const compiled = entries.map(({ key, value }) => ({ key, value: compile(value) }));
  return (row) => {
    const object: JsonObject = {};
    for (const { key, value } of compiled) {
      const found = value(row);
      if (found !== undefined) object[key] = found;
    }
    return object;
  };
}

function compileSubquery(
  kind: "exists" | "arrayOf" | "subquery",
  run: (row: QueryRow) => Json[],
): Evaluate {
  if (kind === "exists") return (row) => run(row).length > 0;
  if (kind === "arrayOf") return (row) => run(row);
  return (row) => {
    const results = run(row);
    if (results.length > 1) {
      throw queryError("SC3001", "The cardinality of a scalar subquery result can not exceed one.");
    }
    return results[0];
  };
}

export function groupText(keys: readonly Evaluate[], row: QueryRow): string {
  return keys.map((key) => canonicalText(key(row))).join("\u0000");
}
