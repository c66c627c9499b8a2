// What conditions, projections and orders give over the documents below. Rules from Microsoft Learn: "Queries in Azure Cosmos DB
// for NoSQL" (one page for each clause, keyword and operator). `error` says that a query is refused.
import type { JSONValue } from "@azure/cosmos";

export const DOCUMENTS = [
  { id: "1", pk: "p", type: "fruit", name: "apple", price: 2, tags: ["red", "sweet"], on: true },
  { id: "2", pk: "p", type: "fruit", name: "Banana", price: 1.5, tags: ["yellow"], on: false },
  { id: "3", pk: "p", type: "nut", name: "cashew", price: 10, box: { w: 3, h: { deep: "x" } } },
  { id: "4", pk: "p", type: "nut", name: null, price: "free", tags: [] },
  { id: "5", pk: "p", name: "date", tags: [{ k: "a", v: 1 }, { k: "b" }], "odd key": 1 },
];

export interface QueryCase {
  query: string;
  parameters?: Record<string, JSONValue>;
  gives?: JSONValue[];
  /** A part of the stand-in's own message; elsewhere only the refusal counts. */
  error?: string;
}

/** One documented rule, and queries that state it. */
export interface Rule {
  title: string;
  cases: QueryCase[];
}

export const rule = (title: string, ...cases: QueryCase[]): Rule => ({ title, cases });
const ids = (where: string, ...expected: string[]): QueryCase => ({
  query: `SELECT VALUE c.id FROM c WHERE ${where}`,
  gives: expected,
});

export const FILTERS: Rule[] = [
  rule(
    "equality compares texts, whole or in a list of alternatives",
    ids("c.type = 'fruit'", "1", "2"),
    ids('c["type"] = "nut"', "3", "4"),
    ids("c.type IN ('fruit', 'nut') AND c.price > 1.5", "1", "3"),
    ids("c.type NOT IN ('fruit')", "3", "4"),
  ),
  rule(
    "inequality holds for what is there and differs",
    ids("c.type != 'fruit'", "3", "4"),
    ids("c.type <> 'fruit'", "3", "4"),
    ids("NOT c.type = 'fruit'", "3", "4"),
  ),
  rule(
    "null is a value of its own",
    ids("c.name = null", "4"),
    ids("c.name != null", "1", "2", "3", "5"),
    ids("IS_NULL(c.name)", "4"),
  ),
  rule(
    "a missing property is undefined, which is neither equal nor true",
    ids("IS_DEFINED(c.type)", "1", "2", "3", "4"),
    ids("NOT IS_DEFINED(c.type)", "5"),
    ids("c.missing = undefined"),
    ids("c.missing"),
  ),
  rule(
    "a boolean may stand alone or be compared",
    ids("c.on", "1"),
    ids("NOT c.on", "2"),
    ids("c.on = true", "1"),
    ids("c.on = false", "2"),
    ids("c.on < true", "2"),
  ),
  rule(
    "comparisons hold between values of one type",
    ids("c.price = 'free'", "4"),
    ids("c.price > 1", "1", "2", "3"),
    ids("c.price > 'a'", "4"),
    ids("c.price >= 1.5 AND c.price <= 2", "1", "2"),
  ),
  rule(
    "BETWEEN includes both ends, and comparisons may stand either way round",
    ids("c.price BETWEEN 1.5 AND 2", "1", "2"),
    ids("c.price NOT BETWEEN 1.5 AND 2", "3"),
    ids("2 <= c.price", "1", "3"),
  ),
  rule(
    "undefined in OR, AND and NOT follows three-valued logic",
    ids("c.missing > 1 OR c.id = '1'", "1"),
    ids("c.missing > 1 AND c.id = '1'"),
    ids("NOT (c.missing > 1 AND c.id = '1')", "2", "3", "4", "5"),
  ),
  rule(
    "a path reaches into objects and arrays, by dots and brackets",
    ids("c.box.h.deep = 'x'", "3"),
    ids("c.box.h['deep'] = 'x'", "3"),
    ids("c.tags[0] = 'red'", "1"),
    ids("c['odd key'] = 1", "5"),
  ),
  rule(
    "objects and arrays are equal by value, whatever the order of their keys",
    ids("c.box = {'h': {'deep': 'x'}, 'w': 3}", "3"),
    ids("c.tags = ['yellow']", "2"),
  ),
  rule(
    "STARTSWITH, CONTAINS, ENDSWITH and STRINGEQUALS ignore case on request only",
    ids("STARTSWITH(c.name, 'b')"),
    ids("STARTSWITH(c.name, 'b', true)", "2"),
    ids("STARTSWITH(c.name, 'ca')", "3"),
    ids("CONTAINS(c.name, 'AN', true)", "2"),
    ids("ENDSWITH(c.name, 'e')", "1", "5"),
    ids("STRINGEQUALS(c.name, 'BANANA', true)", "2"),
  ),
  rule(
    "ARRAY_CONTAINS finds whole elements, and parts of objects on request",
    ids("ARRAY_CONTAINS(c.tags, 'sweet')", "1"),
    ids("ARRAY_CONTAINS(c.tags, {'k': 'a'})"),
    ids("ARRAY_CONTAINS(c.tags, {'k': 'a'}, true)", "5"),
    ids("ARRAY_CONTAINS(['1', '3'], c.id)", "1", "3"),
  ),
  rule("ARRAY_LENGTH counts", ids("ARRAY_LENGTH(c.tags) > 0", "1", "2", "5")),
  rule(
    "EXISTS is true of a subquery with a result",
    ids("EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'red')", "1"),
  ),
  rule(
    "LIKE knows % _ and sets of characters",
    ids("c.name LIKE '%an%'", "2"),
    ids("c.name LIKE 'a____'", "1"),
    ids("c.name LIKE '[a-b]%'", "1"),
    ids("c.name NOT LIKE '%a%'"),
  ),
  rule("RegexMatch takes modifiers", ids("RegexMatch(c.name, '^B', 'i')", "2")),
  rule(
    "the ternary and coalesce operators choose a value",
    ids("(c.type = 'fruit' ? c.price : 0) = 2", "1"),
    ids("(c.type ?? 'none') = 'none'", "5"),
  ),
  rule(
    "arithmetic and concatenation work on values of their types",
    ids("c.price + 1 = 3", "1"),
    ids("c.id || c.name = '1apple'", "1"),
    ids("LOWER(c.name) = 'banana'", "2"),
  ),
  rule(
    "type functions tell what a value is",
    ids("IS_STRING(c.price) OR IS_OBJECT(c.box)", "3", "4"),
  ),
  rule(
    "a comment runs to the end of its line",
    ids("c.type = 'fruit' -- a comment\n AND c.id = '2'", "2"),
  ),
  rule("system properties can be asked for", ids("c._ts > 0 AND c.id IN ('1', '2')", "1", "2")),
  rule(
    "conditions on several elements of an item are joined",
    ids("'x' = c.box.h.deep OR c.tags[1].k = 'b'", "3", "5"),
  ),
];

