// What aggregates and built-in functions give. Rules from Microsoft Learn: "Aggregate functions", "System functions" and
// "Operators" of the query language. The documents are those of query-rules.ts.
import type { JSONValue } from "@azure/cosmos";
import { rule, type QueryCase, type Rule } from "./query-rules.ts";

const value = (expression: string, ...expected: JSONValue[]): QueryCase => ({
  query: `SELECT VALUE ${expression}`,
  gives: expected,
});

export const AGGREGATES: Rule[] = [
  rule(
    "COUNT counts rows, or where its argument is defined",
    { query: "SELECT VALUE COUNT(1) FROM c", gives: [5] },
    { query: "SELECT VALUE COUNT(c.type) FROM c", gives: [4] },
    { query: "SELECT COUNT(1) FROM c WHERE c.id = 'none'", gives: [{ $1: 0 }] },
  ),
  rule(
    "SUM and AVG add up numbers, and are undefined over anything else",
    { query: "SELECT VALUE SUM(c.price) FROM c WHERE c.type = 'fruit'", gives: [3.5] },
    { query: "SELECT VALUE SUM(c.price) FROM c", gives: [] },
    { query: "SELECT VALUE AVG(c.price) FROM c WHERE IS_NUMBER(c.price)", gives: [4.5] },
  ),
  rule(
    "MIN and MAX find the ends, of texts too",
    { query: "SELECT VALUE MIN(c.price) FROM c WHERE IS_NUMBER(c.price)", gives: [1.5] },
    { query: "SELECT VALUE MAX(c.name) FROM c", gives: ["date"] },
  ),
  rule(
    "several aggregates stand in one projection",
    { query: "SELECT COUNT(1) AS n, MAX(c.id) AS last FROM c", gives: [{ n: 5, last: "5" }] },
    { query: "SELECT VALUE [{'item': COUNT(1)}] FROM c", gives: [[{ item: 5 }]] },
  ),
  rule(
    "GROUP BY aggregates each group, the one without a value included",
    {
      query: "SELECT c.type, COUNT(1) AS n FROM c GROUP BY c.type",
      gives: [{ type: "fruit", n: 2 }, { type: "nut", n: 2 }, { n: 1 }],
    },
    {
      query:
        "SELECT VALUE {t: c.type, s: SUM(c.price)} FROM c WHERE c.type = 'fruit' GROUP BY c.type",
      gives: [{ t: "fruit", s: 3.5 }],
    },
  ),
];

export const FUNCTIONS: Rule[] = [
  rule(
    "text functions cut, join and search",
    value("CONCAT('a', 'b', 'c')", "abc"),
    value("SUBSTRING('abcdef', 1, 3)", "bcd"),
    value("LEFT('abc', 2) || RIGHT('abc', 1)", "abc"),
    value("REPLACE('aba', 'a', 'x')", "xbx"),
    value("TRIM('  a ') || LTRIM(' b') || RTRIM('c ')", "abc"),
    value("INDEX_OF('abc', 'c')", 2),
  ),
  rule(
    "LENGTH counts the characters of a text, and is undefined for anything else",
    value("LENGTH('é')", 1),
    value("LENGTH(1)"),
  ),
  rule(
    "conversions go both ways between text and values",
    value("TOSTRING(1.5) || TOSTRING(true)", "1.5true"),
    value("STRINGTONUMBER('42')", 42),
    value("STRINGTOARRAY('[1]')", [1]),
  ),
  rule(
    "number functions round, raise and lose the sign",
    value("ABS(-2) + CEILING(1.2) + FLOOR(1.8) + ROUND(2.5)", 8),
    value("POWER(2, 10)", 1024),
  ),
  rule(
    "arithmetic has the usual precedence, and division by nothing is undefined",
    value("7 % 4", 3),
    value("-2 * (3 + 1)", -8),
    value("1 / 0"),
  ),
  rule("bitwise operators work on whole numbers", value("5 & 3 | 8", 9)),
  rule(
    "array functions slice, join, and treat arrays as sets",
    value("ARRAY_SLICE([1, 2, 3], 1)", [2, 3]),
    value("ARRAY_CONCAT([1], [2])", [1, 2]),
    value("SetUnion([1, 2], [2, 3])", [1, 2, 3]),
    value("SetIntersect([1, 2], [2, 3])", [2]),
  ),
  rule(
    "type functions tell null, primitives and whole numbers",
    value("IS_PRIMITIVE(null)", true),
    value("IS_INTEGER(1.5)", false),
  ),
  rule("IIF chooses by a condition", value("IIF(1 = 1, 'y', 'n')", "y")),
  rule(
    "date functions add, subtract and take parts",
    value("DateTimeAdd('mm', 1, '2020-01-31T00:00:00.0000000Z')", "2020-02-29T00:00:00.0000000Z"),
    value("DateTimeDiff('day', '2020-01-01', '2020-03-01')", 60),
    value("DateTimePart('hh', '2020-01-02T03:04:05.0000000Z')", 3),
  ),
  rule(
    "times go to and from milliseconds since 1970",
    value("DateTimeToTimestamp('1970-01-01T00:00:01.0000000Z')", 1000),
    value("TimestampToDateTime(0)", "1970-01-01T00:00:00.0000000Z"),
  ),
  rule(
    "coalesce takes the first that is defined, null included",
    value("null ?? 1", null),
    value("undefined ?? 1", 1),
  ),
  rule(
    "values of different types are not equal, and have no order",
    value("1 = '1'", false),
    value("1 < '1'"),
  ),
  rule(
    "AND, OR and NOT with undefined follow the documented table",
    value("true AND undefined"),
    value("false AND undefined", false),
    value("true OR undefined", true),
    value("NOT 1"),
  ),
];
