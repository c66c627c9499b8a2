import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { situation } from "../fixture.ts";

// What SQLite preselects must never hide a row. Each random filter runs as it is, and once more in a
// form that nothing can be pushed from; both must give the same rows.
const cosmos = await situation();
const SEED = Date.now() % 1_000_000;
const VALUES = [
  0,
  1,
  2,
  1.5,
  -3,
  "",
  "a",
  "ab",
  "b",
  "🙂",
  "\uffff",
  true,
  false,
  null,
  [1],
  { x: 1 },
];
const database = cosmos.client.database("test");
const { container } = await database.containers.create({
  id: "pushed",
  partitionKey: { paths: ["/pk"] },
  indexingPolicy: {
    includedPaths: [{ path: "/a/?" }, { path: "/deep/b/?" }],
    excludedPaths: [{ path: "/*" }],
  },
});

beforeAll(async () => {
  console.log(`pushdown seed ${SEED}`);
  let n = 0;
  for (const a of [undefined, ...VALUES]) {
    for (const b of [undefined, 1, "a", false]) {
      n += 1;
      await container.items.create({
        id: `i${n}`,
        pk: `p${n % 3}`,
        ...(a === undefined ? {} : { a, free: a }),
        deep: b === undefined ? {} : { b },
      });
    }
  }
});

const literal = fc.constantFrom(...VALUES).map((value) => JSON.stringify(value));
const property = fc.constantFrom("c.a", "c.deep.b", "c.free", "c.id", 'c["a"]');
const comparison = fc
  .tuple(property, fc.constantFrom("=", "!=", "<", "<=", ">", ">="), literal)
  .map(([left, operator, right]) => `${left} ${operator} ${right}`);
const other = fc.oneof(
  fc
    .tuple(property, fc.array(literal, { minLength: 1, maxLength: 3 }))
    .map(([left, list]) => `${left} IN (${list.join(", ")})`),
  fc.tuple(property, literal, literal).map(([left, a, b]) => `${left} BETWEEN ${a} AND ${b}`),
  fc
    .tuple(property, fc.constantFrom("'a'", "''", "'🙂'"))
    .map(([left, p]) => `STARTSWITH(${left}, ${p})`),
  property.map((left) => `IS_DEFINED(${left})`),
);
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    comparison,
    other,
    fc.tuple(tie("filter"), tie("filter")).map(([a, b]) => `(${a} AND ${b})`),
    fc.tuple(tie("filter"), tie("filter")).map(([a, b]) => `(${a} OR ${b})`),
    tie("filter").map((a) => `NOT (${a})`),
  ),
}));

async function ids(where: string, order = "", partitionKey?: string): Promise<string[]> {
  const query = `SELECT VALUE c.id FROM c WHERE ${where} ${order}`;
  const options = { maxItemCount: -1, ...(partitionKey === undefined ? {} : { partitionKey }) };
  return (await container.items.query<string>(query, options).fetchAll()).resources;
}

const unpushable = (where: string): string => `IIF(${where}, true, false)`;

describe("what is preselected", () => {
  test("hides no row, whatever the filter", async () => {
    await fc.assert(
      fc.asyncProperty(filter, fc.constantFrom(undefined, "p1"), async (where, key) => {
        expect(await ids(where, "", key)).toEqual(await ids(unpushable(where), "", key));
      }),
      { numRuns: 150, seed: SEED },
    );
  });

  test("keeps the order of ORDER BY, also when an index gives it", async () => {
    const direction = fc.constantFrom("ASC", "DESC");
    await fc.assert(
      fc.asyncProperty(filter, literal, direction, async (where, bound, way) => {
        const bounded = `c.a >= ${bound} AND (${where})`;
        const order = `ORDER BY c.a ${way}`;
        expect(await ids(bounded, order)).toEqual(await ids(unpushable(bounded), order));
      }),
      { numRuns: 100, seed: SEED },
    );
  });
});
