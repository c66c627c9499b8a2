// Bytes to JSON without losing anything on the way.
//
//   a byte-order mark      is no part of the content (cases.md 10)
//   invalid UTF-8          refused: replacement characters would be somebody else's text
//   12345678901234567890   kept as text, exactly as written: JavaScript would round it (cases.md 11); the same
//                          for decimals of more than 15 significant digits and for what overflows
//   deeper than 64         refused before it is parsed
//   a lone surrogate       refused with its path: it has no UTF-8 form and no stable digest
//   a key "__proto__"      refused with its path: every schema would drop it without a word (cases.md 61)
//
// Of duplicate keys the last one counts, as everywhere in JavaScript; the digest is of the bytes, and what is kept of two
// bodies under one id is compared where their bytes differ (create-event-once.ts).
import { isUtf8 } from "node:buffer";

export type ReadJson =
  | { kind: "json"; value: unknown }
  | { kind: "broken"; field: string; detail: string };

const depthMax = 64;

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Without its byte-order mark. */
export function readJson(bytes: Buffer): ReadJson {
  if (!isUtf8(bytes)) return broken("body", "is not UTF-8");
  const text = bytes.toString("utf8");
  if (isDeep(text)) return broken("body", `is nested deeper than ${depthMax} levels`);
  let value: unknown;
  try {
    value = parseWithSource(text, (_key, member, { source }) =>
      typeof member === "number" && source !== undefined ? exactNumber(member, source) : member,
    );
  } catch (error) {
    // The parser's own message repeats a part of the body.
    if (error instanceof SyntaxError) return broken("body", whereBroken(error));
    throw error;
  }
  const malformed = malformedIn(value, "");
  if (malformed === undefined) return { kind: "json", value };
  return broken(malformed.path || "body", malformed.detail);
}

function broken(field: string, detail: string): ReadJson {
  return { kind: "broken", field, detail };
}

/** `context.source` is newer than the type of JSON.parse; it is there from Node 21 on. */
const parseWithSource = JSON.parse as (
  text: string,
  reviver: (key: string, member: unknown, context: { source?: string }) => unknown,
) => unknown;

/** Below it, a double has fewer digits than its text. */
const normalMin = 2 ** -1022;

function exactNumber(value: number, source: string): number | string {
  const digits = source.replace(/[eE].*$/, "").replaceAll(/[-.]/g, "");
  const significant = digits.replace(/^0+/, "").replace(/0+$/, "");
  if (significant === "") return 0;
  const isUnsafe = Number.isInteger(value) && !Number.isSafeInteger(value);
  if (isUnsafe || !Number.isFinite(value) || Math.abs(value) < normalMin) return source;
  const isWholeText = /^-?\d+$/.test(source);
  return isWholeText || significant.length <= 15 ? value : source;
}

function whereBroken(error: SyntaxError): string {
  const [, position] = /position (\d+)/.exec(error.message) ?? [];
  return position === undefined ? "is not JSON" : `is not JSON from character ${position} on`;
}

/** Brackets inside strings do not count. One look at each character: the body is bounded, a stack is not. */
function isDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}

/** The first text or key that cannot be kept exactly; undefined when there is none. */
function malformedIn(value: unknown, path: string): { path: string; detail: string } | undefined {
  const loneSurrogate = { path, detail: "has a lone surrogate; send well-formed Unicode" };
  if (typeof value === "string") return value.isWellFormed() ? undefined : loneSurrogate;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (!key.isWellFormed()) return loneSurrogate;
    if (key === "__proto__") {
      return { path, detail: "has a key named __proto__; give it another name" };
    }
    const malformed = malformedIn(member, fieldPath(path, Array.isArray(value) ? +key : key));
    if (malformed !== undefined) return malformed;
  }
  return undefined;
}

/** `data.lines[0].amount` */
export function fieldPath(parent: string, step: PropertyKey): string {
  if (typeof step === "number") return `${parent}[${step}]`;
  return parent === "" ? String(step) : `${parent}.${String(step)}`;
}
