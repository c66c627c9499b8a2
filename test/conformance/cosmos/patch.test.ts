// Partial document update. Rules from Microsoft Learn: "Partial document update", and of its operations JSON Patch (RFC 6902).
import type { PatchRequestBody } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { account, failureOf, plain } from "./account.ts";

const cosmos = await account();
const things = cosmos.container("things");
const START = { pk: "p", n: 1, list: ["a", "b"], deep: { x: 1 }, "a/b": 1 };

let made = 0;
async function patched(body: PatchRequestBody): Promise<object> {
  made += 1;
  await things.items.create({ id: `p${made}`, ...START });
  const { id: _, ...rest } = plain((await things.item(`p${made}`, "p").patch(body)).resource);
  return rest;
}

describe("a patch", () => {
  test.each<[string, PatchRequestBody, object]>([
    ["adds a property", [{ op: "add", path: "/new", value: [1] }], { new: [1] }],
    [
      "inserts into an array",
      [{ op: "add", path: "/list/1", value: "x" }],
      { list: ["a", "x", "b"] },
    ],
    [
      "appends to an array",
      [{ op: "add", path: "/list/-", value: "x" }],
      { list: ["a", "b", "x"] },
    ],
    ["overwrites an element", [{ op: "set", path: "/list/1", value: "x" }], { list: ["a", "x"] }],
    ["removes an element", [{ op: "remove", path: "/list/0" }], { list: ["b"] }],
    [
      "reaches into objects",
      [{ op: "replace", path: "/deep/x", value: null }],
      { deep: { x: null } },
    ],
    ["adds to a number", [{ op: "incr", path: "/n", value: 1.5 }], { n: 2.5 }],
    ["starts a number", [{ op: "incr", path: "/count", value: 3 }], { count: 3 }],
    ["reads ~1 as a slash", [{ op: "set", path: "/a~1b", value: 2 }], { "a/b": 2 }],
  ])("%s", async (_, body, change) => {
    expect(await patched(body)).toEqual({ ...START, ...change });
  });

  test.each<[string, PatchRequestBody]>([
    ["replaces what is not there", [{ op: "replace", path: "/none", value: 1 }]],
    ["removes what is not there", [{ op: "remove", path: "/none" }]],
    ["adds to a text", [{ op: "incr", path: "/pk", value: 1 }]],
    ["needs a missing parent", [{ op: "set", path: "/none/x", value: 1 }]],
    ["touches the id", [{ op: "set", path: "/id", value: "other" }]],
    ["touches the partition key", [{ op: "set", path: "/pk", value: "other" }]],
    [
      "fails at its second operation",
      [
        { op: "set", path: "/n", value: 9 },
        { op: "remove", path: "/none" },
      ],
    ],
    [
      "has eleven operations",
      Array.from({ length: 11 }, () => ({ op: "incr", path: "/n", value: 1 })),
    ],
  ])("that %s is refused and changes nothing", async (_, body) => {
    made += 1;
    const item = things.item(`p${made}`, "p");
    await things.items.create({ id: `p${made}`, ...START });
    expect((await failureOf(item.patch(body))).code).toBe(400);
    expect(plain((await item.read()).resource)).toEqual({ id: `p${made}`, ...START });
  });

  test("with a condition that is true is carried out", async () => {
    const operations = [{ op: "set" as const, path: "/n", value: 2 }];
    const changed = await patched({ condition: "FROM c WHERE c.n = 1", operations });
    expect(changed).toEqual({ ...START, n: 2 });
  });

  test("with a condition that is false is refused with 412 and changes nothing", async () => {
    made += 1;
    const item = things.item(`p${made}`, "p");
    await things.items.create({ id: `p${made}`, ...START });
    const operations = [{ op: "set" as const, path: "/n", value: 2 }];
    const refused = item.patch({ condition: "FROM c WHERE c.n > 1", operations });
    expect((await failureOf(refused)).code).toBe(412);
    expect((await item.read()).resource?.n).toBe(1);
  });

  test("keeps what is written to other paths at the same time", async () => {
    made += 1;
    const item = things.item(`p${made}`, "p");
    await things.items.create({ id: `p${made}`, ...START });
    const increments = Array.from({ length: 10 }, () =>
      item.patch([{ op: "incr", path: "/n", value: 1 }]),
    );
    await Promise.all([...increments, item.patch([{ op: "set", path: "/other", value: true }])]);
    expect((await item.read()).resource).toMatchObject({ n: 11, other: true });
  });

  test("of an item that is not there is 404", async () => {
    const missing = things.item("none", "p").patch([{ op: "set", path: "/n", value: 2 }]);
    expect((await failureOf(missing)).code).toBe(404);
  });
});
