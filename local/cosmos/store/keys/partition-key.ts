// A logical partition's key, as text that SQLite can index.
//
// The canonical text is the JSON array of the values, so `"5"` and `5` stay apart, a missing
// property is `{}` (as on the wire), and every partition below a prefix of a hierarchical key is one
// contiguous range of texts: from `["t1",` to `["t1"-`, because `-` follows `,` in ASCII.
import type { Json, JsonObject } from "../json.ts";
import { isObject, valueAt } from "../json.ts";
import { effectiveKey } from "./effective-key.ts";
import { badRequest } from "../../protocol/refusals.ts";

export interface PartitionKeyDefinition {
  paths: string[];
  kind: "Hash" | "MultiHash";
  version: number;
  systemKey?: boolean;
}

export interface PartitionKey {
  text: string;
  epk: string;
}

const MISSING: JsonObject = {};
const KEY_BYTES_MAX = 2048;

export function pathParts(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replace(/^"(.*)"$/, "$1"));
}

export function keyOfDocument(document: JsonObject, definition: PartitionKeyDefinition): Json[] {
  return definition.paths.map((path) => {
    const found = valueAt(document, pathParts(path));
    if (found === undefined) return MISSING;
    if (typeof found === "object" && found !== null) {
      if (isObject(found) && Object.keys(found).length === 0) return MISSING;
      throw badRequest("A partition key value must be a string, a number, a boolean or null.");
    }
    return found;
  });
}

/** The header's array; `[]` is how a client says "none" for a container without a key of its own. */
export function parseKeyHeader(header: string, definition: PartitionKeyDefinition): Json[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(header);
  } catch {
    throw badRequest("The partition key header is not valid JSON.");
  }
  if (!Array.isArray(parsed)) throw badRequest("The partition key header is not a JSON array.");
  const parts = parsed as Json[];
  if (parts.length === 0) return definition.paths.map(() => MISSING);
  if (parts.length > definition.paths.length) {
    throw badRequest("The partition key has more values than the container has paths.");
  }
  return parts.map((part) => (isObject(part) ? MISSING : part));
}

export function toPartitionKey(
  parts: readonly Json[],
  definition: PartitionKeyDefinition,
): PartitionKey {
  for (const part of parts) {
    if (typeof part === "string" && Buffer.byteLength(part) > KEY_BYTES_MAX) {
      throw badRequest(`A partition key value is longer than ${KEY_BYTES_MAX} bytes.`);
    }
  }
  const text = JSON.stringify(parts);
  return { text, epk: knownEffectiveKey(text, parts, definition) };
}

const KEYS_MAX = 10_000;
const keys = new Map<string, string>();

/** Hashed once while it is in use. */
function knownEffectiveKey(
  text: string,
  parts: readonly Json[],
  { kind, version }: PartitionKeyDefinition,
): string {
  const name = `${kind} ${version} ${text}`;
  const known = keys.get(name) ?? effectiveKey(parts, kind, version);
  if (keys.size >= KEYS_MAX) keys.clear();
  keys.set(name, known);
  return known;
}

/** The half-open range of key texts below a prefix. */
export function prefixRange(parts: readonly Json[]): { from: string; before: string } {
  const head = JSON.stringify(parts).slice(0, -1);
  return { from: `${head},`, before: `${head}-` };
}
