// Scalar expressions: a precedence climber over the tokens.
//
// Lowest first: ternary and `??`, OR, AND, NOT, then comparison with IN, BETWEEN and LIKE, then the
// bitwise operators, `||`, sums, products, unary signs, and members.
import type { BinaryOperator, Expression } from "./tree.ts";
import type { Reader } from "./reader.ts";
import type { Query } from "./tree.ts";

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

export function parseExpression(reader: Reader, parseQuery: () => Query): Expression {
  const query = (): Query => {
    const parsed = parseQuery();
    reader.expectSymbol(")");
    return parsed;
  };

  function conditional(): Expression {
    const test = coalesce();
    if (!reader.takeSymbol("?")) return test;
    const yes = conditional();
    reader.expectSymbol(":");
    return { kind: "conditional", test, yes, no: conditional() };
  }

  function coalesce(): Expression {
    let left = either();
    while (reader.takeSymbol("??")) {
      left = { kind: "binary", operator: "??", left, right: either() };
    }
    return left;
  }

  function either(): Expression {
    let left = both();
    while (reader.takeWord("OR")) left = { kind: "binary", operator: "OR", left, right: both() };
    return left;
  }

  function both(): Expression {
    let left = negation();
    while (reader.takeWord("AND")) {
      left = { kind: "binary", operator: "AND", left, right: negation() };
    }
    return left;
  }

  function negation(): Expression {
    if (!reader.takeWord("NOT")) return comparison();
    return { kind: "unary", operator: "NOT", operand: negation() };
  }

  function comparison(): Expression {
    let left = level(0);
    for (;;) {
      const negated = reader.peekWord("NOT") && ["IN", "BETWEEN", "LIKE"].includes(reader.wordAhead(1));
      if (negated) reader.takeWord("NOT");
      if (reader.takeWord("IN")) left = membership(left, negated);
      else if (reader.takeWord("BETWEEN")) {
        const low = level(0);
        reader.expectWord("AND");
        left = { kind: "between", value: left, low, high: level(0), negated };
      } else if (reader.takeWord("LIKE")) {
        const pattern = level(0);
        const escape = reader.takeWord("ESCAPE") ? { escape: level(0) } : {};
        left = { kind: "like", text: left, pattern, ...escape, negated };
      } else {
        const operator = reader.takeSymbol("<>") ? "!=" : reader.takeSymbolOf(COMPARISONS);
        if (operator === undefined) return left;
        left = { kind: "binary", operator, left, right: level(0) };
      }
    }
  }

  function membership(needle: Expression, negated: boolean): Expression {
    reader.expectSymbol("(");
    const haystack = list(")");
    return { kind: "in", needle, haystack, negated };
  }

  function level(depth: number): Expression {
    const operators = LEVELS[depth];
    if (operators === undefined) return unary();
    let left = level(depth + 1);
    for (;;) {
      const operator = reader.takeSymbolOf(operators);
      if (operator === undefined) return left;
      left = { kind: "binary", operator, left, right: level(depth + 1) };
    }
  }

  function unary(): Expression {
    const sign = reader.takeSymbolOf(["-", "+", "~"] as const);
    if (sign === undefined) return members();
    return { kind: "unary", operator: sign, operand: unary() };
  }

  function members(): Expression {
    let of = primary();
    for (;;) {
      if (reader.takeSymbol(".")) {
        of = { kind: "member", of, key: { kind: "literal", value: reader.expectName() } };
      } else if (reader.takeSymbol("[")) {
        const key = conditional();
        reader.expectSymbol("]");
        of = { kind: "member", of, key };
      } else return of;
    }
  }

  function list(end: ")" | "]"): Expression[] {
    const items: Expression[] = [];
    if (reader.takeSymbol(end)) return items;
    do items.push(conditional());
    while (reader.takeSymbol(","));
    reader.expectSymbol(end);
    return items;
  }

  function object(): Expression {
    const entries: { key: string; value: Expression }[] = [];
    if (reader.takeSymbol("}")) return { kind: "object", entries };
    do {
      const key = reader.takeString() ?? reader.expectName();
      reader.expectSymbol(":");
      entries.push({ key, value: conditional() });
    } while (reader.takeSymbol(","));
    reader.expectSymbol("}");
    return { kind: "object", entries };
  }

  function primary(): Expression {
    const token = reader.next();
    switch (token.kind) {
      case "string":
      case "number":
        return { kind: "literal", value: token.value };
      case "parameter":
        return { kind: "parameter", name: token.name, at: token.at };
      case "symbol":
        if (token.text === "(") {
          if (reader.peekWord("SELECT")) return { kind: "subquery", query: query() };
          const inner = conditional();
          reader.expectSymbol(")");
          return inner;
        }
        if (token.text === "[") return { kind: "array", items: list("]") };
        if (token.text === "{") return object();
        throw reader.unexpected(token);
      case "word":
        return word(token.text, token.upper, token.at);
      case "end":
        throw reader.unexpected(token);
    }
  }

  function word(text: string, upper: string, at: number): Expression {
    if (upper === "TRUE" || upper === "FALSE") return { kind: "literal", value: upper === "TRUE" };
    if (upper === "NULL") return { kind: "literal", value: null };
    if (upper === "UNDEFINED") return { kind: "literal", value: undefined };
    if (!reader.takeSymbol("(")) {
      if (reader.isReserved(upper)) throw reader.unexpected({ kind: "word", text, upper, at });
      return { kind: "name", name: text, at };
    }
    if (upper === "EXISTS") return { kind: "exists", query: query() };
    if (upper === "ARRAY") return { kind: "arrayOf", query: query() };
    return { kind: "call", name: upper, args: list(")"), at };
  }

  return conditional();
}
