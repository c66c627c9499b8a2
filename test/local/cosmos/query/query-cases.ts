// Query cases: the text, its parameters, and what it gives over the documents below. `error` names a
// part of the message of a query that is refused. The values follow the documentation of Azure Cosmos
// DB's query language; none was compared with the service.
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
  error?: string;
}

const ids = (where: string, ...expected: string[]): QueryCase => ({
  query: `SELECT VALUE c.id FROM c WHERE ${where}`,
  gives: expected,
});
const value = (expression: string, ...expected: JSONValue[]): QueryCase => ({
  query: `SELECT VALUE ${expression}`,
  gives: expected,
});

export const FILTERS: QueryCase[] = [
  ids("c.type = 'fruit'", "1", "2"),
  ids('c["type"] = "nut"', "3", "4"),
  ids("c.type IN ('fruit', 'nut') AND c.price > 1.5", "1", "3"),
  ids("c.type NOT IN ('fruit')", "3", "4"),
  ids("c.type != 'fruit'", "3", "4"),
  ids("c.type <> 'fruit'", "3", "4"),
  ids("NOT c.type = 'fruit'", "3", "4"),
  ids("c.name = null", "4"),
  ids("c.name != null", "1", "2", "3", "5"),
  ids("IS_NULL(c.name)", "4"),
  ids("IS_DEFINED(c.type)", "1", "2", "3", "4"),
  ids("NOT IS_DEFINED(c.type)", "5"),
  ids("c.missing = undefined"),
  ids("c.missing"),
  ids("c.on", "1"),
  ids("NOT c.on", "2"),
  ids("c.on = true", "1"),
  ids("c.on = false", "2"),
  ids("c.on < true", "2"),
  ids("c.price = 'free'", "4"),
  ids("c.price > 1", "1", "2", "3"),
  ids("c.price > 'a'", "4"),
  ids("c.price >= 1.5 AND c.price <= 2", "1", "2"),
  ids("c.price BETWEEN 1.5 AND 2", "1", "2"),
  ids("c.price NOT BETWEEN 1.5 AND 2", "3"),
  ids("2 <= c.price", "1", "3"),
  ids("c.missing > 1 OR c.id = '1'", "1"),
  ids("c.missing > 1 AND c.id = '1'"),
  ids("NOT (c.missing > 1 AND c.id = '1')", "2", "3", "4", "5"),
  ids("c.box.h.deep = 'x'", "3"),
  ids("c.box.h['deep'] = 'x'", "3"),
  ids("c.tags[0] = 'red'", "1"),
  ids("c['odd key'] = 1", "5"),
  ids("c.box = {'h': {'deep': 'x'}, 'w': 3}", "3"),
  ids("c.tags = ['yellow']", "2"),
  ids("STARTSWITH(c.name, 'b')"),
  ids("STARTSWITH(c.name, 'b', true)", "2"),
  ids("STARTSWITH(c.name, 'ca')", "3"),
  ids("CONTAINS(c.name, 'AN', true)", "2"),
  ids("ENDSWITH(c.name, 'e')", "1", "5"),
  ids("STRINGEQUALS(c.name, 'BANANA', true)", "2"),
  ids("ARRAY_CONTAINS(c.tags, 'sweet')", "1"),
  ids("ARRAY_CONTAINS(c.tags, {'k': 'a'})"),
  ids("ARRAY_CONTAINS(c.tags, {'k': 'a'}, true)", "5"),
  ids("ARRAY_CONTAINS(['1', '3'], c.id)", "1", "3"),
  ids("ARRAY_LENGTH(c.tags) > 0", "1", "2", "5"),
  ids("EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'red')", "1"),
  ids("c.name LIKE '%an%'", "2"),
  ids("c.name LIKE 'a____'", "1"),
  ids("c.name LIKE '[a-b]%'", "1"),
  ids("c.name NOT LIKE '%a%'"),
  ids("RegexMatch(c.name, '^B', 'i')", "2"),
  ids("(c.type = 'fruit' ? c.price : 0) = 2", "1"),
  ids("(c.type ?? 'none') = 'none'", "5"),
  ids("c.price + 1 = 3", "1"),
  ids("c.id || c.name = '1apple'", "1"),
  ids("LOWER(c.name) = 'banana'", "2"),
  ids("IS_STRING(c.price) OR IS_OBJECT(c.box)", "3", "4"),
  ids("c.type = 'fruit' -- a comment\n AND c.id = '2'", "2"),
  ids("c._ts > 0 AND c.id IN ('1', '2')", "1", "2"),
  ids("'x' = c.box.h.deep OR c.tags[1].k = 'b'", "3", "5"),
];

