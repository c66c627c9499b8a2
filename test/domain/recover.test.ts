// No row permits a send that the provider's contract does not cover: the whole product is walked.
import { describe, expect, test } from "vitest";
import type { Contract } from "../../shared/domain/contract.ts";
import { providerKeyOf, whyUnsafe } from "../../shared/domain/contract.ts";
import { notBeforeMs } from "../../shared/domain/decisions/back-off.ts";
import { attemptLimits, recover } from "../../shared/domain/decisions/recover.ts";
import { absenceCovers } from "../../shared/domain/decisions/send-cover.ts";
import type { AttemptEnd, EffectOf } from "../../shared/domain/records/effect.ts";
import { withEffect } from "../../shared/domain/records/snapshot.ts";
import {
  callTimeoutMs,
  claimedCase,
  firstOf,
  keyContract,
  noContract,
  nowMs,
  settled,
} from "./situations.ts";

const retentionMs = 24 * 3_600_000;
const marginMs = 15 * 60_000;

function unknownEffect(change: Partial<EffectOf<"unknown">> = {}): EffectOf<"unknown"> {
  const effect = firstOf(settled(claimedCase(), { kind: "noAnswer", reason: "reset" }));
  if (effect.status !== "unknown") throw new Error("not unknown");
  return { ...effect, notBeforeMs: undefined, ...change };
}

const today = { account: "acme", apiVersion: "v1", current: true, nowMs };

describe("an unknown effect of a provider with a key", () => {
  const facts = { ...today, contract: keyContract };

  test("is sent again under the same key while the provider keeps it", () => {
    expect(recover({ ...facts, effect: unknownEffect() })).toEqual({ kind: "retry" });
  });

  test("is not sent again when its attempts bore no key, whatever the contract has come to promise since", () => {
    const { providerKey: _none, ...bare } = unknownEffect();
    expect(recover({ ...facts, effect: bare })).toMatchObject({
      kind: "review",
      why: "it was sent without a key",
    });
  });

  test("is sent up to the last moment of retention less margin, and not after", () => {
    const lastMs = nowMs + retentionMs - marginMs;
    expect(recover({ ...facts, effect: unknownEffect(), nowMs: lastMs }).kind).toBe("retry");
    expect(recover({ ...facts, effect: unknownEffect(), nowMs: lastMs + 1 }).kind).toBe("review");
  });

  test.each([{ account: "other" }, { apiVersion: "v2" }])(
    "is reviewed when %j differs",
    (difference) => {
      expect(recover({ ...facts, effect: unknownEffect(), ...difference }).kind).toBe("review");
    },
  );

  test("is never sent again once the case has moved on", () => {
    expect(recover({ ...facts, effect: unknownEffect(), current: false }).kind).toBe("review");
  });

  test("is left to a person while a review holds it", () => {
    expect(recover({ ...facts, effect: unknownEffect({ reviewRef: "r" }) }).kind).toBe("inReview");
  });

  test("is reviewed when the provider repeats a stored error (cases.md 46)", () => {
    const [attempt] = unknownEffect().attempts;
    const end: AttemptEnd = { kind: "noAnswer", atMs: nowMs, replayedError: true };
    const effect = unknownEffect({ attempts: attempt === undefined ? [] : [{ ...attempt, end }] });
    expect(recover({ ...facts, effect }).kind).toBe("review");
  });

  test("waits for its back-off", () => {
    const effect = unknownEffect({ notBeforeMs: nowMs + 500 });
    expect(recover({ ...facts, effect })).toEqual({ kind: "wait", untilMs: nowMs + 500 });
  });

  test("is reviewed after as many attempts as may leave (counterexample 14)", () => {
    const [attempt] = unknownEffect().attempts;
    if (attempt === undefined) throw new Error("no attempt");
    const attempts = Array.from({ length: attemptLimits.leftMax }, (_, n) => ({
      ...attempt,
      n: n + 1,
    }));
    expect(recover({ ...facts, effect: unknownEffect({ attempts }) })).toMatchObject({
      kind: "review",
      review: "AttemptsExhausted",
    });
  });
});

describe("an unknown effect of a provider that promises nothing", () => {
  test("goes to a person at once", () => {
    expect(recover({ ...today, contract: noContract, effect: unknownEffect() })).toMatchObject({
      kind: "review",
      review: "UnknownEffect",
    });
  });
});

