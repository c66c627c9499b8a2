// How values relate. Two rules that differ from JavaScript's:
//
// Operators: `<` and its kin compare only two values of one scalar type, and are undefined otherwise;
// `=` and `!=` answer for any two defined values (this follows Microsoft's own reference evaluator in
// the .NET SDK's tests; the documentation's table says undefined across types).
// Ordering (ORDER BY, MIN, MAX): every value has a place: undefined, null, false, true, numbers,
// strings, arrays, objects. Strings compare by code point, which is also how SQLite orders UTF-8.
import type { Value } from "../store/json.ts";
import { canonicalText } from "../store/json.ts";

export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a === b) continue;
    // Surrogates stand for code points above every other unit.
    const aIsAstral = a >= 0xd800 && a <= 0xdfff;
    const bIsAstral = b >= 0xd800 && b <= 0xdfff;
    if (aIsAstral !== bIsAstral) return aIsAstral ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return left.length < right.length ? -1 : 1;
}

export function equals(left: Value, right: Value): Value {
  if (left === undefined || right === undefined) return undefined;
  if (typeof left !== "object" || typeof right !== "object") return left === right;
  if (left === null || right === null) return left === right;
  return canonicalText(left) === canonicalText(right);
}

/** Negative, zero or positive; undefined when the operator has no answer. */
export function compareScalars(left: Value, right: Value): number | undefined {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "string" && typeof right === "string") return compareStrings(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  return left === null && right === null ? 0 : undefined;
}

function place(value: Value): number {
  if (value === undefined) return 0;
  if (value === null) return 1;
  if (value === false) return 2;
  if (value === true) return 3;
  if (typeof value === "number") return 4;
  if (typeof value === "string") return 5;
  return Array.isArray(value) ? 6 : 7;
}

export function compareForOrder(left: Value, right: Value): number {
  const byType = place(left) - place(right);
  if (byType !== 0) return byType;
  if (typeof left === "object" && left !== null) {
    return compareStrings(canonicalText(left), canonicalText(right));
  }
  return compareScalars(left, right) ?? 0;
}
