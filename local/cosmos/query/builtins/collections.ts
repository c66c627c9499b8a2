// Built-in functions on arrays, sets, objects and types.
import type { Json, Value } from "../../store/json.ts";
import { canonicalText, isObject } from "../../store/json.ts";
import { equals } from "../compare.ts";
import type { BuiltIn } from "./strings.ts";

/** With `partial`, an object matches when it has all that the wanted one has. */
function matches(candidate: Json, wanted: Value, partial: boolean): boolean {
  if (!partial || !isObject(wanted) || !isObject(candidate))
    return equals(candidate, wanted) === true;
  return Object.entries(wanted).every(([key, value]) => {
    const found = Object.hasOwn(candidate, key) ? candidate[key] : undefined;
    return found !== undefined && matches(found, value, true);
  });
}

function arrayContains([array, wanted, partial]: Value[]): Value {
  if (!Array.isArray(array) || wanted === undefined) return undefined;
  return array.some((item) => matches(item, wanted, partial === true));
}

function contains(array: Json[], wanted: Value): boolean {
  return array.some((item) => matches(item, wanted, false));
}

function slice([array, start, length]: Value[]): Value {
  if (!Array.isArray(array) || typeof start !== "number") return undefined;
  const from = start < 0 ? Math.max(0, array.length + start) : start;
  if (length === undefined) return array.slice(from);
  return typeof length === "number" ? array.slice(from, from + Math.max(0, length)) : undefined;
}

function distinct(items: Json[]): Json[] {
  const seen = new Map(items.map((item) => [canonicalText(item), item]));
  return [...seen.values()];
}

function ofSets(apply: (left: Json[], right: Json[]) => Json[]): BuiltIn {
  return ([left, right]) =>
    Array.isArray(left) && Array.isArray(right) ? distinct(apply(left, right)) : undefined;
}

function arrayToObject([entries]: Value[]): Value {
  if (!Array.isArray(entries)) return undefined;
  const pairs = entries
    .filter(isObject)
    .flatMap(({ k, v }): [string, Json][] =>
      typeof k === "string" && v !== undefined ? [[k, v]] : [],
    );
  return Object.fromEntries(pairs);
}

function objectToArray([object, keyName, valueName]: Value[]): Value {
  if (!isObject(object)) return undefined;
  const k = typeof keyName === "string" ? keyName : "k";
  const v = typeof valueName === "string" ? valueName : "v";
  return Object.entries(object).map(([key, value]) => ({ [k]: key, [v]: value }));
}

function isPrimitive(value: Value): boolean {
  return value !== undefined && (typeof value !== "object" || value === null);
}

export const COLLECTION_FUNCTIONS: Record<string, BuiltIn> = {
  ARRAY_CONTAINS: arrayContains,
  ARRAY_CONTAINS_ANY: ([array, ...wanted]) =>
    Array.isArray(array) ? wanted.some((value) => contains(array, value)) : undefined,
  ARRAY_CONTAINS_ALL: ([array, ...wanted]) =>
    Array.isArray(array) ? wanted.every((value) => contains(array, value)) : undefined,
  ARRAY_CONCAT: (args) => (args.every(Array.isArray) ? args.flat(1) : undefined),
  ARRAY_LENGTH: ([array]) => (Array.isArray(array) ? array.length : undefined),
  ARRAY_SLICE: slice,
  SETINTERSECT: ofSets((left, right) => left.filter((item) => contains(right, item))),
  SETUNION: ofSets((left, right) => [...left, ...right]),
  SETDIFFERENCE: ofSets((left, right) => left.filter((item) => !contains(right, item))),
  CHOOSE: ([index, ...choices]) => (typeof index === "number" ? choices[index - 1] : undefined),
  OBJECTTOARRAY: objectToArray,
  ARRAYTOOBJECT: arrayToObject,
  IIF: ([test, yes, no]) => (test === true ? yes : no),
  IS_ARRAY: ([value]) => Array.isArray(value),
  IS_BOOL: ([value]) => typeof value === "boolean",
  IS_DEFINED: ([value]) => value !== undefined,
  IS_NULL: ([value]) => value === null,
  IS_NUMBER: ([value]) => typeof value === "number",
  IS_OBJECT: ([value]) => isObject(value),
  IS_PRIMITIVE: ([value]) => isPrimitive(value),
  IS_STRING: ([value]) => typeof value === "string",
  IS_INTEGER: ([value]) => Number.isInteger(value),
  IS_FINITE_NUMBER: ([value]) => Number.isFinite(value),
};