export const PROJECTIONS: QueryCase[] = [
  { query: "SELECT c.id, c.box.w FROM c WHERE c.id = '3'", gives: [{ id: "3", w: 3 }] },
  { query: "SELECT c.id, c.nope FROM c WHERE c.id = '3'", gives: [{ id: "3" }] },
  { query: "SELECT c.price + 1 AS more, 2 FROM c WHERE c.id = '1'", gives: [{ more: 3, $1: 2 }] },
  {
    query: "SELECT {'a': c.id, b: [c.nope, c.price]} AS o FROM c WHERE c.id = '1'",
    gives: [{ o: { a: "1", b: [2] } }],
  },
  { query: "SELECT x.id FROM x WHERE x.id = '1'", gives: [{ id: "1" }] },
  { query: "SELECT VALUE r.id FROM root r WHERE r.id = '1'", gives: ["1"] },
  { query: "SELECT VALUE c.nope FROM c", gives: [] },
  { query: "SELECT VALUE t FROM c JOIN t IN c.tags WHERE c.id = '1'", gives: ["red", "sweet"] },
  {
    query: "SELECT c.id, t.k FROM c JOIN t IN c.tags WHERE IS_DEFINED(t.k)",
    gives: [
      { id: "5", k: "a" },
      { id: "5", k: "b" },
    ],
  },
  { query: "SELECT VALUE t FROM t IN c.tags WHERE t = 'yellow'", gives: ["yellow"] },
  { query: "SELECT VALUE b.w FROM c.box b", gives: [3] },
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
  { query: "SELECT TOP 2 VALUE c.id FROM c", gives: ["1", "2"] },
  { query: "SELECT TOP @n c.id FROM c", parameters: { "@n": 1 }, gives: [{ id: "1" }] },
  { query: "SELECT VALUE c.id FROM c OFFSET 1 LIMIT 2", gives: ["2", "3"] },
  { query: "SELECT VALUE c.id FROM c WHERE c.price > @p", parameters: { "@p": 2 }, gives: ["3"] },
  {
    query: "SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(@ids, c.id)",
    parameters: { "@ids": ["4", "2"] },
    gives: ["2", "4"],
  },
  { query: "SELECT DISTINCT c.type FROM c", gives: [{ type: "fruit" }, { type: "nut" }, {}] },
  { query: "SELECT DISTINCT VALUE c.type FROM c", gives: ["fruit", "nut"] },
  { query: "SELECT 1 AS one, 'x' AS two", gives: [{ one: 1, two: "x" }] },
];

export const AGGREGATES: QueryCase[] = [
  { query: "SELECT VALUE COUNT(1) FROM c", gives: [5] },
  { query: "SELECT VALUE COUNT(c.type) FROM c", gives: [4] },
  { query: "SELECT COUNT(1) AS n, MAX(c.id) AS last FROM c", gives: [{ n: 5, last: "5" }] },
  { query: "SELECT COUNT(1) FROM c WHERE c.id = 'none'", gives: [{ $1: 0 }] },
  { query: "SELECT VALUE SUM(c.price) FROM c WHERE c.type = 'fruit'", gives: [3.5] },
  { query: "SELECT VALUE SUM(c.price) FROM c", gives: [] },
  { query: "SELECT VALUE AVG(c.price) FROM c WHERE IS_NUMBER(c.price)", gives: [4.5] },
  { query: "SELECT VALUE MIN(c.price) FROM c WHERE IS_NUMBER(c.price)", gives: [1.5] },
  { query: "SELECT VALUE MAX(c.name) FROM c", gives: ["date"] },
  { query: "SELECT VALUE [{'item': COUNT(1)}] FROM c", gives: [[{ item: 5 }]] },
  {
    query: "SELECT c.type, COUNT(1) AS n FROM c GROUP BY c.type",
    gives: [{ type: "fruit", n: 2 }, { type: "nut", n: 2 }, { n: 1 }],
  },
  {
    query:
      "SELECT VALUE {t: c.type, s: SUM(c.price)} FROM c WHERE c.type = 'fruit' GROUP BY c.type",
    gives: [{ t: "fruit", s: 3.5 }],
  },
];

