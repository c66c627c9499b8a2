// An approval speaks for one operation, one digest and one version (design.md 9), and the latest question is the one whose yes counts.
import { describe, expect, test } from "vitest";
import { approvalState } from "../../shared/domain/decisions/approvals.ts";
import type { Plan } from "../../shared/domain/records/case.ts";
import type { Approval } from "../../shared/domain/records/approval.ts";
import type { Snapshot } from "../../shared/domain/records/snapshot.ts";
import { askApprovals } from "../../shared/domain/transitions/ask-approvals.ts";
import { book, firstOf, nowMs, plannedCase, planOf } from "./situations.ts";

const alike = { action: "keyed.first.v1", payload: { amount: "50.00" } };

/** Two effects with one payload: only their targets tell them apart. */
function asked(): { snapshot: Snapshot; plan: Plan } {
  const planned = plannedCase(
    planOf([
      { ...alike, target: "T-1" },
      { ...alike, target: "T-2" },
    ]),
  );
  const operationIds = planned.effects.map(({ operationId }) => operationId);
  const snapshot = askApprovals(planned, operationIds, { book, nowMs });
  const plan = snapshot.case?.plan;
  if (plan === undefined) throw new Error("no plan");
  return { snapshot, plan };
}

const yes = { answerId: "a", decision: "approve", by: "ana", atMs: nowMs } as const;
const approved = (approval: Approval): Approval => ({ ...approval, answer: yes });

describe("a plan that two approvals are asked for", () => {
  test("is approved once both are given, and not by one of them for both", () => {
    const { snapshot, plan } = asked();
    const [first, second] = snapshot.approvals;
    if (first === undefined || second === undefined) throw new Error("not two questions");
    const state = (...approvals: Approval[]) =>
      approvalState({ ...snapshot, approvals }, plan, nowMs).kind;
    expect(state(approved(first), second)).toBe("waiting");
    expect(state(first, approved(second))).toBe("waiting");
    expect(state(approved(first), approved(second))).toBe("given");
  });

  test.each<[string, Partial<Approval>]>([
    ["other bytes", { payloadDigest: "0".repeat(64) }],
    ["another version", { version: 7 }],
    ["another operation", { operationId: "other" }],
  ])("is not approved by a yes to %s", (_what, change) => {
    const { snapshot, plan } = asked();
    const approvals = snapshot.approvals.map((one, n) =>
      n === 0 ? { ...approved(one), ...change } : approved(one),
    );
    expect(approvalState({ ...snapshot, approvals }, plan, nowMs)).toEqual({
      kind: "ask",
      operationIds: [firstOf(snapshot).operationId],
    });
  });

  test("waits for its questions no longer than until the first of them ends", () => {
    const { snapshot, plan } = asked();
    const approvals = snapshot.approvals.map((one) => ({ ...one, expiresAtMs: nowMs + one.n }));
    const state = approvalState({ ...snapshot, approvals }, plan, nowMs);
    expect(state).toEqual({ kind: "waiting", untilMs: nowMs + 1 });
  });

  test("is not approved any more from the moment at which an approval ends", () => {
    const { snapshot, plan } = asked();
    const approvals = snapshot.approvals.map(approved);
    const endMs = Math.min(...approvals.map(({ expiresAtMs }) => expiresAtMs));
    const at = (ms: number) => approvalState({ ...snapshot, approvals }, plan, ms).kind;
    expect([at(endMs - 1), at(endMs)]).toEqual(["given", "ask"]);
  });

  test("is what its latest questions say, in whatever order the store gives them", () => {
    const { snapshot, plan } = asked();
    const again = askApprovals(snapshot, plan.operationIds, { book, nowMs });
    const approvals = again.approvals.map((one) =>
      one.n > 2 ? approved(one) : { ...one, expiresAtMs: nowMs },
    );
    for (const order of [approvals, approvals.toReversed()]) {
      expect(approvalState({ ...again, approvals: order }, plan, nowMs).kind).toBe("given");
    }
  });

  test("is refused by a no to any of its questions, also to one that was asked anew since", () => {
    const { snapshot, plan } = asked();
    const again = askApprovals(snapshot, plan.operationIds, { book, nowMs });
    const refusing = { ...yes, decision: "refuse" } as const;
    const approvals = again.approvals.map((one) =>
      one.n === 1 ? { ...one, answer: refusing } : approved(one),
    );
    expect(approvalState({ ...again, approvals }, plan, nowMs)).toEqual({
      kind: "refused",
      by: "ana",
    });
  });
});
