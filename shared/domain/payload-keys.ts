// The keys of sensitive payloads: one that makes their digests, and those that encrypt them (design.md 3, 8).
//
//   seal     AES-256-GCM under the newest key, with a nonce of 96 random bits: good for 2^32 payloads a key. Tenant, case and
//            operation are authenticated with it, so a ciphertext that was moved to another operation does not open
//   open     with the key that the payload names; all configured keys decrypt, so a rotation loses nothing
//   digest   HMAC-SHA256, so that a payload with few possible values cannot be guessed from the ledger. Its key derives from
//            the deployment's own key, which is never rotated, because a digest must outlive every encryption key
//
// Keys are values here: config reads them (on Azure from Key Vault, by a reference), and nothing ever prints them.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { lengthPrefixed } from "./identity.ts";

export const sealingKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export interface SealingKey {
  /** Stored with each payload that it seals; no secret. */
  id: string;
  bytes: Uint8Array;
}

/** Where a payload belongs. */
export interface PayloadPlace {
  tenantId: string;
  caseId: string;
  operationId: string;
}

/** All in base64 but the key's id; the ciphertext ends with its tag. */
export interface Sealed {
  keyId: string;
  nonce: string;
  ciphertext: string;
}

export interface PayloadKeys {
  digest(text: string): string;
  seal(place: PayloadPlace, text: string): Sealed;
  open(
    place: PayloadPlace,
    sealed: Sealed,
  ): { kind: "opened"; text: string } | { kind: "closed"; why: string };
}

/** `sealing`: the newest first. */
export function payloadKeys(keys: {
  deploymentKey: Uint8Array;
  sealing: readonly [SealingKey, ...SealingKey[]];
}): PayloadKeys {
  const { deploymentKey, sealing } = keys;
  const digestKey = createHmac("sha256", deploymentKey)
    .update("countersign payload digest")
    .digest();
  const [newest] = sealing;
  return {
    digest: (text) => createHmac("sha256", digestKey).update(text).digest("hex"),
    seal: (place, text) => sealUnder(newest, place, text),
    open(place, sealed) {
      const key = sealing.find(({ id }) => id === sealed.keyId);
      return key === undefined
        ? { kind: "closed", why: `no key named ${sealed.keyId} is configured here` }
        : openUnder(key, place, sealed);
    },
  };
}

function placeBytes(key: SealingKey, { caseId, operationId, tenantId }: PayloadPlace): Buffer {
  return Buffer.from(lengthPrefixed(["payload", key.id, tenantId, caseId, operationId]));
}

function sealUnder(key: SealingKey, place: PayloadPlace, text: string): Sealed {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce);
  cipher.setAAD(placeBytes(key, place));
  const parts = [cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return {
    keyId: key.id,
    nonce: nonce.toString("base64"),
    ciphertext: Buffer.concat(parts).toString("base64"),
  };
}

function openUnder(
  key: SealingKey,
  place: PayloadPlace,
  sealed: Sealed,
): ReturnType<PayloadKeys["open"]> {
  const closed = {
    kind: "closed",
    why: `it does not decrypt under key ${key.id}: it was changed, or that name stands for another key here`,
  } as const;
  const nonce = Buffer.from(sealed.nonce, "base64");
  const bytes = Buffer.from(sealed.ciphertext, "base64");
  if (nonce.length !== nonceBytes || bytes.length < tagBytes) return closed;
  const options = { authTagLength: tagBytes };
  const decipher = createDecipheriv("aes-256-gcm", key.bytes, nonce, options);
  decipher.setAAD(placeBytes(key, place));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const text = decipher.update(bytes.subarray(0, -tagBytes));
  try {
    return { kind: "opened", text: Buffer.concat([text, decipher.final()]).toString("utf8") };
  } catch {
    // All sizes are right, so `final` throws only when the ciphertext is not authentic.
    return closed;
  }
}
