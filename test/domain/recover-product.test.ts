// When a retry may be allowed, stated a second time from the design's table alone, and compared with `recover` over the
// whole product of contracts, findings, attempts, ages, accounts, versions and reviews.
//
// `mayRetry` knows nothing of how recover.ts is built. Equality proves both directions: no row permits a send that the
// contract does not cover, and no covered send is withheld once nothing else is due.
import { describe, expect, test } from "vitest";
import type { Contract } from "../../shared/domain/contract.ts";
import {
  attemptLimits,
  recover,
  whyRetryNotCovered,
} from "../../shared/domain/decisions/recover.ts";
import type { Recovery } from "../../shared/domain/decisions/recover.ts";
import type { Attempt, EffectOf } from "../../shared/domain/records/effect.ts";
import {
  callTimeoutMs,
  claimedCase,
  firstOf,
  keyContract,
  noContract,
  nowMs,
  settled,
} from "./situations.ts";

const strong = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
const eventual = { by: "search", consistency: "eventual", settleMs: 120_000 } as const;
const idempotency = {
  keyHeader: "Idempotency-Key",
  keyAlphabet: "A-Za-z0-9-",
  keyLengthMax: 64,
  retentionMs: 24 * 3_600_000,
  marginMs: 15 * 60_000,
  storesErrors: false,
};
const lastKeyAgeMs = idempotency.retentionMs - idempotency.marginMs;

const contracts = {
  key: keyContract,
  "key that stores errors": {
    ...keyContract,
    idempotency: { ...idempotency, storesErrors: true },
  },
  strong: { ...noContract, lookup: strong },
  eventual: { ...noContract, lookup: eventual },
  "key and strong": { ...keyContract, lookup: strong },
  none: noContract,
} satisfies Record<string, Contract>;

const firstStartMs = nowMs;
const deadlineMs = firstStartMs + 1000 + callTimeoutMs;
const overMs = deadlineMs + noContract.horizonMs;

/** Elsewhere: by code that calls another address, which says nothing of where these attempts went. */
type Look = "none" | "absentEarly" | "absentLate" | "absentElsewhere" | "inconclusive";
type Ends = "ended" | "orphaned" | "notSentLast" | "replayedError";

interface Row {
  contract: keyof typeof contracts;
  look: Look;
  ends: Ends;
  attemptCount: number;
  ageMs: number;
  account: string;
  apiVersion: string;
  current: boolean;
  reviewRef: string | undefined;
}

/** design.md, "`recover` by contract", read line by line. */
function mayRetry(row: Row): boolean {
  const { idempotency: key, lookup }: Contract = contracts[row.contract];
  if (row.reviewRef !== undefined) return false;
  // "Once the case has moved on from decidedOn ... never sent again by the machine."
  if (!row.current) return false;
  // "claims that may have left below their bound"
  const mayHaveLeft = row.ends === "notSentLast" ? row.attemptCount - 1 : row.attemptCount;
  if (mayHaveLeft >= attemptLimits.leftMax) return false;
  // "same account and API version"; asked of an absence, too: it was looked for where a send would not go.
  if (row.account !== "acme" || row.apiVersion !== "v1") return false;
  // "the replayed error: inconclusive; look up, else review": never the same key again.
  if (key !== undefined && row.ends === "replayedError") return false;
  // "now - first start <= retention - margin"
  const neverStarted = mayHaveLeft === 0;
  if (key !== undefined && (neverStarted || row.ageMs <= lastKeyAgeMs)) return true;
  // "absent, by a look-up that STARTED after the last attempt's deadline + horizon; every attempt ended"
  return lookup?.consistency === "strong" && row.look === "absentLate" && row.ends !== "orphaned";
}

const unknownEffect = ((): EffectOf<"unknown"> => {
  const effect = firstOf(settled(claimedCase(), { kind: "noAnswer", reason: "reset" }));
  if (effect.status !== "unknown") throw new Error("not unknown");
  const { notBeforeMs: _passed, ...rest } = effect;
  return rest;
})();

function effectOfRow(row: Row): EffectOf<"unknown"> {
  const attempts = Array.from({ length: row.attemptCount }, (_, index): Attempt => {
    const isLast = index === row.attemptCount - 1;
    return {
      n: index + 1,
      fence: index + 1,
      claimedAtMs: firstStartMs,
      callTimeoutMs,
      leftBefore: index > 0,
      deadlineMs,
      end: isLast ? endOf(row.ends) : { kind: "noAnswer", atMs: firstStartMs },
    };
  });
  const lookups = lookupsOf(row);
  return {
    ...unknownEffect,
    attempts,
    ...(lookups === undefined ? {} : { lookups }),
    ...(row.reviewRef === undefined ? {} : { reviewRef: row.reviewRef }),
  };
}