export const PROJECTIONS: Rule[] = [
  rule(
    "SELECT takes paths, leaves out what is undefined, and names the rest",
    { query: "SELECT c.id, c.box.w FROM c WHERE c.id = '3'", gives: [{ id: "3", w: 3 }] },
    { query: "SELECT c.id, c.nope FROM c WHERE c.id = '3'", gives: [{ id: "3" }] },
    { query: "SELECT c.price + 1 AS more, 2 FROM c WHERE c.id = '1'", gives: [{ more: 3, $1: 2 }] },
    { query: "SELECT 1 AS one, 'x' AS two", gives: [{ one: 1, two: "x" }] },
  ),
  rule("SELECT builds objects and arrays", {
    query: "SELECT {'a': c.id, b: [c.nope, c.price]} AS o FROM c WHERE c.id = '1'",
    gives: [{ o: { a: "1", b: [2] } }],
  }),
  rule(
    "SELECT VALUE gives bare values, and nothing for undefined",
    { query: "SELECT VALUE r.id FROM root r WHERE r.id = '1'", gives: ["1"] },
    { query: "SELECT VALUE c.nope FROM c", gives: [] },
  ),
  rule(
    "FROM names the source, also a part of each item",
    { query: "SELECT x.id FROM x WHERE x.id = '1'", gives: [{ id: "1" }] },
    { query: "SELECT VALUE b.w FROM c.box b", gives: [3] },
    { query: "SELECT VALUE t FROM t IN c.tags WHERE t = 'yellow'", gives: ["yellow"] },
  ),
  rule(
    "JOIN pairs an item with the elements of its own arrays",
    { query: "SELECT VALUE t FROM c JOIN t IN c.tags WHERE c.id = '1'", gives: ["red", "sweet"] },
    {
      query: "SELECT c.id, t.k FROM c JOIN t IN c.tags WHERE IS_DEFINED(t.k)",
      gives: [
        { id: "5", k: "a" },
        { id: "5", k: "b" },
      ],
    },
  ),
  rule(
    "a subquery gives an array, one value, or a source to join",
    {
      query:
        "SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.tags WHERE t != 'red') FROM c WHERE c.id = '1'",
      gives: [["sweet"]],
    },
    {
      query:
        "SELECT VALUE n FROM c JOIN (SELECT VALUE COUNT(1) FROM t IN c.tags) AS n WHERE c.id = '1'",
      gives: [2],
    },
    {
      query: "SELECT VALUE (SELECT VALUE MAX(t) FROM t IN c.tags) FROM c WHERE c.id = '1'",
      gives: ["sweet"],
    },
  ),
  rule(
    "TOP and OFFSET LIMIT cut the result, by numbers or parameters",
    { query: "SELECT TOP 2 VALUE c.id FROM c", gives: ["1", "2"] },
    { query: "SELECT TOP @n c.id FROM c", parameters: { "@n": 1 }, gives: [{ id: "1" }] },
    { query: "SELECT VALUE c.id FROM c OFFSET 1 LIMIT 2", gives: ["2", "3"] },
  ),
  rule(
    "parameters stand for values, arrays included",
    { query: "SELECT VALUE c.id FROM c WHERE c.price > @p", parameters: { "@p": 2 }, gives: ["3"] },
    {
      query: "SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(@ids, c.id)",
      parameters: { "@ids": ["4", "2"] },
      gives: ["2", "4"],
    },
  ),
  rule(
    "DISTINCT gives each value once",
    { query: "SELECT DISTINCT c.type FROM c", gives: [{ type: "fruit" }, { type: "nut" }, {}] },
    { query: "SELECT DISTINCT VALUE c.type FROM c", gives: ["fruit", "nut"] },
  ),
];

