// `_rid`: the service's own names of things, hierarchical by construction.
//
// A database has 4 bytes, a container its database's 4 and 4 more with the top bit set, a document
// its container's 8 and 8 more that count up. The client decodes a container's `_rid` and drops the
// session token unless it is exactly 8 bytes, so the layout is not ours to choose.

function encode(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("/", "-");
}

function decode(rid: string): Buffer {
  return Buffer.from(rid.replaceAll("-", "/"), "base64");
}

export function databaseRid(random: Buffer): string {
  return encode(random.subarray(0, 4));
}

export function containerRid(ofDatabase: string, cid: number): string {
  const bytes = Buffer.alloc(8);
  decode(ofDatabase).copy(bytes, 0, 0, 4);
  bytes.writeUInt32BE((0x8000_0000 + cid) >>> 0, 4);
  return encode(bytes);
}

export function documentRid(ofContainer: string, n: number): string {
  const bytes = Buffer.alloc(16);
  decode(ofContainer).copy(bytes, 0, 0, 8);
  bytes.writeBigUInt64LE(BigInt(n), 8);
  return encode(bytes);
}
