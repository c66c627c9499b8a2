// Effective partition keys: where a logical partition lies on the ring of physical partitions.
//
// The client computes the same hashes for feed ranges, prefixes and bulk, so ours must be equal to
// its own to the last digit; `test/local/cosmos/effective-key.test.ts` compares the two. MurmurHash3
// is public domain (Austin Appleby); Cosmos DB reverses the bytes of the 128-bit result and clears
// the top two bits. Version 1 of a key definition uses the 32-bit hash and appends the value itself.
import type { Json } from "../json.ts";

const MASK_64 = 0xffff_ffff_ffff_ffffn;
const V1_STRING_CHARS_MAX = 100;
const utf8 = new TextEncoder();

/** One partition key component; `undefined` and `{}` both mean "the document has no such property". */
export type KeyPart = Json | undefined;

export function effectiveKey(parts: readonly KeyPart[], kind: string, version: number): string {
  if (kind === "MultiHash") return parts.map((part) => hash128([part])).join("");
  return version === 2 ? hash128(parts) : hashVersion1(parts[0]);
}

function hash128(parts: readonly KeyPart[]): string {
  const bytes = murmur128(Uint8Array.from(parts.flatMap((part) => [...partBytes(part, 0xff)])));
  bytes[0] = (bytes[0] ?? 0) & 0x3f;
  return hex(bytes);
}

function partBytes(part: KeyPart, stringEnd: number): Uint8Array {
  if (part === null) return Uint8Array.of(1);
  if (typeof part === "boolean") return Uint8Array.of(part ? 3 : 2);
  if (typeof part === "string") return Uint8Array.of(8, ...utf8.encode(part), stringEnd);
  if (typeof part !== "number") return Uint8Array.of(0);
  const bytes = new Uint8Array(9);
  bytes[0] = 5;
  new DataView(bytes.buffer).setFloat64(1, part, true);
  return bytes;
}

function rotate64(value: bigint, by: bigint): bigint {
  return ((value << by) | (value >> (64n - by))) & MASK_64;
}

function mix64(value: bigint): bigint {
  let mixed = value ^ (value >> 33n);
  mixed = (mixed * 0xff51afd7ed558ccdn) & MASK_64;
  mixed ^= mixed >> 33n;
  mixed = (mixed * 0xc4ceb9fe1a85ec53n) & MASK_64;
  return mixed ^ (mixed >> 33n);
}

const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;

function mixFirst(word: bigint): bigint {
  return (rotate64((word * C1) & MASK_64, 31n) * C2) & MASK_64;
}

function mixSecond(word: bigint): bigint {
  return (rotate64((word * C2) & MASK_64, 33n) * C1) & MASK_64;
}

/** MurmurHash3 x64 128 with seed 0, its sixteen bytes from last to first. */
function murmur128(input: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil(input.length / 16) * 16);
  padded.set(input);
  const words = new DataView(padded.buffer);
  let first = 0n;
  let second = 0n;
  for (let at = 0; at < padded.length; at += 16) {
    const low = mixFirst(words.getBigUint64(at, true));
    const high = mixSecond(words.getBigUint64(at + 8, true));
    if (at + 16 > input.length) {
      // The tail: a zero word mixes to zero, so padding changes nothing.
      second ^= high;
      first ^= low;
      break;
    }
    first = (rotate64(first ^ low, 27n) + second) & MASK_64;
    first = (first * 5n + 0x52dce729n) & MASK_64;
    second = (rotate64(second ^ high, 31n) + first) & MASK_64;
    second = (second * 5n + 0x38495ab5n) & MASK_64;
  }
  const length = BigInt(input.length);
  first = ((first ^ length) + (second ^ length)) & MASK_64;
  second = ((second ^ length) + first) & MASK_64;
  first = mix64(first);
  second = mix64(second);
  first = (first + second) & MASK_64;
  second = (second + first) & MASK_64;
  const result = new Uint8Array(16);
  const out = new DataView(result.buffer);
  out.setBigUint64(0, second);
  out.setBigUint64(8, first);
  return result;
}

function rotate32(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

/** MurmurHash3 x86 32 with seed 0. */
function murmur32(input: Uint8Array): number {
  const padded = new Uint8Array(Math.ceil(input.length / 4) * 4);
  padded.set(input);
  const words = new DataView(padded.buffer);
  let hash = 0;
  for (let at = 0; at < padded.length; at += 4) {
    const word = Math.imul(
      rotate32(Math.imul(words.getUint32(at, true), 0xcc9e2d51), 15),
      0x1b873593,
    );
    hash ^= word;
    if (at + 4 > input.length) break;
    hash = (Math.imul(rotate32(hash, 13), 5) + 0xe6546b64) | 0;
  }
  hash ^= input.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function hashVersion1(part: KeyPart): string {
  const truncated = typeof part === "string" ? part.slice(0, V1_STRING_CHARS_MAX) : part;
  const hash = murmur32(partBytes(truncated, 0));
  return hex(Uint8Array.from([...orderedNumber(hash), ...orderedPart(truncated)]));
}

function orderedPart(part: KeyPart): number[] {
  if (typeof part === "number") return orderedNumber(part);
  if (typeof part !== "string") return [...partBytes(part, 0)];
  const bytes = utf8.encode(part);
  const isShort = part.length <= V1_STRING_CHARS_MAX;
  const kept = isShort ? bytes : bytes.slice(0, V1_STRING_CHARS_MAX + 1);
  return [
    8,
    ...Array.from(kept, (byte) => (byte < 0xff ? byte + 1 : byte)),
    ...(isShort ? [0] : []),
  ];
}

/** A double whose bytes sort as its value does, in groups of seven bits with a "more follows" bit. */
function orderedNumber(value: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const top = 0x8000_0000_0000_0000n;
  let payload = bits < top ? bits ^ top : (~bits + 1n) & MASK_64;
  const out = [5, Number(payload >> 56n)];
  payload = (payload << 8n) & MASK_64;
  let pending = 0;
  let isFirst = true;
  do {
    if (!isFirst && pending !== 0) out.push(pending);
    isFirst = false;
    pending = Number(payload >> 56n) | 1;
    payload = (payload << 7n) & MASK_64;
  } while (payload !== 0n);
  if ((pending & 0xfe) !== 0) out.push(pending & 0xfe);
  return out;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex").toUpperCase();
}
