// A lock token is 16 random bytes with two spellings. As a delivery tag it stands in .NET's order
// for GUIDs (the first three groups reversed); as an AMQP uuid in management operations, in plain
// order. Inside the broker it is the hex of the plain order.

import type { Typed } from "rhea";

import { types } from "./codec.ts";

export function tokenOfTag(tag: Buffer | string): string {
  return reorder(Buffer.from(tag)).toString("hex");
}

export function tagOfToken(token: string): Buffer {
  return reorder(Buffer.from(token, "hex"));
}

export function uuidOfToken(token: string): Typed {
  return types.wrap_uuid(Buffer.from(token, "hex"));
}

/** Its own inverse. */
function reorder(bytes: Buffer): Buffer {
  const groups = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6, 8)];
  return Buffer.concat([
    ...groups.map((group) => Uint8Array.from(group).toReversed()),
    bytes.subarray(8, 16),
  ]);
}
