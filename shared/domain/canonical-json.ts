// One byte sequence for one JSON value (RFC 8785), and its SHA-256: what freezes a payload.
//
// `canonicalize` treats a value that is no JSON as JSON.stringify does: undefined vanishes, a Date becomes text, NaN throws late.
// Two different payloads could then share a digest, or a digest could change after it was stored and read. So anything that
// is not exactly JSON is refused first, with the path of what is wrong. A key named "__proto__" is refused, too: schemas drop
// it, so the validated payload would not be the frozen one.
//
// Numbers have one form: -0 is written 0, and 1.0 is written 1. Text is never normalised: composed and decomposed characters
// stay different.
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { TerminalFault } from "./faults.ts";

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** Throws a TerminalFault that names the path of the first value that is not exactly JSON. */
export function assertJson(value: unknown, path: string): asserts value is Json {
  switch (typeof value) {
    case "boolean":
      return;
    case "string":
      if (!value.isWellFormed()) refuse(path, "has a lone surrogate; send well-formed Unicode");
      return;
    case "number":
      assertJsonNumber(value, path);
      return;
    case "object":
      if (value === null) return;
      if (Array.isArray(value)) assertJsonArray(value, path);
      else assertJsonObject(value, path);
      return;
    case "undefined":
      refuse(path, "is undefined; leave the field out or send null");
    // eslint-disable-next-line no-fallthrough -- refuse() never returns
    case "bigint":
    case "symbol":
    case "function":
      refuse(path, `is a ${typeof value}; send it as text`);
  }
}

/** Why `assertJson` would refuse the value; undefined when it is exactly JSON. */
export function whyNotJson(value: unknown, path: string): string | undefined {
  try {
    assertJson(value, path);
    return undefined;
  } catch (error) {
    if (error instanceof TerminalFault) return error.message;
    throw error;
  }
}

function assertJsonNumber(value: number, path: string): void {
  if (!Number.isFinite(value)) refuse(path, `is ${String(value)}; send a finite number`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    refuse(path, "is an integer beyond 2^53 - 1, which would be rounded; send it as text");
  }
}

function assertJsonArray(value: readonly unknown[], path: string): void {
  // An index loop, because for-each skips the holes that must be refused.
  for (let index = 0; index < value.length; index += 1) {
    assertJson(value[index], `${path}[${index}]`);
  }
}

function assertJsonObject(value: object, path: string): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    refuse(path, `is a ${value.constructor.name}; send plain JSON`);
  }
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(path, "has a symbol as a key");
  for (const [key, member] of Object.entries(value)) {
    if (!key.isWellFormed()) refuse(path, "has a key with a lone surrogate");
    if (key === "__proto__") refuse(path, "has a key named __proto__; give it another name");
    assertJson(member, `${path}.${key}`);
  }
}

function refuse(path: string, what: string): never {
  throw new TerminalFault(`${path} ${what}.`);
}

/** The RFC 8785 text of a JSON value. `name` is what an error calls the value. */
export function canonicalJson(value: unknown, name = "value"): string {
  assertJson(value, name);
  const text = canonicalize(value);
  if (text === undefined) throw new TerminalFault(`${name} has no JSON form.`);
  return text;
}

/** SHA-256 of the canonical JSON, as 64 lower-case hexadecimal digits. */
export function digestOf(value: unknown, name = "value"): string {
  return createHash("sha256").update(canonicalJson(value, name)).digest("hex");
}
