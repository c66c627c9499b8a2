import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  caseIdKeyFingerprint,
  caseIdOf,
  caseKeyText,
  operationIdOf,
  parseCaseKey,
} from "../../shared/domain/identity.ts";

const keyA = new Uint8Array(createHash("sha256").update("a").digest());
const keyB = new Uint8Array(createHash("sha256").update("b").digest());

describe("a case id", () => {
  test("is 26 characters, whatever the reference", () => {
    for (const reference of ["x", "ä ö/\\?#", "R".repeat(5000)]) {
      expect(caseIdOf(keyA, "acme", reference)).toMatch(/^[a-z2-7]{26}$/);
    }
  });

  test.each([
    [
      ["t1", "05"],
      ["t10", "5"],
    ],
    [
      ["t-a", "b:c"],
      ["t-a:b", "c"],
    ],
    [
      ["acme", "R-1"],
      ["globex", "R-1"],
    ],
    [
      ["acme", "R-1"],
      ["acme", "R-1 "],
    ],
    [
      ["acme", `${"x".repeat(150)}A`],
      ["acme", `${"x".repeat(150)}B`],
    ],
  ] as const)("tells %j from %j", (a, b) => {
    expect(caseIdOf(keyA, a[0], a[1])).not.toBe(caseIdOf(keyA, b[0], b[1]));
  });

  test("is the same however one system composes the letters of a reference, and another decomposes them", () => {
    const [composed, decomposed] = ["M\u00FCller-7", "Mu\u0308ller-7"];
    expect(caseIdOf(keyA, "acme", composed)).toBe(caseIdOf(keyA, "acme", decomposed));
    expect(caseIdOf(keyA, "acme", "Muller-7")).not.toBe(caseIdOf(keyA, "acme", composed));
  });

  test("depends on the deployment's key, so nobody can guess a reference from it", () => {
    expect(caseIdOf(keyA, "acme", "R-1")).not.toBe(caseIdOf(keyB, "acme", "R-1"));
    expect(caseIdKeyFingerprint(keyA)).not.toBe(caseIdKeyFingerprint(keyB));
  });
});

describe("a case key", () => {
  test("fits a session id, never reads as JSON, and parses back", () => {
    const key = { tenantId: "t".repeat(64), caseId: caseIdOf(keyA, "t", "R") };
    const text = caseKeyText(key);
    expect(text.length).toBeLessThanOrEqual(128);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(parseCaseKey(text)).toEqual(key);
  });

  test.each(["", "acme", "acme:short", "ACME:" + "a".repeat(26), "a:b:" + "a".repeat(26)])(
    "is not read out of %j",
    (text) => {
      expect(parseCaseKey(text)).toBeUndefined();
    },
  );
});

describe("an operation id", () => {
  const key = { tenantId: "acme", caseId: "a".repeat(26) };
  const intent = { origin: "plan", basis: 1, action: "a.b.v1", ordinal: 0 } as const;

  test("is the same on every replay", () => {
    expect(operationIdOf(key, intent)).toBe(operationIdOf({ ...key }, { ...intent }));
    // Pinned: a change here would send every open effect again under another key.
    expect(operationIdOf(key, intent)).toBe("f7ehawj4cwggfqp5mftsomjrh7");
  });

  test("is another one in another tenant, or another case (cases.md 17)", () => {
    const others = [
      { ...key, tenantId: "acme1" },
      { ...key, caseId: "b".repeat(26) },
    ];
    const ids = [key, ...others].map((one) => operationIdOf(one, intent));
    expect(new Set(ids).size).toBe(3);
  });

  test.each([{ basis: 2 }, { ordinal: 1 }, { action: "a.b.v2" }, { origin: "outbox" as const }])(
    "keeps apart what differs in %j: two intended identical actions are two",
    (difference) => {
      expect(operationIdOf(key, { ...intent, ...difference })).not.toBe(operationIdOf(key, intent));
    },
  );
});
