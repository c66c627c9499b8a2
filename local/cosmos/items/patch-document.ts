// Partial updates: up to ten operations on a document, all or none.
//
// `add` sets a property or inserts into an array (`-` appends); `set` sets, and overwrites an array
// element; `replace` and `remove` need the path to exist; `incr` adds to a number, or creates it;
// `move` takes the value from one path to another. Paths are JSON pointers (`~1` is `/`, `~0` is `~`).
import { badRequest } from "../protocol/refusals.ts";
import type { Json, JsonObject, Value } from "../store/json.ts";
import { isObject } from "../store/json.ts";

const OPERATIONS_MAX = 10;

export interface PatchRequest {
  operations: JsonObject[];
  condition?: string;
}

export function parsePatch(body: Json): PatchRequest {
  const list = isObject(body) ? body["operations"] : body;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) {
    throw badRequest("A patch needs a list of operations.");
  }
  if (list.length > OPERATIONS_MAX) {
    throw badRequest(`A patch holds at most ${OPERATIONS_MAX} operations.`);
  }
  const condition = isObject(body) ? body["condition"] : undefined;
  if (condition === undefined || condition === null) return { operations: list };
  if (typeof condition !== "string") throw badRequest("A patch's condition must be a string.");
  return { operations: list, condition };
}

/** A changed copy; the given document stays as it is. */
export function patchDocument(document: JsonObject, operations: readonly JsonObject[]): JsonObject {
  const patched = structuredClone(document);
  for (const operation of operations) apply(patched, operation);
  return patched;
}

function pointer(path: Value): string[] {
  if (typeof path !== "string" || !path.startsWith("/") || path.length < 2) {
    throw badRequest(`The patch path ${JSON.stringify(path)} is not valid.`);
  }
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The object or array that holds the last step of a path. */
function holderOf(document: JsonObject, path: readonly string[]): JsonObject | Json[] {
  let at: JsonObject | Json[] = document;
  for (const step of path.slice(0, -1)) {
    const next: Value = Array.isArray(at) ? at[arrayIndex(step)] : own(at, step);
    if (typeof next !== "object" || next === null) {
      throw badRequest(`The patch path '/${path.join("/")} has no parent.`);
    }
    at = next;
  }
  return at;
}

function own(value: Json, key: string): Value {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function arrayIndex(step: string): number {
  if (!/^(0|[1-9]\d*)$/.test(step)) throw badRequest(`'${step}' is not an array index.`);
  return Number(step);
}

function current(holder: JsonObject | Json[], last: string): Value {
  return Array.isArray(holder) ? holder[arrayIndex(last)] : own(holder, last);
}

function assign(holder: JsonObject | Json[], last: string, value: Json, insert: boolean): void {
  if (!Array.isArray(holder)) {
    Object.defineProperty(holder, last, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
    return;
  }
  if (last === "-") {
    holder.push(value);
    return;
  }
  const at = arrayIndex(last);
  if (at > holder.length) throw badRequest(`The array index ${at} is out of bounds.`);
  holder.splice(at, insert ? 0 : 1, value);
}

function takeAway(holder: JsonObject | Json[], last: string): void {
  if (Array.isArray(holder)) holder.splice(arrayIndex(last), 1);
  else delete holder[last];
}

function apply(document: JsonObject, operation: JsonObject): void {
  const path = pointer(operation["path"]);
  const last = path.at(-1) ?? "";
  if (path.length === 1 && last === "id") throw badRequest("The id cannot be patched.");
  if (path.length === 1 && /^_(rid|self|etag|ts|attachments)$/.test(last)) {
    throw badRequest("System properties cannot be patched.");
  }
  const holder = holderOf(document, path);
  const { op, value } = operation;
  const requireThere = (): Json => {
    const there = last === "-" ? undefined : current(holder, last);
    if (there === undefined) throw badRequest(`The patch path '/${path.join("/")} does not exist.`);
    return there;
  };
  const requireValue = (): Json => {
    if (value === undefined)
      throw badRequest(`The patch operation ${JSON.stringify(op)} needs a value.`);
    return value;
  };
  switch (op) {
    case "add":
      return assign(holder, last, requireValue(), true);
    case "set":
      return assign(holder, last, requireValue(), false);
    case "replace":
      requireThere();
      return assign(holder, last, requireValue(), false);
    case "remove":
      requireThere();
      return takeAway(holder, last);
    case "incr":
      return increment(holder, last, requireValue());
    case "move": {
      const from = pointer(operation["from"]);
      const source = holderOf(document, from);
      const moved = current(source, from.at(-1) ?? "");
      if (moved === undefined) throw badRequest("The path to move from does not exist.");
      takeAway(source, from.at(-1) ?? "");
      return assign(holderOf(document, path), last, moved, true);
    }
    default:
      throw badRequest(`${JSON.stringify(op)} is not a patch operation.`);
  }
}

function increment(holder: JsonObject | Json[], last: string, by: Json): void {
  if (typeof by !== "number") throw badRequest("incr needs a number.");
  const there = current(holder, last);
  if (there === undefined) return assign(holder, last, by, false);
  if (typeof there !== "number") throw badRequest("incr needs a path that holds a number.");
  return assign(holder, last, there + by, false);
}
