import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertJson, canonicalJson, digestOf } from "../../shared/domain/canonical-json.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
console.info(`canonical-json seed ${seed}`);

function isPlainJson(value: unknown): boolean {
  try {
    assertJson(value, "value");
    return true;
  } catch {
    return false;
  }
}

describe("equal content (cases.md 60)", () => {
  test("has one digest, whatever the order in which its keys were inserted", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), (value) => {
        fc.pre(isPlainJson(value));
        const entries = Object.entries(value);
        const shuffled = Object.fromEntries(entries.toReversed());
        expect(digestOf(JSON.parse(JSON.stringify(shuffled)))).toBe(
          digestOf(JSON.parse(JSON.stringify(value))),
        );
      }),
      { seed },
    );
  });

  test("has one digest after a round trip through a store", () => {
    const value = {
      ch: 1,
      h: 2,
      "\u{1F600}": "a",
      "\uFB33": "b",
      '"k":': [1, -0, 1e6],
      10: "numeric keys move",
      9: "when they are read",
    };
    const parsed: unknown = JSON.parse(JSON.stringify(value));
    expect(digestOf(parsed)).toBe(digestOf(value));
  });

  test.each([
    [1, JSON.parse("1.0")],
    [1, JSON.parse("1e0")],
    [1_000_000, JSON.parse("1e6")],
    [0, -0],
  ])("writes %s in one stated form", (a, b) => {
    expect(canonicalJson(a)).toBe(canonicalJson(b));
  });

  test("orders keys by UTF-16 code units, not by locale", () => {
    expect(canonicalJson({ "\u{1F600}": 1, "\uFB33": 2, h: 3, ch: 4 })).toBe(
      '{"ch":4,"h":3,"\u{1F600}":1,"\uFB33":2}',
    );
  });
});

describe("in another locale", () => {
  // "ch" is one letter after "h" in Czech, and a soft hyphen weighs nothing: sorted by locale, the order would differ.
  const value = { ch: 1, h: 2, a: 3, "a\u00AD": 4, "\u{1F600}": 5, "\uFB33": 6, i: 7, I: 8, ı: 9 };
  const module = new URL("../../shared/domain/canonical-json.ts", import.meta.url).href;
  const script = `import { digestOf } from ${JSON.stringify(module)};
    process.stdout.write(digestOf(JSON.parse(process.argv[1])));`;

  test.each(["cs_CZ.UTF-8", "en_US.UTF-8", "tr_TR.UTF-8"])(
    "%s the digest is the same",
    (locale) => {
      const args = ["--input-type=module", "-e", script, JSON.stringify(value)];
      const env = { ...process.env, LANG: locale, LC_ALL: locale };
      const told = execFileSync(process.execPath, args, { env, encoding: "utf8" });
      expect(told).toBe(digestOf(value));
    },
  );
});

describe("different content (cases.md 61)", () => {
  test.each([
    [{ a: null }, { a: {} }],
    [{ a: 1 }, { "a\u00AD": 1 }],
    [{ a: "\u00E9" }, { a: "e\u0301" }],
    [{ x: { y: 1 } }, { "x:y": 1 }],
    [{ a: [] }, { a: {} }],
    [{ a: "1" }, { a: 1 }],
    [{ 'a":1,"b': 2 }, { a: 1, b: 2 }],
    [{ a: { "b:c": 1 } }, { "a:b": { c: 1 } }],
    [{ a: null }, {}],
    [{ a: "1970-01-01T00:00:00.000Z" }, { a: 0 }],
    [{ 1: "a" }, ["a"]],
  ])("%j and %j have two digests", (a, b) => {
    expect(digestOf(a)).not.toBe(digestOf(b));
  });
});

describe("what is not exactly JSON", () => {
  test.each<[string, unknown, string]>([
    ["undefined", { a: undefined }, "payload.a is undefined"],
    ["a Date", { at: new Date(0) }, "payload.at is a Date"],
    ["NaN", { a: [1, Number.NaN] }, "payload.a[1] is NaN"],
    ["Infinity", { a: Infinity }, "payload.a is Infinity"],
    ["a lone surrogate", { a: "\uD800" }, "payload.a has a lone surrogate"],
    ["a key with a lone surrogate", { "\uD800": 1 }, "payload has a key with a lone surrogate"],
    ["an unsafe integer", { id: 2 ** 53 }, "payload.id is an integer beyond 2^53 - 1"],
    ["a bigint", { id: 1n }, "payload.id is a bigint"],
    ["a Map", { m: new Map() }, "payload.m is a Map"],
    ["a hole", { list: [1, , 2] }, "payload.list[1] is undefined"], // oxlint-disable-line no-sparse-arrays
    ["a function", { f: () => 1 }, "payload.f is a function"],
    ["a Set", { s: new Set([1]) }, "payload.s is a Set"],
    ["a key named __proto__", { a: { ["__proto__"]: 1 } }, "payload.a has a key named __proto__"],
    ["a key that is a symbol", { [Symbol("s")]: 1 }, "payload has a symbol as a key"],
  ])("%s is refused by name", (_what, value, message) => {
    expect(() => digestOf(value, "payload")).toThrow(message);
  });
});
