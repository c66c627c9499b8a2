// The table of design.md 4: from, to, needs. What an attempt learned is not what the operation is.
import { describe, expect, test } from "vitest";
import { horizonEndMs } from "../../shared/domain/decisions/send-cover.ts";
import type { Answer, Finding } from "../../shared/domain/records/evidence.ts";
import type { Snapshot } from "../../shared/domain/records/snapshot.ts";
import { markOrphaned } from "../../shared/domain/transitions/claim.ts";
import { foldFindings } from "../../shared/domain/transitions/fold-findings.ts";
import { applyDecision } from "../../shared/domain/transitions/decide.ts";
import { endPlan, commitPlan } from "../../shared/domain/transitions/plan.ts";
import {
  book,
  claimedCase,
  firstOf,
  key,
  noContract,
  nowMs,
  openedCase,
  plannedCase,
  planOfTwo,
  receiptFor,
  settled,
} from "./situations.ts";

const refused: Answer = { kind: "refused", reason: "no", speaksForOperation: false };
const notApplied: Answer = { kind: "notApplied", reason: "429" };
const notSent: Answer = { kind: "notSent", reason: "gate" };
const noAnswer: Answer = { kind: "noAnswer", reason: "reset" };

/** A second attempt runs, and the first may have left. */
const secondAttempt = () => claimedCase(settled(claimedCase(), noAnswer));

function withFinding(snapshot: Snapshot, content: Finding["content"], n = 1): Snapshot {
  const { operationId } = firstOf(snapshot);
  const finding: Finding = {
    id: `finding:${operationId}:${n}`,
    type: "finding",
    schemaVersion: 1,
    ...key,
    operationId,
    content,
    by: "test",
    foundAtMs: nowMs,
    dueAtMs: nowMs,
  };
  return { ...snapshot, findings: [...snapshot.findings, finding] };
}

function folded(snapshot: Snapshot, ...contents: Finding["content"][]): Snapshot {
  let informed = snapshot;
  for (const [n, content] of contents.entries()) informed = withFinding(informed, content, n);
  return foldFindings(informed, firstOf(snapshot).operationId, { book, nowMs });
}

const report = (snapshot: Snapshot, providerId = "P-1"): Finding["content"] => ({
  kind: "providerReport",
  receipt: receiptFor(firstOf(snapshot), providerId),
});

describe("a first attempt", () => {
  test.each<[string, Answer | "receipt", string, boolean]>([
    ["a bound receipt confirms", "receipt", "confirmed", true],
    ["a definitive refusal rejects", refused, "rejected", true],
    ["a proof that nothing was applied prepares again", notApplied, "prepared", false],
    ["a proof that nothing left prepares again", notSent, "prepared", false],
    ["no answer leaves it unknown", noAnswer, "unknown", true],
  ])("%s", (_name, answer, status, mayHaveLeft) => {
    const after = settled(claimedCase(), answer);
    expect(firstOf(after)).toMatchObject({ status, mayHaveLeft });
    expect(after.case?.claim).toBeUndefined();
  });
});

describe("a later attempt, after one that may have left", () => {
  test.each<[string, Answer | "receipt", string]>([
    ["a receipt confirms", "receipt", "confirmed"],
    ["a refusal proves nothing about the first (counterexample 9)", refused, "unknown"],
    ["not applied proves nothing about the first", notApplied, "unknown"],
    ["not sent proves nothing about the first (counterexample 8)", notSent, "unknown"],
    ["no answer leaves it unknown", noAnswer, "unknown"],
  ])("%s", (_name, answer, status) => {
    expect(firstOf(settled(secondAttempt(), answer))).toMatchObject({ status, mayHaveLeft: true });
  });

  test("is rejected only where the contract says that the refusal speaks for the operation", () => {
    const after = settled(secondAttempt(), { ...refused, speaksForOperation: true });
    expect(firstOf(after).status).toBe("rejected");
  });
});

