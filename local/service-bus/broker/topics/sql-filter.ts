// The condition of a SQL filter, the part of Azure's grammar that filters are mostly made of:
//
//   or     := and ("OR" and)*            and   := not ("AND" not)*
//   not    := "NOT" not | test           value := literal | name | sys.name | user.name
//   test   := "(" or ")" | EXISTS "(" name ")" | value
//           | value compare value | value [NOT] IN "(" value, ... ")"
//           | value [NOT] LIKE 'pattern' | value IS [NOT] NULL
//
// As in SQL there are three truths: a comparison with a missing property is unknown (undefined),
// NOT unknown is unknown, and a message passes only on true. Arithmetic, functions, parameters and
// ESCAPE are not supported; a filter that uses them is refused when the broker starts.

import type { Filter, FilterView } from "./rule.ts";

type Truth = boolean | undefined;
type Condition = (view: FilterView) => Truth;
type Value = (view: FilterView) => unknown;
type Tokens = { peek(): string | undefined; take(): string; accept(...words: string[]): boolean };

const TOKEN =
  /\s*('(?:[^']|'')*'|\d+(?:\.\d+)?|\[[^\]]+\]|[A-Za-z_][\w.-]*|<>|!=|<=|>=|[=<>(),-])/y;

export function parseSqlFilter(text: string): Filter {
  const tokens = tokenise(text);
  const condition = parseOr(tokens);
  const rest = tokens.peek();
  if (rest !== undefined)
    throw new Error(`The SQL filter "${text}" cannot be read from "${rest}".`);
  return (view) => condition(view) === true;
}

function tokenise(text: string): Tokens {
  const found: string[] = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== "") {
    const at = TOKEN.lastIndex;
    const [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new Error(`The SQL filter "${text}" cannot be read at ${at}.`);
    found.push(token);
  }
  let next = 0;
  return {
    peek: () => found[next],
    take() {
      const token = found[next++];
      if (token === undefined) throw new Error(`The SQL filter "${text}" ends too early.`);
      return token;
    },
    accept(...words) {
      const matches = words.every((word, offset) => found[next + offset]?.toUpperCase() === word);
      if (matches) next += words.length;
      return matches;
    },
  };
}

function parseOr(tokens: Tokens): Condition {
  const parts = [parseAnd(tokens)];
  while (tokens.accept("OR")) parts.push(parseAnd(tokens));
  return (view) => {
    const truths = parts.map((part) => part(view));
    if (truths.includes(true)) return true;
    return truths.includes(undefined) ? undefined : false;
  };
}

function parseAnd(tokens: Tokens): Condition {
  const parts = [parseNot(tokens)];
  while (tokens.accept("AND")) parts.push(parseNot(tokens));
  return (view) => {
    const truths = parts.map((part) => part(view));
    if (truths.includes(false)) return false;
    return truths.includes(undefined) ? undefined : true;
  };
}

function parseNot(tokens: Tokens): Condition {
  return tokens.accept("NOT") ? not(parseNot(tokens)) : parseTest(tokens);
}

function not(condition: Condition): Condition {
  return (view) => {
    const truth = condition(view);
    return truth === undefined ? undefined : !truth;
  };
}

function parseTest(tokens: Tokens): Condition {
  if (tokens.accept("(")) {
    const inner = parseOr(tokens);
    expectToken(tokens, ")");
    return inner;
  }
  if (tokens.accept("EXISTS", "(")) {
    const value = parseValue(tokens);
    expectToken(tokens, ")");
    return (view) => isThere(value(view));
  }
  const left = parseValue(tokens);
  if (tokens.accept("IS", "NOT", "NULL")) return (view) => isThere(left(view));
  if (tokens.accept("IS", "NULL")) return (view) => !isThere(left(view));
  if (tokens.accept("NOT", "IN")) return not(parseIn(tokens, left));
  if (tokens.accept("IN")) return parseIn(tokens, left);
  if (tokens.accept("NOT", "LIKE")) return not(parseLike(tokens, left));
  if (tokens.accept("LIKE")) return parseLike(tokens, left);
  const operator = COMPARISONS[tokens.peek() ?? ""];
  // A value alone is a condition when it is a boolean: `urgent`, `1` is not.
  if (operator === undefined) return (view) => asTruth(left(view));
  tokens.take();
  const right = parseValue(tokens);
  return (view) => compare(operator, left(view), right(view));
}

type Comparison = (a: string | number | boolean, b: string | number | boolean) => boolean;

const COMPARISONS: Record<string, Comparison | undefined> = {
  "=": (a, b) => a === b,
  "<>": (a, b) => a !== b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

/** Unknown where either is missing or the two are of different kinds. */
function compare(operator: Comparison, a: unknown, b: unknown): Truth {
  if (!isComparable(a) || !isComparable(b) || typeof a !== typeof b) return undefined;
  return operator(a, b);
}

function isComparable(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function parseIn(tokens: Tokens, left: Value): Condition {
  expectToken(tokens, "(");
  const values = [parseValue(tokens)];
  while (tokens.accept(",")) values.push(parseValue(tokens));
  expectToken(tokens, ")");
  return (view) => {
    const value = left(view);
    return isThere(value) ? values.some((candidate) => candidate(view) === value) : undefined;
  };
}

function parseLike(tokens: Tokens, left: Value): Condition {
  const pattern = unquote(tokens.take())
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("%", ".*")
    .replaceAll("_", ".");
  const expression = new RegExp(`^${pattern}$`, "s");
  return (view) => {
    const value = left(view);
    return typeof value === "string" ? expression.test(value) : undefined;
  };
}

function parseValue(tokens: Tokens): Value {
  const token = tokens.take();
  if (token.startsWith("'")) return constant(unquote(token));
  if (token === "-") return constant(-Number(tokens.take()));
  if (/^\d/.test(token)) return constant(Number(token));
  switch (token.toUpperCase()) {
    case "TRUE":
      return constant(true);
    case "FALSE":
      return constant(false);
    default:
      return property(token.replaceAll(/[[\]]/g, ""));
  }
}

function constant(value: string | number | boolean): Value {
  return () => value;
}

function property(name: string): Value {
  if (!/^[A-Za-z_]/.test(name)) throw new Error(`"${name}" is no property of a message.`);
  if (/^sys\./i.test(name)) {
    const field = name.charAt(4).toLowerCase() + name.slice(5);
    return (view) => view.system[field];
  }
  const plain = name.replace(/^user\./i, "");
  return (view) => view.application.get(plain);
}

function unquote(token: string): string {
  if (!token.startsWith("'")) throw new Error(`Expected a text in quotes, found ${token}.`);
  return token.slice(1, -1).replaceAll("''", "'");
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function asTruth(value: unknown): Truth {
  return typeof value === "boolean" ? value : undefined;
}

function expectToken(tokens: Tokens, token: string): void {
  const found = tokens.take();
  if (found !== token) throw new Error(`Expected "${token}" in a SQL filter, found "${found}".`);
}
