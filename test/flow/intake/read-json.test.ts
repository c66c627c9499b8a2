// Bytes to JSON without losing anything on the way.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJson } from "../../../shared/flow/intake/read-json.ts";

function valueOf(text: string): unknown {
  const read = readJson(Buffer.from(text));
  if (read.kind === "broken") throw new Error(`${read.field} ${read.detail}`);
  return read.value;
}

describe("a number", () => {
  test.each([
    ["0", 0],
    ["-0", 0],
    ["-0.0", 0],
    ["1.0", 1],
    ["1e2", 100],
    ["0.30", 0.3],
    ["-12.5", -12.5],
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["123456789012.345", 123456789012.345],
    ["0.10000000000000000000", 0.1],
    ["1.5e-7", 1.5e-7],
  ])("%s that JavaScript can hold stays a number", (source, value) => {
    expect(valueOf(`{"a":[${source}]}`)).toEqual({ a: [value] });
  });

  test.each([
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "12345678901234567890",
    "0.1234567890123456",
    "1.0000000000000001",
    "9007199254740993.0",
    "100.00000000000000001",
    "1e21",
    "1e400",
    "-1E400",
    "1e-400",
    "4.9e-324",
  ])("%s that would be rounded is kept as text", (source) => {
    expect(valueOf(`{"a":[${source}]}`)).toEqual({ a: [source] });
  });

  test("never reads as another number than it was written as", () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.nat({ max: 24 }))
      .map(([digits, scale]) => ({ digits, scale, text: decimalText(digits, scale) }));
    fc.assert(
      fc.property(decimal, ({ digits, scale, text }) => {
        const read = valueOf(text);
        const isSame = typeof read === "number" ? scaled(read, scale) === digits : read === text;
        expect(isSame).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

function decimalText(digits: bigint, scale: number): string {
  const magnitude = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const whole = magnitude.slice(0, magnitude.length - scale);
  const sign = digits < 0n ? "-" : "";
  return scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${magnitude.slice(-scale)}`;
}

/** The number's shortest decimal text, times ten to the scale, exactly. */
function scaled(value: number, scale: number): bigint {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const power = Number(exponent) - fraction.length + scale;
  const digits = BigInt(whole + fraction);
  return power >= 0 ? digits * 10n ** BigInt(power) : digits / 10n ** BigInt(-power);
}

describe("text", () => {
  test.each([
    ['{"a":"\\ud800"}', "a"],
    ['{"a":{"b":["x","\\udc00"]}}', "a.b[1]"],
    ['{"a":{"\\ud800":1}}', "a"],
    ['"\\ud800"', "body"],
  ])("%s with a lone surrogate is refused by its path %s", (text, field) => {
    expect(readJson(Buffer.from(text))).toMatchObject({ kind: "broken", field });
  });

  test("with brackets in it is not deep", () => {
    const brackets = `\\"${"[{".repeat(200)}\\\\`;
    expect(valueOf(`{"a":"${brackets}"}`)).toEqual({ a: `"${"[{".repeat(200)}\\` });
  });
});

describe("nesting", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  test("of 64 levels is read, of 65 refused", () => {
    expect(readJson(Buffer.from(nested(64))).kind).toBe("json");
    expect(readJson(Buffer.from(nested(65))).kind).toBe("broken");
  });
});

test("the last of duplicate keys counts", () => {
  expect(valueOf('{"a":1,"a":2}')).toEqual({ a: 2 });
});

describe("a key named __proto__", () => {
  test.each([
    ['{"__proto__":{"a":1}}', "body"],
    ['{"data":{"lines":[{"__proto__":null}]}}', "data.lines[0]"],
    ['{"data":{"\\u005f_proto__":1}}', "data"],
  ])("in %s is refused by its path, never dropped", (text, field) => {
    const detail = "has a key named __proto__; give it another name";
    expect(readJson(Buffer.from(text))).toEqual({ kind: "broken", field, detail });
  });

  test("is none when it is a value, or has other letters", () => {
    const text = '{"a":"__proto__","__Proto__":1,"constructor":2,"prototype":3}';
    expect(valueOf(text)).toEqual(JSON.parse(text));
  });
});
