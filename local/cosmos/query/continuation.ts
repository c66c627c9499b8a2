// Continuation tokens of queries: where the next page begins, as short base64 text.
//
// Unordered pages resume behind a document, ordered ones behind a row (its sort keys and document),
// so items that change between two pages neither repeat nor hide others. Results that exist only as
// a whole (DISTINCT, groups) resume by count. The client accepts at most 1 KiB; keys that would not
// fit fall back to the count.
import type { Value } from "../store/json.ts";
import { badRequest } from "../protocol/refusals.ts";

export interface Position {
  /** Rows of the whole result passed so far, OFFSET included. */
  seen: number;
  /** The last document that gave a row, and how many of its rows were passed. */
  n?: number;
  rows?: number;
  /** Sort keys of that row; `null` in the token's array stands for undefined when boxed as `[]`. */
  keys?: Value[];
}

const TOKEN_CHARS_MAX = 1000;

export function writeToken(position: Position): string {
  const { keys, ...rest } = position;
  const boxed = keys?.map((key) => (key === undefined ? [] : [key]));
  const token = encode({ ...rest, ...(boxed === undefined ? {} : { keys: boxed }) });
  return token.length <= TOKEN_CHARS_MAX ? token : encode({ seen: position.seen });
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

export function readToken(token: string): Position {
  try {
    const parsed = JSON.parse(Buffer.from(token, "base64").toString()) as Position;
    if (!Number.isInteger(parsed.seen)) throw new Error("no count");
    if (parsed.keys === undefined) return parsed;
    return { ...parsed, keys: parsed.keys.map((key) => (Array.isArray(key) ? key[0] : undefined)) };
  } catch {
    throw badRequest("The continuation token is malformed.");
  }
}
