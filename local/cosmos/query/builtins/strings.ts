// Built-in string functions. An argument of a type that a function does not take makes its result
// undefined; nothing throws.
import type { Json, Value } from "../../store/json.ts";
import { canonicalText, isObject } from "../../store/json.ts";

export type BuiltIn = (args: Value[]) => Value;

function isString(value: Value): value is string {
  return typeof value === "string";
}

function ofString(apply: (text: string, args: Value[]) => Value): BuiltIn {
  return (args) => (isString(args[0]) ? apply(args[0], args) : undefined);
}

/** Two strings, and a third argument that asks for case to be ignored. */
function ofPair(apply: (text: string, other: string) => Value): BuiltIn {
  return ([text, other, ignoreCase]) => {
    if (!isString(text) || !isString(other)) return undefined;
    if (ignoreCase !== undefined && typeof ignoreCase !== "boolean") return undefined;
    return ignoreCase === true
      ? apply(text.toLowerCase(), other.toLowerCase())
      : apply(text, other);
  };
}

function parsed(text: string, isWanted: (value: Json) => boolean): Value {
  try {
    const value = JSON.parse(text) as Json;
    return isWanted(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toText(value: Value): Value {
  if (value === undefined || isString(value)) return value;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : canonicalText(value);
}

function substring(text: string, start: Value, length: Value): Value {
  if (typeof start !== "number" || typeof length !== "number") return undefined;
  if (start < 0 || length <= 0) return "";
  return text.slice(Math.trunc(start), Math.trunc(start) + Math.trunc(length));
}

function trimmed(text: string, chars: Value, ends: "start" | "end" | "both"): Value {
  if (chars !== undefined && !isString(chars)) return undefined;
  const isTrimmed = (char: string | undefined): boolean =>
    char !== undefined && (chars === undefined ? /\s/.test(char) : chars.includes(char));
  let from = 0;
  let to = text.length;
  if (ends !== "end") while (from < to && isTrimmed(text[from])) from += 1;
  if (ends !== "start") while (to > from && isTrimmed(text[to - 1])) to -= 1;
  return text.slice(from, to);
}

function regexMatch([text, pattern, flags]: Value[]): Value {
  if (!isString(text) || !isString(pattern)) return undefined;
  if (flags !== undefined && (!isString(flags) || !/^[imsx]*$/.test(flags))) return undefined;
  const spaceless = flags?.includes("x") === true ? pattern.replace(/\s+/g, "") : pattern;
  try {
    return new RegExp(spaceless, (flags ?? "").replace("x", "")).test(text);
  } catch {
    return undefined;
  }
}

export const STRING_FUNCTIONS: Record<string, BuiltIn> = {
  CONCAT: (args) => (args.every(isString) ? args.join("") : undefined),
  CONTAINS: ofPair((text, other) => text.includes(other)),
  STARTSWITH: ofPair((text, other) => text.startsWith(other)),
  ENDSWITH: ofPair((text, other) => text.endsWith(other)),
  STRINGEQUALS: ofPair((text, other) => text === other),
  INDEX_OF: ofString((text, [, other, from]) =>
    isString(other) ? text.indexOf(other, typeof from === "number" ? from : 0) : undefined,
  ),
  LEFT: ofString((text, [, count]) => substring(text, 0, count)),
  RIGHT: ofString((text, [, count]) =>
    typeof count === "number"
      ? substring(text, Math.max(0, text.length - count), count)
      : undefined,
  ),
  LENGTH: ofString((text) => text.length),
  LOWER: ofString((text) => text.toLowerCase()),
  UPPER: ofString((text) => text.toUpperCase()),
  TRIM: ofString((text, [, chars]) => trimmed(text, chars, "both")),
  LTRIM: ofString((text, [, chars]) => trimmed(text, chars, "start")),
  RTRIM: ofString((text, [, chars]) => trimmed(text, chars, "end")),
  REPLACE: ofString((text, [, from, to]) =>
    isString(from) && isString(to) ? (from === "" ? text : text.replaceAll(from, to)) : undefined,
  ),
  REPLICATE: ofString((text, [, count]) =>
    typeof count === "number" && count >= 0 && text.length * count <= 10_000
      ? text.repeat(Math.trunc(count))
      : undefined,
  ),
  REVERSE: ofString((text) => Array.from(text).toReversed().join("")),
  SUBSTRING: ofString((text, [, start, length]) => substring(text, start, length)),
  REGEXMATCH: regexMatch,
  TOSTRING: ([value]) => toText(value),
  STRINGTOARRAY: ofString((text) => parsed(text, Array.isArray)),
  STRINGTOOBJECT: ofString((text) => parsed(text, isObject)),
  STRINGTONUMBER: ofString((text) => parsed(text.trim(), (value) => typeof value === "number")),
  STRINGTOBOOLEAN: ofString((text) => parsed(text.trim(), (value) => typeof value === "boolean")),
  STRINGTONULL: ofString((text) => parsed(text.trim(), (value) => value === null)),
  STRINGJOIN: ([items, separator]) =>
    Array.isArray(items) && items.every(isString) && isString(separator)
      ? items.join(separator)
      : undefined,
  STRINGSPLIT: ofString((text, [, separator]) =>
    isString(separator) ? text.split(separator) : undefined,
  ),
};