export const ORDERS: QueryCase[] = [
  { query: "SELECT VALUE c.id FROM c ORDER BY c.price", gives: ["5", "2", "1", "3", "4"] },
  { query: "SELECT VALUE c.id FROM c ORDER BY c.price DESC", gives: ["4", "3", "1", "2", "5"] },
  { query: "SELECT VALUE c.id FROM c ORDER BY c.name", gives: ["4", "2", "1", "3", "5"] },
  {
    query: "SELECT VALUE c.id FROM c WHERE c.price > 1 ORDER BY c.price OFFSET 1 LIMIT 1",
    gives: ["1"],
  },
  { query: "SELECT VALUE c.id FROM c ORDER BY c._ts, c.id", error: "composite index" },
  { query: "SELECT VALUE c.id FROM c ORDER BY c.price + 1", error: "could not be mapped" },
];

export const REFUSED: QueryCase[] = [
  { query: "SELECT", error: "Syntax error" },
  { query: "SELECT * FROM", error: "Syntax error" },
  { query: "SELECT * FROM c WHERE", error: "Syntax error" },
  { query: "SELECT * FROM c WHERE c.a = ", error: "Syntax error" },
  { query: "SELECT x.id FROM c", error: "could not be resolved" },
  { query: "SELECT NOPE(c.id) FROM c", error: "not a recognized built-in function" },
  { query: "SELECT VALUE c.id FROM c WHERE c.id = @gone", error: "@gone" },
  { query: "SELECT TOP 1 * FROM c OFFSET 0 LIMIT 1", error: "not allowed in the same query" },
  { query: "SELECT c.order FROM c", error: "Syntax error" },
  { query: "SELECT VALUE c.id FROM c WHERE COUNT(1) > 1", error: "not allowed here" },
  { query: "SELECT * FROM c WHERE c.id = 'it''s'", error: "Syntax error" },
];

export const FUNCTIONS: QueryCase[] = [
  value("CONCAT('a', 'b', 'c')", "abc"),
  value("SUBSTRING('abcdef', 1, 3)", "bcd"),
  value("LEFT('abc', 2) || RIGHT('abc', 1)", "abc"),
  value("LENGTH('é')", 1),
  value("REPLACE('aba', 'a', 'x')", "xbx"),
  value("TRIM('  a ') || LTRIM(' b') || RTRIM('c ')", "abc"),
  value("INDEX_OF('abc', 'c')", 2),
  value("TOSTRING(1.5) || TOSTRING(true)", "1.5true"),
  value("STRINGTONUMBER('42')", 42),
  value("STRINGTOARRAY('[1]')", [1]),
  value("LENGTH(1)"),
  value("ABS(-2) + CEILING(1.2) + FLOOR(1.8) + ROUND(2.5)", 8),
  value("POWER(2, 10)", 1024),
  value("1 / 0"),
  value("7 % 4", 3),
  value("-2 * (3 + 1)", -8),
  value("5 & 3 | 8", 9),
  value("ARRAY_SLICE([1, 2, 3], 1)", [2, 3]),
  value("ARRAY_CONCAT([1], [2])", [1, 2]),
  value("SetUnion([1, 2], [2, 3])", [1, 2, 3]),
  value("SetIntersect([1, 2], [2, 3])", [2]),
  value("IS_PRIMITIVE(null)", true),
  value("IS_INTEGER(1.5)", false),
  value("IIF(1 = 1, 'y', 'n')", "y"),
  value("DateTimeAdd('mm', 1, '2020-01-31T00:00:00.0000000Z')", "2020-02-29T00:00:00.0000000Z"),
  value("DateTimeDiff('day', '2020-01-01', '2020-03-01')", 60),
  value("DateTimePart('hh', '2020-01-02T03:04:05.0000000Z')", 3),
  value("DateTimeToTimestamp('1970-01-01T00:00:01.0000000Z')", 1000),
  value("TimestampToDateTime(0)", "1970-01-01T00:00:00.0000000Z"),
  value("null ?? 1", null),
  value("undefined ?? 1", 1),
  value("1 = '1'", false),
  value("1 < '1'"),
  value("true AND undefined"),
  value("false AND undefined", false),
  value("true OR undefined", true),
  value("NOT 1"),
];