test("over the whole product, a retry is allowed only under a key that the provider still enforces", () => {
  const contracts: Contract[] = [keyContract, noContract];
  const ages = [
    0,
    1,
    retentionMs - marginMs,
    retentionMs - marginMs + 1,
    retentionMs,
    10 * retentionMs,
  ];
  let retries = 0;
  for (const contract of contracts)
    for (const ageMs of ages)
      for (const current of [true, false])
        for (const account of ["acme", "other"])
          for (const apiVersion of ["v1", "v2"])
            for (const reviewRef of [undefined, "r"])
              for (const attemptCount of [1, attemptLimits.leftMax - 1, attemptLimits.leftMax]) {
                const [attempt] = unknownEffect().attempts;
                if (attempt === undefined) throw new Error("no attempt");
                const attempts = Array.from({ length: attemptCount }, (_, n) => ({
                  ...attempt,
                  n: n + 1,
                }));
                const effect = unknownEffect({ reviewRef, attempts });
                const answer = recover({
                  effect,
                  contract,
                  account,
                  apiVersion,
                  current,
                  nowMs: nowMs + ageMs,
                });
                const covered =
                  contract.idempotency !== undefined &&
                  ageMs <= retentionMs - marginMs &&
                  account === "acme" &&
                  apiVersion === "v1" &&
                  current &&
                  reviewRef === undefined &&
                  attemptCount < attemptLimits.leftMax;
                expect(answer.kind === "retry").toBe(covered);
                retries += covered ? 1 : 0;
              }
  expect(retries).toBeGreaterThan(0);
});

describe("the back-off", () => {
  test("doubles, and never exceeds half an hour of its own accord", () => {
    const [attempt] = unknownEffect().attempts;
    if (attempt === undefined) throw new Error("no attempt");
    const waits = [1, 2, 3, 20].map((count) => {
      const attempts = Array.from({ length: count }, () => attempt);
      return notBeforeMs(unknownEffect({ attempts }), { nowMs }) - nowMs;
    });
    expect(waits[0]).toBeGreaterThanOrEqual(500);
    expect(waits[0]).toBeLessThanOrEqual(1000);
    expect(waits[1]).toBeGreaterThanOrEqual(1000);
    expect(waits[3]).toBeLessThanOrEqual(1_800_000);
  });

  test("honours Retry-After within a cap of fifteen minutes", () => {
    const asked = (retryAfterMs: number) =>
      notBeforeMs(unknownEffect(), { nowMs, retryAfterMs }) - nowMs;
    expect(asked(90_000)).toBe(90_000);
    expect(asked(999_999_999)).toBe(900_000);
  });
});

describe("a contract", () => {
  test("whose margin is too small for its own call is refused at start-up", () => {
    const idempotency = keyContract.idempotency && { ...keyContract.idempotency, marginMs: 60_000 };
    const contract = { ...keyContract, ...(idempotency && { idempotency }) };
    expect(whyUnsafe(contract)).toEqual([
      expect.stringContaining(`at least ${callTimeoutMs + 60_000 + 2000}`),
    ]);
  });

  test("whose key cannot hold an operation id is refused at start-up, not at the first send (cases.md 50)", () => {
    const idempotency = keyContract.idempotency && { ...keyContract.idempotency, keyLengthMax: 20 };
    const contract = { ...keyContract, ...(idempotency && { idempotency }) };
    expect(whyUnsafe(contract)).toEqual([
      expect.stringContaining("does not fit a key of at most 20 characters"),
    ]);
  });

  test("that wants capitals gets capitals, and two operations keep two keys", () => {
    const idempotency = keyContract.idempotency && {
      ...keyContract.idempotency,
      keyAlphabet: "A-Z0-9",
    };
    const contract = { ...keyContract, ...(idempotency && { idempotency }) };
    expect(providerKeyOf(contract, "abc234")).toBe("ABC234");
  });
});

describe("a claim that an absence must cover at its gate, because its key has run out by then", () => {
  const lookup = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
  const contract: Contract = { ...keyContract, lookup };
  const pruned = { account: "acme", apiVersion: "v1", contract, nowMs: nowMs + retentionMs };

  test.each([
    ["v1", true],
    ["v2", false],
  ])("is covered by what was not found at %s: %j", (lookedAt, isCovered) => {
    const unknown = settled(claimedCase(), { kind: "noAnswer", reason: "reset" });
    const effect = firstOf(unknown);
    const { account, contractRevision } = effect;
    const atMs = nowMs + 600_000;
    const lookups = {
      count: 1,
      lastStartedAtMs: atMs,
      absentStartedAtMs: atMs,
      absentUnder: { account, apiVersion: lookedAt, contractRevision },
      notBeforeMs: 0,
    };
    const again = claimedCase(withEffect(unknown, { ...effect, lookups }), atMs);
    expect(absenceCovers({ ...pruned, effect: firstOf(again) })).toBe(isCovered);
  });
});
