// Scalar expressions: a precedence climber over the tokens, one function for each level.
//
// Lowest first: ternary, `??`, OR, AND, NOT, then comparison with IN, BETWEEN and LIKE, then the
// bitwise operators, `||`, sums, products, unary signs, and members.
import type { Reader } from "./reader.ts";
import type { BinaryOperator, Expression, Query } from "./tree.ts";

/** What the levels share: the tokens, and how a subquery is read. */
export interface Parsing {
  reader: Reader;
  query: () => Query;
}

const LEVELS: BinaryOperator[][] = [
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>", ">>>"],
  ["||"],
  ["+", "-"],
  ["*", "/", "%"],
];
const COMPARISONS: BinaryOperator[] = ["=", "!=", "<", "<=", ">", ">="];
const NEGATABLE = ["IN", "BETWEEN", "LIKE"];

export function parseExpression(parsing: Parsing): Expression {
  const { reader } = parsing;
  const test = coalesce(parsing);
  if (!reader.takeSymbol("?")) return test;
  const yes = parseExpression(parsing);
  reader.expectSymbol(":");
  return { kind: "conditional", test, yes, no: parseExpression(parsing) };
}

function coalesce(parsing: Parsing): Expression {
  let left = either(parsing);
  while (parsing.reader.takeSymbol("??")) {
    left = { kind: "binary", operator: "??", left, right: either(parsing) };
  }
  return left;
}

function either(parsing: Parsing): Expression {
  let left = both(parsing);
  while (parsing.reader.takeWord("OR")) {
    left = { kind: "binary", operator: "OR", left, right: both(parsing) };
  }
  return left;
}

function both(parsing: Parsing): Expression {
  let left = negation(parsing);
  while (parsing.reader.takeWord("AND")) {
    left = { kind: "binary", operator: "AND", left, right: negation(parsing) };
  }
  return left;
}

function negation(parsing: Parsing): Expression {
  if (!parsing.reader.takeWord("NOT")) return comparison(parsing);
  return { kind: "unary", operator: "NOT", operand: negation(parsing) };
}

function comparison(parsing: Parsing): Expression {
  const { reader } = parsing;
  let left = level(parsing, 0);
  for (;;) {
    const negated = reader.peekWord("NOT") && NEGATABLE.includes(reader.wordAhead(1));
    if (negated) reader.takeWord("NOT");
    if (reader.takeWord("IN")) {
      reader.expectSymbol("(");
      left = { kind: "in", needle: left, haystack: list(parsing, ")"), negated };
    } else if (reader.takeWord("BETWEEN")) {
      const low = level(parsing, 0);
      reader.expectWord("AND");
      left = { kind: "between", value: left, low, high: level(parsing, 0), negated };
    } else if (reader.takeWord("LIKE")) {
      const pattern = level(parsing, 0);
      const escape = reader.takeWord("ESCAPE") ? { escape: level(parsing, 0) } : {};
      left = { kind: "like", text: left, pattern, ...escape, negated };
    } else {
      const operator = reader.takeSymbol("<>") ? "!=" : reader.takeSymbolOf(COMPARISONS);
      if (operator === undefined) return left;
      left = { kind: "binary", operator, left, right: level(parsing, 0) };
    }
  }
}

function level(parsing: Parsing, depth: number): Expression {
  const operators = LEVELS[depth];
  if (operators === undefined) return unary(parsing);
  let left = level(parsing, depth + 1);
  for (;;) {
    const operator = parsing.reader.takeSymbolOf(operators);
    if (operator === undefined) return left;
    left = { kind: "binary", operator, left, right: level(parsing, depth + 1) };
  }
}

function unary(parsing: Parsing): Expression {
  const sign = parsing.reader.takeSymbolOf(["-", "+", "~"] as const);
  if (sign === undefined) return members(parsing);
  return { kind: "unary", operator: sign, operand: unary(parsing) };
}

function members(parsing: Parsing): Expression {
  const { reader } = parsing;
  let of = primary(parsing);
  for (;;) {
    if (reader.takeSymbol(".")) {
      of = { kind: "member", of, key: { kind: "literal", value: reader.expectName() } };
    } else if (reader.takeSymbol("[")) {
      const key = parseExpression(parsing);
      reader.expectSymbol("]");
      of = { kind: "member", of, key };
    } else return of;
  }
}

function list(parsing: Parsing, end: ")" | "]"): Expression[] {
  const items: Expression[] = [];
  if (parsing.reader.takeSymbol(end)) return items;
  do items.push(parseExpression(parsing));
  while (parsing.reader.takeSymbol(","));
  parsing.reader.expectSymbol(end);
  return items;
}

function object(parsing: Parsing): Expression {
  const { reader } = parsing;
  const entries: { key: string; value: Expression }[] = [];
  if (reader.takeSymbol("}")) return { kind: "object", entries };
  do {
    const key = reader.takeString() ?? reader.expectName();
    reader.expectSymbol(":");
    entries.push({ key, value: parseExpression(parsing) });
  } while (reader.takeSymbol(","));
  reader.expectSymbol("}");
  return { kind: "object", entries };
}

function subquery(parsing: Parsing): Query {
  const parsed = parsing.query();
  parsing.reader.expectSymbol(")");
  return parsed;
}

function primary(parsing: Parsing): Expression {
  const { reader } = parsing;
  const token = reader.next();
  switch (token.kind) {
    case "string":
    case "number":
      return { kind: "literal", value: token.value };
    case "parameter":
      return { kind: "parameter", name: token.name, at: token.at };
    case "symbol":
      if (token.text === "(") return parenthesised(parsing);
      if (token.text === "[") return { kind: "array", items: list(parsing, "]") };
      if (token.text === "{") return object(parsing);
      throw reader.unexpected(token);
    case "word":
      if (token.upper === "TRUE") return { kind: "literal", value: true };
      if (token.upper === "FALSE") return { kind: "literal", value: false };
      if (token.upper === "NULL") return { kind: "literal", value: null };
      if (token.upper === "UNDEFINED") return { kind: "literal", value: undefined };
      if (reader.takeSymbol("(")) return call(parsing, token.upper, token.at);
      if (reader.isReserved(token.upper)) throw reader.unexpected(token);
      return { kind: "name", name: token.text, at: token.at };
    case "end":
      throw reader.unexpected(token);
  }
}

function parenthesised(parsing: Parsing): Expression {
  if (parsing.reader.peekWord("SELECT")) return { kind: "subquery", query: subquery(parsing) };
  const inner = parseExpression(parsing);
  parsing.reader.expectSymbol(")");
  return inner;
}

function call(parsing: Parsing, name: string, at: number): Expression {
  if (name === "EXISTS") return { kind: "exists", query: subquery(parsing) };
  if (name === "ARRAY" && parsing.reader.peekWord("SELECT")) {
    return { kind: "arrayOf", query: subquery(parsing) };
  }
  return { kind: "call", name, args: list(parsing, ")"), at };
}