describe("a receipt for something else", () => {
  test.each(["operationId", "target", "payloadDigest"] as const)(
    "confirms nothing when its %s differs, and goes to a person",
    (field) => {
      const snapshot = claimedCase();
      const receipt = receiptFor(firstOf(snapshot));
      const other = { ...receipt, boundTo: { ...receipt.boundTo, [field]: "other" } };
      const after = settled(snapshot, { kind: "receipt", receipt: other });
      expect(firstOf(after).status).toBe("unknown");
      expect(after.reviews.map(({ kind }) => kind)).toEqual(["EvidenceMismatch"]);
    },
  );
});

describe("an attempt that nobody recorded", () => {
  const deadlineMs = nowMs + 11_000;
  const orphaned = () =>
    markOrphaned(claimedCase(), firstOf(claimedCase()).operationId, {
      deadlineMs,
      nowMs: deadlineMs,
    });

  test("is unknown with an orphaned attempt, and the fence has risen", () => {
    const after = orphaned();
    expect(firstOf(after)).toMatchObject({
      status: "unknown",
      attempts: [{ n: 1, deadlineMs, end: { kind: "orphaned" } }],
    });
    expect(after.case?.fence).toBe(2);
    expect(after.case?.claim).toBeUndefined();
  });

  test("is confirmed by its late worker's own receipt", () => {
    const late = { kind: "receipt", receipt: receiptFor(firstOf(claimedCase())) } as const;
    const after = folded(orphaned(), { kind: "attemptEnd", attempt: 1, answer: late });
    expect(firstOf(after).status).toBe("confirmed");
  });

  test("is prepared again by its late worker's proof that nothing was sent", () => {
    const after = folded(orphaned(), { kind: "attemptEnd", attempt: 1, answer: notSent });
    expect(firstOf(after)).toMatchObject({ status: "prepared", mayHaveLeft: false });
  });

  test("stays unknown, but ended, when its late worker heard nothing", () => {
    const after = folded(orphaned(), { kind: "attemptEnd", attempt: 1, answer: noAnswer });
    expect(firstOf(after)).toMatchObject({
      status: "unknown",
      attempts: [{ end: { kind: "noAnswer" } }],
    });
  });

  test("of an older attempt that is told late moves the horizon: its last byte may have left just before", () => {
    const second = settled(claimedCase(orphaned()), noAnswer);
    const lateMs = nowMs + 600_000;
    const informed = withFinding(second, { kind: "attemptEnd", attempt: 1, answer: noAnswer });
    const { operationId } = firstOf(second);
    const after = foldFindings(informed, operationId, { book, nowMs: lateMs });
    // The store tells whole seconds.
    expect(horizonEndMs(firstOf(after), noContract)).toBe(lateMs + 1000 + noContract.horizonMs);
  });

  test("a refusal by a stale first attempt does not settle a second one that runs (counterexample 9)", () => {
    const running = claimedCase(orphaned());
    const after = folded(running, { kind: "attemptEnd", attempt: 1, answer: refused });
    expect(firstOf(after)).toMatchObject({
      status: "started",
      attempts: [{ end: { kind: "refused" } }, {}],
    });
    expect(firstOf(after).attempts[1]).toEqual(firstOf(running).attempts[1]);
    expect(after.case?.claim).toEqual(running.case?.claim);
  });
});