function endOf(ends: Ends): Attempt["end"] {
  const atMs = firstStartMs + 5;
  switch (ends) {
    case "ended":
      return { kind: "noAnswer", atMs };
    case "orphaned":
      return { kind: "orphaned", atMs };
    case "notSentLast":
      return { kind: "notSent", atMs };
    case "replayedError":
      return { kind: "noAnswer", atMs, replayedError: true };
  }
}

function lookupsOf({ account, apiVersion, look }: Row): EffectOf<"unknown">["lookups"] {
  const told = { count: 1, notBeforeMs: 0 };
  const absentUnder = { account, apiVersion, contractRevision: unknownEffect.contractRevision };
  switch (look) {
    case "none":
      return undefined;
    case "absentEarly":
      return { ...told, lastStartedAtMs: overMs, absentStartedAtMs: overMs, absentUnder };
    case "absentLate":
    case "absentElsewhere": {
      const atMs = overMs + 1;
      const elsewhere = { ...absentUnder, apiVersion: "v3" };
      return {
        ...told,
        lastStartedAtMs: atMs,
        absentStartedAtMs: atMs,
        absentUnder: look === "absentLate" ? absentUnder : elsewhere,
      };
    }
    case "inconclusive":
      return { ...told, lastStartedAtMs: overMs + 1 };
  }
}

function recovered(row: Row): Recovery {
  return recover(factsOf(row));
}

function factsOf(row: Row): Parameters<typeof recover>[0] {
  const { account, ageMs, apiVersion, current } = row;
  return {
    effect: effectOfRow(row),
    contract: contracts[row.contract],
    account,
    apiVersion,
    current,
    nowMs: firstStartMs + ageMs,
  };
}

const plainRow: Row = {
  contract: "strong",
  look: "none",
  ends: "ended",
  attemptCount: 1,
  ageMs: overMs + 60_000 - firstStartMs,
  account: "acme",
  apiVersion: "v1",
  current: true,
  reviewRef: undefined,
};

const dimensions = {
  contract: Object.keys(contracts) as (keyof typeof contracts)[],
  look: ["none", "absentEarly", "absentLate", "absentElsewhere", "inconclusive"],
  ends: ["ended", "orphaned", "notSentLast", "replayedError"],
  attemptCount: [1, 2, attemptLimits.leftMax - 1, attemptLimits.leftMax, attemptLimits.leftMax + 1],
  ageMs: [
    0,
    overMs - firstStartMs,
    overMs + 1 - firstStartMs,
    lastKeyAgeMs,
    lastKeyAgeMs + 1,
    idempotency.retentionMs,
    30 * idempotency.retentionMs,
  ],
  account: ["acme", "other"],
  apiVersion: ["v1", "v2"],
  current: [true, false],
  reviewRef: [undefined, "review:x:1"],
} satisfies { [Field in keyof Row]: Row[Field][] };

function* product(): Generator<Row> {
  const fields = Object.entries(dimensions) as [keyof Row, unknown[]][];
  const total = fields.reduce((count, [, values]) => count * values.length, 1);
  for (let n = 0; n < total; n += 1) {
    let rest = n;
    const row: Record<string, unknown> = {};
    for (const [field, values] of fields) {
      row[field] = values[rest % values.length];
      rest = Math.floor(rest / values.length);
    }
    yield row as unknown as Row;
  }
}

