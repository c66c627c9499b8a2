// JSON values as the whole server passes them around. `undefined` stands for "no such property",
// which Cosmos DB treats as a type of its own.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Value = Json | undefined;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads one step into a value; anything that is not there is undefined. Own properties only. */
export function memberOf(value: Value, key: string | number): Value {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return typeof key === "number" ? value[key] : undefined;
  return typeof key === "string" && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function valueAt(value: Value, path: readonly string[]): Value {
  let found = value;
  for (const key of path) found = memberOf(found, key);
  return found;
}

/** Text that is equal exactly when two values are equal: keys sorted, so order does not matter. */
export function canonicalText(value: Value): string {
  if (value === undefined) return "undefined";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`);
  return `{${entries.join(",")}}`;
}