describe("findings about one effect", () => {
  const unknown = () => settled(claimedCase(), noAnswer);

  test("are folded together, successes first: a person's no is not folded past a receipt that is there", () => {
    const no = {
      kind: "statement",
      statement: { kind: "didNotHappen", forced: true },
      reason: "looked",
      confirmedBy: "another",
    } as const;
    const after = folded(unknown(), no, report(unknown()));
    expect(firstOf(after)).toMatchObject({ status: "confirmed", settledBy: "finding" });
    expect(after.findings.every((finding) => finding.folded !== undefined)).toBe(true);
    expect(after.findings.every((finding) => finding.dueAtMs === undefined)).toBe(true);
  });

  test("tell the same receipt twice without a contradiction", () => {
    const confirmed = settled(claimedCase(), "receipt");
    const after = folded(confirmed, report(confirmed));
    expect(firstOf(after)).toEqual(firstOf(confirmed));
    expect(after.case?.contradictionsOpen).toBe(0);
  });

  test("with two provider ids for one operation are a contradiction", () => {
    const confirmed = settled(claimedCase(), "receipt");
    const after = folded(confirmed, report(confirmed, "P-2"));
    expect(firstOf(after)).toMatchObject({ status: "confirmed", receipt: { providerId: "P-1" } });
    expect(firstOf(after).contradicted).toBeDefined();
    expect(after.case?.contradictionsOpen).toBe(1);
    expect(after.reviews.map(({ kind }) => kind)).toEqual(["Contradiction"]);
  });

  test.each(["rejected", "cancelled"])(
    "that show success on a %s effect keep its status and contradict it (counterexample 12)",
    (status) => {
      const before =
        status === "rejected"
          ? settled(claimedCase(), refused)
          : endPlan(plannedCase(), { why: "test", nowMs });
      expect(firstOf(before).status).toBe(status);
      const after = folded(before, report(before));
      expect(firstOf(after).status).toBe(status);
      expect(firstOf(after).contradicted).toBeDefined();
      expect(after.case?.contradictionsOpen).toBe(1);
    },
  );

  test("that show a failure of what was cancelled contradict it all the same: it was tried", () => {
    const before = endPlan(plannedCase(), { why: "test", nowMs });
    const receipt = { ...receiptFor(firstOf(before)), stage: "failed" as const };
    const after = folded(before, { kind: "providerReport", receipt });
    expect(firstOf(after)).toMatchObject({ status: "cancelled", contradicted: {} });
  });

  test("about an operation that is not in the ledger are put away, and change nothing", () => {
    const planned = plannedCase();
    const informed = withFinding(planned, report(planned));
    const findings = informed.findings.map((one) => ({ ...one, operationId: "unheard of" }));
    const after = foldFindings({ ...informed, findings }, "unheard of", { book, nowMs });
    expect(after.effects).toEqual(planned.effects);
    expect(after.findings[0]?.folded).toBeDefined();
  });

  test("that show success on a prepared effect confirm and contradict: what was judged not sent did leave", () => {
    const before = settled(claimedCase(), notSent);
    const after = folded(before, report(before));
    expect(firstOf(after).status).toBe("confirmed");
    expect(firstOf(after).contradicted).toBeDefined();
  });

  test("resolve the review that held the effect", () => {
    const held: Snapshot = {
      ...unknown(),
      reviews: [
        {
          id: "review:x:1",
          type: "review",
          schemaVersion: 1,
          ...key,
          subject: "x",
          kind: "UnknownEffect",
          why: "w",
          consequence: "c",
          caseVersion: 1,
          openedAtMs: nowMs,
        },
      ],
      effects: unknown().effects.map((effect) => ({ ...effect, reviewRef: "review:x:1" })),
    };
    const after = folded(held, report(held));
    expect(firstOf(after).reviewRef).toBeUndefined();
    expect(after.reviews[0]?.resolution).toMatchObject({ by: "finding" });
  });

  test("never release another effect's claim", () => {
    const bothRunning = claimedCase(commitPlan(bothConfirmed(), { book }));
    const claimed = bothRunning.case?.claim;
    const after = folded(bothRunning, { kind: "attemptEnd", attempt: 1, answer: noAnswer });
    expect(after.case?.claim).toEqual(claimed);
  });
});

function bothConfirmed(): Snapshot {
  return settled(claimedCase(settled(claimedCase(), "receipt")), "receipt");
}

describe("an outbox effect", () => {
  test("that is refused opens a review: somebody was not told (counterexample 4)", () => {
    const after = settled(claimedCase(commitPlan(bothConfirmed(), { book })), refused);
    expect(after.effects.at(-1)?.status).toBe("rejected");
    expect(after.reviews.map(({ kind }) => kind)).toEqual(["NotificationFailed"]);
  });

  test("exists in the very batch of the commit that justifies it", () => {
    const after = commitPlan(bothConfirmed(), { book });
    expect(after.case).toMatchObject({ status: "done", version: 2 });
    expect(after.case?.plan).toBeUndefined();
    expect(after.effects.at(-1)).toMatchObject({
      origin: "outbox",
      justifiedBy: 2,
      status: "prepared",
    });
  });
});

