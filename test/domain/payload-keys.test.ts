// What the keys of sensitive payloads promise, whoever holds the store.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { bookOf } from "../../shared/domain/book-of.ts";
import { defineAction } from "../../shared/domain/definitions.ts";
import { payloadKeys } from "../../shared/domain/payload-keys.ts";
import { bookWith, keysNamed } from "./situations.ts";

const place = { tenantId: "acme", caseId: "c1", operationId: "o1" };
const text = '{"to":"ana@example.org"}';
const keys = keysNamed("k1");

describe("a sealed payload", () => {
  test("opens in its own place, byte for byte", () => {
    const said = '{"é":"日本 𝒳 \\u0000","n":1e-7}';
    expect(keys.open(place, keys.seal(place, said))).toEqual({ kind: "opened", text: said });
  });

  test("shows nothing of its text, and is another one each time", () => {
    const [first, second] = [keys.seal(place, text), keys.seal(place, text)];
    expect(first.ciphertext).not.toBe(second.ciphertext);
    expect(first.nonce).not.toBe(second.nonce);
    expect(Buffer.from(first.ciphertext, "base64").toString("latin1")).not.toContain("ana");
  });

  test.each([
    ["another tenant", { ...place, tenantId: "globex" }],
    ["another case", { ...place, caseId: "c2" }],
    ["another operation", { ...place, operationId: "o2" }],
    ["parts that join to the same text", { ...place, tenantId: "acm", caseId: "ec1" }],
  ])("moved to %s does not open", (_where, other) => {
    expect(keys.open(other, keys.seal(place, text)).kind).toBe("closed");
  });

  test("changed in any byte, cut or emptied does not open", () => {
    const sealed = keys.seal(place, text);
    const bytes = Buffer.from(sealed.ciphertext, "base64");
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      const ciphertext = changed.toString("base64");
      expect(keys.open(place, { ...sealed, ciphertext }).kind).toBe("closed");
    }
    for (const ciphertext of ["", bytes.subarray(0, -1).toString("base64"), "AAAA"]) {
      expect(keys.open(place, { ...sealed, ciphertext }).kind).toBe("closed");
    }
    for (const nonce of ["", "AAAA", keys.seal(place, text).nonce]) {
      expect(keys.open(place, { ...sealed, nonce }).kind).toBe("closed");
    }
  });

  test("opens after a rotation, and new ones are sealed under the newest key", () => {
    const old = keys.seal(place, text);
    const rotated = keysNamed("k2", "k1");
    expect(rotated.open(place, old)).toEqual({ kind: "opened", text });
    expect(rotated.seal(place, text).keyId).toBe("k2");
  });

  test("whose key is gone, or has another value under its name, does not open and says which", () => {
    const sealed = keys.seal(place, text);
    const without = keysNamed("k2").open(place, sealed);
    expect(without).toMatchObject({ kind: "closed", why: expect.stringContaining("k1") });
    const impostor = payloadKeys({
      deploymentKey: Buffer.from("the deployment key of the tests"),
      sealing: [{ id: "k1", bytes: Buffer.alloc(32, "other") }],
    });
    expect(impostor.open(place, sealed).kind).toBe("closed");
    // Only its name is the same: it does not pass for k1 by being called so.
    expect(keysNamed("k2", "k1").open(place, { ...sealed, keyId: "k2" }).kind).toBe("closed");
  });
});

describe("the digest of a sensitive payload", () => {
  test("is the same under every encryption key, and no hash that anybody can make", () => {
    expect(keys.digest(text)).toBe(keysNamed("k9").digest(text));
    expect(keys.digest(text)).not.toBe(createHash("sha256").update(text).digest("hex"));
    expect(keys.digest(`${text} `)).not.toBe(keys.digest(text));
  });

  test("is another in another deployment", () => {
    const sealing = [{ id: "k1", bytes: Buffer.alloc(32, "k1") }] as const;
    const other = payloadKeys({ deploymentKey: Buffer.from("another"), sealing });
    expect(other.digest(text)).not.toBe(keys.digest(text));
  });
});

test("a sensitive action without any key is refused at start-up, by its name and the setting's", () => {
  const book = bookWith(undefined, {});
  const { provider } = book;
  const [keyed] = [provider("keyed")].flatMap((one) => one ?? []);
  if (keyed === undefined) throw new Error("no provider");
  const action = defineAction({
    ...(book.action("keyed.first.v1") ??
      (() => {
        throw new Error("no action");
      })()),
    sensitive: true,
  });
  const parts = { workflows: [], actions: [action], providers: [keyed] };
  expect(() => bookOf(parts)).toThrow(/keyed\.first\.v1.*PAYLOAD_KEYS/);
  expect(() => bookOf({ ...parts, payloadKeys: keys })).not.toThrow();
});