test("over the whole product, a retry is allowed exactly where the design's table allows one", () => {
  const wrong: string[] = [];
  const count = { rows: 0, retries: 0 };
  for (const row of product()) {
    const allowed = mayRetry(row);
    const recovery = recovered(row);
    count.rows += 1;
    count.retries += allowed ? 1 : 0;
    if ((recovery.kind === "retry") !== allowed) {
      wrong.push(
        `${JSON.stringify(row)}: ${recovery.kind}, and a retry is ${allowed ? "" : "not "}covered`,
      );
    }
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(count.rows).toBeGreaterThan(50_000);
  expect(count.retries).toBeGreaterThan(500);
});

test("over the whole product, a person may order exactly what the contract covers, past the machine's own bounds only", () => {
  const wrong: string[] = [];
  for (const row of product()) {
    if (row.reviewRef !== undefined) continue;
    const within = Math.min(row.attemptCount, attemptLimits.leftMax - 1);
    const covered = mayRetry({ ...row, attemptCount: within });
    const refusal = whyRetryNotCovered(factsOf(row));
    if ((refusal === undefined) !== covered) {
      wrong.push(`${JSON.stringify(row)}: ${refusal}, and it is ${covered ? "" : "not "}covered`);
    }
  }
  expect(wrong.slice(0, 5)).toEqual([]);
});

test("over the whole product, what promises nothing is never looked up and never sent again", () => {
  for (const row of product()) {
    if (row.contract !== "none") continue;
    expect(["review", "inReview"]).toContain(recovered(row).kind);
  }
});

describe("each row of the design's table", () => {
  const late = { ...plainRow, look: "absentLate" } as const;

  test("strong: a first look is taken at once, because what is found settles", () => {
    expect(recovered({ ...plainRow, ageMs: 1 })).toEqual({ kind: "lookUp" });
  });

  test("strong, absent early: it waits until an absence would count, and looks again then", () => {
    const early = { ...plainRow, look: "absentEarly" } as const;
    const waiting = { ...early, ageMs: overMs - firstStartMs };
    expect(recovered(waiting)).toEqual({ kind: "wait", untilMs: overMs + 1 });
    expect(recovered({ ...early, ageMs: overMs + 1 - firstStartMs })).toEqual({ kind: "lookUp" });
  });

  test("strong, absent late, every attempt ended: it is sent again", () => {
    expect(recovered(late)).toEqual({ kind: "retry" });
  });

  test("strong, absent late, an attempt orphaned: a person decides", () => {
    expect(recovered({ ...late, ends: "orphaned" })).toMatchObject({
      kind: "review",
      review: "UnknownEffect",
    });
  });

  test("strong and a key that still holds, absent late, an attempt orphaned: it is sent again", () => {
    expect(recovered({ ...late, contract: "key and strong", ends: "orphaned" }).kind).toBe("retry");
  });

  test("strong, absent late under another account: a person decides", () => {
    expect(recovered({ ...late, account: "other" }).kind).toBe("review");
  });

  test("strong, absent late where other code looked: it looks for itself", () => {
    expect(recovered({ ...late, look: "absentElsewhere" })).toEqual({ kind: "lookUp" });
  });

  test("search, absent: it looks until the lag has passed, then a person decides", () => {
    const search = { ...plainRow, contract: "eventual", look: "inconclusive" } as const;
    expect(recovered(search)).toEqual({ kind: "lookUp" });
    const effect = effectOfRow(search);
    const settledMs = overMs + eventual.settleMs;
    const startedMs = settledMs + 1;
    const lookups = {
      count: 5,
      lastStartedAtMs: startedMs,
      absentStartedAtMs: startedMs,
      absentUnder: { account: "acme", apiVersion: "v1", contractRevision: effect.contractRevision },
      notBeforeMs: 0,
    };
    const facts = {
      contract: contracts.eventual,
      account: "acme",
      apiVersion: "v1",
      current: true,
    };
    expect(
      recover({ ...facts, effect: { ...effect, lookups }, nowMs: settledMs + 2 }),
    ).toMatchObject({ kind: "review", why: expect.stringContaining("proves nothing") });
  });

  test("key: it is sent again up to retention less margin, and then a person decides", () => {
    const keyed = { ...plainRow, contract: "key" } as const;
    expect(recovered({ ...keyed, ageMs: lastKeyAgeMs }).kind).toBe("retry");
    expect(recovered({ ...keyed, ageMs: lastKeyAgeMs + 1 }).kind).toBe("review");
  });

  test("key that stores errors, the replayed error: a person decides", () => {
    const replayed = {
      ...plainRow,
      contract: "key that stores errors",
      ends: "replayedError",
    } as const;
    expect(recovered(replayed).kind).toBe("review");
  });

  test("key and strong, the replayed error: it looks, and an absence is no reason to ask again", () => {
    const replayed = { ...plainRow, contract: "key and strong", ends: "replayedError" } as const;
    expect(recovered(replayed)).toEqual({ kind: "lookUp" });
    expect(recovered({ ...replayed, look: "absentLate" }).kind).toBe("review");
  });

  test("key and strong, its attempts used up: it looks before a person must", () => {
    const used = { ...plainRow, attemptCount: attemptLimits.leftMax } as const;
    expect(recovered({ ...used, contract: "key and strong" })).toEqual({ kind: "lookUp" });
    expect(recovered({ ...used, contract: "key" })).toMatchObject({ review: "AttemptsExhausted" });
  });

  test("none: a person decides", () => {
    expect(recovered({ ...plainRow, contract: "none" }).kind).toBe("review");
  });

  test("strong: look-ups are bounded", () => {
    const effect = effectOfRow({ ...plainRow, look: "inconclusive" });
    const lookups = {
      count: attemptLimits.lookupsMax,
      lastStartedAtMs: overMs + 5,
      notBeforeMs: 0,
    };
    const facts = { contract: contracts.strong, account: "acme", apiVersion: "v1", current: true };
    expect(recover({ ...facts, effect: { ...effect, lookups }, nowMs: overMs + 9 }).kind).toBe(
      "review",
    );
  });
});
