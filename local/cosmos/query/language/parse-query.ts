// SELECT ... FROM ... WHERE ... GROUP BY ... ORDER BY ... OFFSET ... LIMIT, and subqueries.
//
// Refuses, with status 400 and as Azure does, what parses but is not allowed together.
import { parseExpression } from "./parse-expression.ts";
import { queryError } from "./query-error.ts";
import { readTokens } from "./reader.ts";
import type { Reader } from "./reader.ts";
import { ownName } from "./tree.ts";
import type { Expression, Query, Selection, Source } from "./tree.ts";

const CACHE_MAX = 500;
const cache = new Map<string, Query>();

/** Parsing depends on the text alone, and an application sends few texts: they are kept. */
export function parseQuery(text: string): Query {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const reader = readTokens(text);
  const query = readQuery(reader);
  reader.expectEnd();
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(text, query);
  return query;
}

/** A patch's `from c where ...`, which is a query without a SELECT. */
export function parseCondition(text: string): Query {
  return parseQuery(`SELECT * ${text}`);
}

function readQuery(reader: Reader): Query {
  const expression = (): Expression => parseExpression({ reader, query: () => readQuery(reader) });
  reader.expectWord("SELECT");
  const distinct = reader.takeWord("DISTINCT");
  const top = reader.takeWord("TOP") ? { top: readCount(reader) } : {};
  const selection = readSelection(reader, expression);
  const from = reader.takeWord("FROM") ? readSources(reader, expression) : [];
  const where = reader.takeWord("WHERE") ? { where: expression() } : {};
  const groupBy: Expression[] = [];
  if (reader.takeWord("GROUP")) {
    reader.expectWord("BY");
    do groupBy.push(expression());
    while (reader.takeSymbol(","));
  }
  const orderBy: Query["orderBy"] = [];
  if (reader.takeWord("ORDER")) {
    reader.expectWord("BY");
    do {
      const key = expression();
      const descending = reader.takeWord("DESC");
      if (!descending) reader.takeWord("ASC");
      orderBy.push({ expression: key, descending });
    } while (reader.takeSymbol(","));
  }
  const bounds: { offset?: Expression; limit?: Expression } = {};
  if (reader.takeWord("OFFSET")) {
    bounds.offset = expression();
    reader.expectWord("LIMIT");
    bounds.limit = expression();
  }
  const query: Query = {
    distinct,
    ...top,
    selection,
    from,
    ...where,
    groupBy,
    orderBy,
    ...bounds,
  };
  refuseCombinations(query);
  return query;
}

/** TOP takes one token: in `TOP 10 *` the star is the selection, not a product. */
function readCount(reader: Reader): Expression {
  const token = reader.next();
  if (token.kind === "number") return { kind: "literal", value: token.value };
  if (token.kind === "parameter") return { kind: "parameter", name: token.name, at: token.at };
  throw reader.unexpected(token);
}

function refuseCombinations(query: Query): void {
  if (query.top !== undefined && query.offset !== undefined) {
    throw queryError("SC2204", "'TOP' and 'OFFSET LIMIT' are not allowed in the same query.");
  }
  if (query.groupBy.length > 0 && query.orderBy.length > 0) {
    throw queryError("SC2103", "'ORDER BY' is not supported in presence of GROUP BY.");
  }
  if (query.selection.kind === "star" && query.from.length === 0) {
    throw queryError("SC2040", "'SELECT *' is not valid if FROM clause is omitted.");
  }
  if (query.selection.kind === "star" && query.from.length > 1) {
    throw queryError("SC2041", "'SELECT *' is only valid with a single input set.");
  }
}

function readSelection(reader: Reader, expression: () => Expression): Selection {
  if (reader.takeSymbol("*")) return { kind: "star" };
  if (reader.takeWord("VALUE")) return { kind: "value", expression: expression() };
  const items: { expression: Expression; alias: string }[] = [];
  let unnamed = 0;
  do {
    const selected = expression();
    const given = reader.takeWord("AS") ? reader.expectName() : reader.takeIdentifier();
    const alias = given ?? ownName(selected) ?? `$${(unnamed += 1)}`;
    if (items.some((other) => other.alias === alias)) {
      throw queryError("SC2058", `The SELECT list has two properties with the name '${alias}'.`);
    }
    items.push({ expression: selected, alias });
  } while (reader.takeSymbol(","));
  return { kind: "list", items };
}

function readSources(reader: Reader, expression: () => Expression): Source[] {
  const sources = [readSource(reader, expression, true)];
  while (reader.takeWord("JOIN")) sources.push(readSource(reader, expression, false));
  return sources;
}

function readSource(reader: Reader, expression: () => Expression, isFirst: boolean): Source {
  if (reader.wordAhead(1) === "IN") {
    const alias = reader.expectName();
    reader.expectWord("IN");
    return { alias, each: true, ...readOrigin(expression(), false) };
  }
  const origin = expression();
  const alias = reader.takeWord("AS") ? reader.expectName() : reader.takeIdentifier();
  const named = alias ?? ownName(origin);
  if (named === undefined) throw queryError("SC2049", "A source of FROM needs an alias.");
  return { alias: named, each: false, ...readOrigin(origin, isFirst) };
}

function readOrigin(
  origin: Expression,
  mayBeContainer: boolean,
): { path?: Expression; query?: Query } {
  if (origin.kind === "subquery") return { query: origin.query };
  if (mayBeContainer && origin.kind === "name") return { path: origin };
  if (origin.kind === "member" || origin.kind === "name" || origin.kind === "array") {
    return { path: origin };
  }
  throw queryError("SC1001", "A source of FROM must be a path, an array or a subquery.");
}
