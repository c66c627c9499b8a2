// A certificate for 127.0.0.1 and localhost, made on first use and kept beside the messages, because
// the SDK's administration client speaks https and nothing else. Node has no call that makes one, so
// its DER is written here (RFC 5280).
//
// Its key is made on this machine and never leaves the data folder, and a client trusts it only when
// it is told to (NODE_EXTRA_CA_CERTS, or the SDK's `tlsOptions.ca`).

import {
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type LoopbackCertificate = { key: string; cert: string; path: string };

export function loopbackCertificate(dataFolder: string): LoopbackCertificate {
  const path = join(dataFolder, "certificate.pem");
  const keyPath = join(dataFolder, "certificate-key.pem");
  // The key is moved into its place last, so that one without the other was never finished.
  if (!existsSync(path) || !existsSync(keyPath)) {
    mkdirSync(dataFolder, { recursive: true });
    const { publicKey, privateKey } = generateKeyPairSync("ec", {
      namedCurve: "P-256",
      publicKeyEncoding: { type: "spki", format: "der" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    writeFileSync(path, pem(certificate(publicKey, createPrivateKey(privateKey))));
    writeFileSync(`${keyPath}.new`, privateKey, { mode: 0o600 });
    renameSync(`${keyPath}.new`, keyPath);
  }
  return { key: readFileSync(keyPath, "utf8"), cert: readFileSync(path, "utf8"), path };
}

const [BOOLEAN, INTEGER, BIT_STRING, OCTET_STRING, OID, UTF8_STRING] = [1, 2, 3, 4, 6, 12];
const [UTC_TIME, GENERALIZED_TIME, SEQUENCE, SET] = [0x17, 0x18, 0x30, 0x31];
const [VERSION, EXTENSIONS, DNS_NAME, IP_ADDRESS] = [0xa0, 0xa3, 0x82, 0x87];

const ECDSA_WITH_SHA256 = sequence(der(OID, hex("2a8648ce3d040302")));
const COMMON_NAME = der(OID, hex("550403"));
const BASIC_CONSTRAINTS = der(OID, hex("551d13"));
const SUBJECT_ALTERNATIVE_NAME = der(OID, hex("551d11"));

function certificate(publicKey: Buffer, privateKey: KeyObject): Buffer {
  const name = sequence(
    der(SET, sequence(COMMON_NAME, der(UTF8_STRING, Buffer.from("Local Service Bus")))),
  );
  const validity = sequence(
    der(UTC_TIME, Buffer.from("200101000000Z")),
    der(GENERALIZED_TIME, Buffer.from("21200101000000Z")),
  );
  const isAuthority = der(BOOLEAN, Buffer.from([0xff]));
  const names = sequence(
    der(DNS_NAME, Buffer.from("localhost")),
    der(IP_ADDRESS, Buffer.from([127, 0, 0, 1])),
  );
  const extensions = sequence(
    // It signs itself: the client that trusts it trusts it as an authority.
    sequence(BASIC_CONSTRAINTS, isAuthority, der(OCTET_STRING, sequence(isAuthority))),
    sequence(SUBJECT_ALTERNATIVE_NAME, der(OCTET_STRING, names)),
  );
  const signed = sequence(
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    // A first byte from 1 to 127: positive, and no leading zero.
    der(INTEGER, Buffer.concat([Buffer.from([0x5b]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey,
    der(EXTENSIONS, extensions),
  );
  const signature = sign("sha256", signed, privateKey);
  return sequence(
    signed,
    ECDSA_WITH_SHA256,
    der(BIT_STRING, Buffer.concat([Buffer.from([0]), signature])),
  );
}

function sequence(...parts: Buffer[]): Buffer {
  return der(SEQUENCE, ...parts);
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, "hex");
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