export const ORDERS: Rule[] = [
  rule(
    "ORDER BY sorts undefined, then null, numbers and texts",
    { query: "SELECT VALUE c.id FROM c ORDER BY c.price", gives: ["5", "2", "1", "3", "4"] },
    { query: "SELECT VALUE c.id FROM c ORDER BY c.name", gives: ["4", "2", "1", "3", "5"] },
  ),
  rule("ORDER BY DESC turns the order round", {
    query: "SELECT VALUE c.id FROM c ORDER BY c.price DESC",
    gives: ["4", "3", "1", "2", "5"],
  }),
  rule("OFFSET LIMIT counts in the order that was asked for", {
    query: "SELECT VALUE c.id FROM c WHERE c.price > 1 ORDER BY c.price OFFSET 1 LIMIT 1",
    gives: ["1"],
  }),
];

export const REFUSED: Rule[] = [
  rule(
    "a text that is no query",
    { query: "SELECT", error: "Syntax error" },
    { query: "SELECT * FROM", error: "Syntax error" },
    { query: "SELECT * FROM c WHERE", error: "Syntax error" },
    { query: "SELECT * FROM c WHERE c.a = ", error: "Syntax error" },
    { query: "SELECT * FROM c WHERE c.id = 'it''s'", error: "Syntax error" },
  ),
  rule("a keyword after a dot", { query: "SELECT c.order FROM c", error: "Syntax error" }),
  rule("a name that FROM does not give", {
    query: "SELECT x.id FROM c",
    error: "could not be resolved",
  }),
  rule("an unknown function", {
    query: "SELECT NOPE(c.id) FROM c",
    error: "not a recognized built-in function",
  }),
  rule("a parameter without a value", {
    query: "SELECT VALUE c.id FROM c WHERE c.id = @gone",
    error: "@gone",
  }),
  rule("TOP together with OFFSET LIMIT", {
    query: "SELECT TOP 1 * FROM c OFFSET 0 LIMIT 1",
    error: "not allowed in the same query",
  }),
  rule("an aggregate in a condition", {
    query: "SELECT VALUE c.id FROM c WHERE COUNT(1) > 1",
    error: "not allowed here",
  }),
  rule("an order by several paths without a composite index", {
    query: "SELECT VALUE c.id FROM c ORDER BY c._ts, c.id",
    error: "composite index",
  }),
  rule("an order by what is no path", {
    query: "SELECT VALUE c.id FROM c ORDER BY c.price + 1",
    error: "could not be mapped",
  }),
];