describe("a decision", () => {
  test("freezes each payload under its digest, and keeps the order", () => {
    const planned = plannedCase();
    expect(planned.effects.map(({ action, ordinal }) => [action, ordinal])).toEqual([
      ["keyed.first.v1", 0],
      ["keyed.second.v1", 1],
    ]);
    expect(firstOf(planned).payloadDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(firstOf(planned).providerKey).toBe(firstOf(planned).operationId);
  });

  test("that repeats what was confirmed is held, unless it names it (counterexample 2)", () => {
    const confirmed = endPlan(settled(claimedCase(), "receipt"), { why: "test", nowMs });
    const again = applyDecision(confirmed, planOfTwo, { book, nowMs });
    expect(again.case?.held?.reason).toBe("RepeatedIntent");
    expect(again.case?.plan).toBeUndefined();
    const [first, second] = planOfTwo.kind === "plan" ? planOfTwo.actions : [];
    if (first === undefined || second === undefined) throw new Error("no plan");
    const named = { ...first, repeats: firstOf(confirmed).operationId };
    const meant = applyDecision(confirmed, { ...planOfTwo, actions: [named, second] } as never, {
      book,
      nowMs,
    });
    expect(meant.case?.held).toBeUndefined();
    expect(meant.case?.plan?.operationIds).toHaveLength(2);
  });

  test("that is meant for the third time names the second, and with it the first", () => {
    const first = endPlan(settled(claimedCase(), "receipt"), { why: "test", nowMs });
    const [wish] = planOfTwo.kind === "plan" ? planOfTwo.actions : [];
    if (wish === undefined) throw new Error("no plan");
    const again = (from: Snapshot, repeats: string) =>
      applyDecision(from, { ...planOfTwo, actions: [{ ...wish, repeats }] } as never, {
        book,
        nowMs,
      });
    const second = again(first, firstOf(first).operationId);
    const [secondId = ""] = second.case?.plan?.operationIds ?? [];
    const done = endPlan(settled(claimedCase(second), "receipt"), { why: "test", nowMs });
    expect(again(done, secondId).case?.held).toBeUndefined();
    expect(again(done, firstOf(first).operationId).case?.held?.reason).toBe("RepeatedIntent");
  });

  test("with another payload under the same id is held as a mismatch", () => {
    const planned = plannedCase();
    const record = planned.case && { ...planned.case, plan: undefined };
    const replay = { ...planned, ...(record && { case: record }) };
    const other = {
      ...planOfTwo,
      actions: [{ action: "keyed.first.v1", target: "T-9", payload: { amount: "51.00" } }],
    };
    const after = applyDecision(replay, other, { book, nowMs });
    expect(after.case?.held?.reason).toBe("PayloadMismatch");
  });

  test("that compensates is its own effect, and only for what is confirmed", () => {
    const confirmed = endPlan(settled(claimedCase(), "receipt"), { why: "test", nowMs });
    const [first, cancelled] = confirmed.effects;
    const undo = (compensates: string | undefined) => ({
      ...planOfTwo,
      actions: [
        {
          action: "bare.first.v1",
          target: "T-1",
          payload: {},
          ...(compensates && { compensates }),
        },
      ],
    });
    const made = applyDecision(confirmed, undo(first?.operationId), { book, nowMs });
    expect(made.effects.at(-1)).toMatchObject({
      action: "bare.first.v1",
      compensates: first?.operationId,
    });
    expect(made.effects[0]?.status).toBe("confirmed");
    for (const wrong of [cancelled?.operationId, "nothing"]) {
      const held = applyDecision(confirmed, undo(wrong), { book, nowMs });
      expect(held.case?.held?.detail).toContain("would compensate an effect that is");
    }
  });

  test("for an action that nobody defined is held, and nothing is prepared", () => {
    const unheardOf = { ...planOfTwo, actions: [{ action: "x.y.v1", target: "T", payload: {} }] };
    const after = applyDecision(openedCase(), unheardOf, { book, nowMs });
    expect(after.case?.held?.reason).toBe("DecisionHeld");
    expect(after.effects).toEqual([]);
  });
});
