// The identifiers, all deterministic and opaque: the same on every replay, and silent about customers.
//
// Parts are joined with their lengths in front, so two different lists of parts never give the same text (cases.md 17: tenant
// "a:b", reference "c" and tenant "a", reference "b:c"). The ids have a fixed length whatever the reference, so no limit of a
// broker or a store depends on it (session and message ids: 128 characters).
import { createHash, createHmac, randomBytes } from "node:crypto";

const base32Alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const idLength = 26;

/** The first 26 characters (130 bits) of the lower-case base32 form of some bytes. */
function base32(bytes: Uint8Array): string {
  let bits = 0;
  let pendingBits = 0;
  let text = "";
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    pendingBits += 8;
    while (pendingBits >= 5) {
      pendingBits -= 5;
      text += base32Alphabet[(bits >> pendingBits) & 31];
    }
    bits &= (1 << pendingBits) - 1;
  }
  return text.slice(0, idLength);
}

/** Two different lists of parts never give the same text. */
export function lengthPrefixed(parts: readonly (string | number)[]): string {
  return parts.map((part) => `${Buffer.byteLength(String(part))}:${part}`).join("");
}

function hashId(parts: readonly (string | number)[]): string {
  return base32(createHash("sha256").update(lengthPrefixed(parts)).digest());
}

export interface CaseKey {
  tenantId: string;
  caseId: string;
}

export const externalRefLengthMax = 512;

export const tenantIdPattern = /^[a-z0-9-]{1,64}$/;
const caseKeyPattern = /^([a-z0-9-]{1,64}):([a-z2-7]{26})$/;

/**
 * The case's identifier: keyed, so that nobody can guess a reference from it. Two Unicode forms of one reference give one case,
 * else two cases would do everything twice.
 */
export function caseIdOf(key: Uint8Array, tenantId: string, externalRef: string): string {
  return base32(
    createHmac("sha256", key)
      .update(lengthPrefixed([tenantId, externalRef.normalize("NFC")]))
      .digest(),
  );
}

/** The fingerprint of the case-id key that `control` keeps: an app with another key refuses to start. */
export function caseIdKeyFingerprint(key: Uint8Array): string {
  return base32(createHmac("sha256", key).update("countersign case-id key").digest());
}

/** Also the session id. With a colon in it no host takes it for JSON. */
export function caseKeyText(key: CaseKey): string {
  return `${key.tenantId}:${key.caseId}`;
}

/** Undefined when the text is no case key. */
export function parseCaseKey(text: string): CaseKey | undefined {
  const match = caseKeyPattern.exec(text);
  const [, tenantId, caseId] = match ?? [];
  return tenantId === undefined || caseId === undefined ? undefined : { tenantId, caseId };
}

/** `basis` is the version decided on (plan) or the version that the commit creates (outbox). */
export function operationIdOf(
  key: CaseKey,
  intent: { origin: "plan" | "outbox"; basis: number; action: string; ordinal: number },
): string {
  const { origin, basis, action, ordinal } = intent;
  return hashId([key.tenantId, key.caseId, origin, basis, action, ordinal]);
}

/** A message id. If the broker must not drop a duplicate, pass something random as a part. */
export function hintIdOf(key: CaseKey, ...parts: readonly (string | number)[]): string {
  return hashId(["hint", key.tenantId, key.caseId, ...parts]);
}

/** The digest part of a finding's id. */
export function findingIdOf(operationId: string, ...parts: readonly (string | number)[]): string {
  return `finding:${operationId}:${hashId(parts)}`;
}

/** The name of a batch: new for each batch, the same while that batch is sent again. */
export function newWriteId(): string {
  return base32(randomBytes(20));
}

/** A number in [0, 1) that is derived from the parts: jitter without a random source. */
export function unitIntervalOf(...parts: readonly (string | number)[]): number {
  return createHash("sha256").update(lengthPrefixed(parts)).digest().readUInt32BE(0) / 2 ** 32;
}

/** For one request of one person, under the client's own id: the same request sent again is the same record. */
export function operatorRecordIdOf(...parts: readonly string[]): string {
  return `operatorRecord:${hashId(parts)}`;
}
