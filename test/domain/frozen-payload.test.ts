// A sensitive payload in the ledger: frozen apart, never echoed, needed until its effect has an outcome.
import { describe, expect, test } from "vitest";
import { next } from "../../shared/domain/decisions/next.ts";
import { verdictWithoutEcho, withoutEcho } from "../../shared/domain/frozen-payload.ts";
import { bookOf } from "../../shared/domain/book-of.ts";
import type { Effect } from "../../shared/domain/records/effect.ts";
import { planEffectsMax } from "../../shared/domain/decisions/refused-plan.ts";
import { applyDecision } from "../../shared/domain/transitions/decide.ts";
import { endedPayloads } from "../../shared/domain/transitions/payload-life.ts";
import { commitPlan, endPlan } from "../../shared/domain/transitions/plan.ts";
import {
  bookWith,
  claimedCase,
  firstOf,
  key,
  keysNamed,
  nowMs,
  openedCase,
  planOfTwo,
  receiptFor,
  settled,
} from "./situations.ts";

const sensitive = ["keyed.first.v1", "mail.tell.v1"];
const book = bookWith(undefined, { sensitive });
const planned = () => applyDecision(openedCase(), planOfTwo, { book, nowMs });

describe("a decision with sensitive actions", () => {
  test("freezes their payloads apart, the notifications' too, and keeps a reference and a digest", () => {
    const after = planned();
    expect(after.payloads.map(({ id }) => id)).toEqual([
      firstOf(after).payloadRef,
      after.case?.plan?.notifications[0]?.payloadRef,
    ]);
    expect(firstOf(after)).not.toHaveProperty("payload");
    expect(JSON.stringify([after.effects, after.case])).not.toMatch(/50\.00|"text"/);
    expect(after.effects[1]).toMatchObject({ payload: { state: "marked" } });
  });

  test("has its notification's payload under the very id that the commit gives its effect", () => {
    const committed = commitPlan(planned(), { book });
    const tell = committed.effects.find(({ origin }) => origin === "outbox");
    expect(tell).toMatchObject({
      payloadRef: `payload:${tell?.operationId}`,
      payloadDigest: planned().case?.plan?.notifications[0]?.payloadDigest,
    });
  });

  test("takes no reference and no digest from its decider", () => {
    const [first, second] = planOfTwo.kind === "plan" ? planOfTwo.actions : [];
    const smuggled = { ...second, payloadRef: "payload:other", payloadDigest: "0".repeat(64) };
    const told = { ...smuggled, target: "T-2" };
    const decision = { ...planOfTwo, actions: [first, smuggled], notifications: [told] };
    const after = applyDecision(openedCase(), decision as typeof planOfTwo, { book, nowMs });
    for (const kept of [after.effects[1], after.case?.plan?.notifications[0]]) {
      expect(kept).not.toHaveProperty("payloadRef");
      expect(kept?.payloadDigest).not.toBe("0".repeat(64));
    }
  });

  test("counts each sensitive payload as one more effect, so that its batches fit", () => {
    const tell = { action: "mail.tell.v1", payload: { text: "done" } };
    const decision = (count: number) => ({
      ...planOfTwo,
      actions: [],
      notifications: Array.from({ length: count }, (_, n) => ({
        ...tell,
        target: `a${n}@example.org`,
      })),
    });
    const most = applyDecision(openedCase(), decision(planEffectsMax), { book, nowMs });
    expect(most.payloads).toHaveLength(planEffectsMax);
    const first = { ...tell, action: "keyed.first.v1", target: "T-1" };
    const tooMany = { ...decision(planEffectsMax - 1), actions: [first] };
    const held = applyDecision(openedCase(), tooMany, { book, nowMs });
    expect(held.case?.held?.reason).toBe("DecisionHeld");
    expect(held.payloads).toEqual([]);
  });
});

describe("a payload document", () => {
  const refs = (after = planned()) => after.payloads.map(({ id }) => id);

  test("is needed as long as its effect is open, or its plan may still tell", () => {
    const after = planned();
    expect(endedPayloads(openedCase(), after)).toEqual([]);
    const written = { ...after, payloads: [] };
    expect(endedPayloads(written, claimedCase(written))).toEqual([]);
    const unknown = settled(claimedCase(written), { kind: "noAnswer", reason: "reset" });
    expect(endedPayloads(written, unknown)).toEqual([]);
    const [first, ...others] = unknown.effects;
    const abandoned = {
      ...unknown,
      effects: [{ ...first, abandonedBy: "ana" } as Effect, ...others],
    };
    expect(endedPayloads(written, abandoned)).toEqual([]);
  });

  test("ends with its effect's outcome, and only that one", () => {
    const written = { ...planned(), payloads: [] };
    expect(endedPayloads(written, settled(claimedCase(written), "receipt"))).toEqual([refs()[0]]);
  });

  test("ends with a plan that never tells, even one that was never written", () => {
    const ended = endPlan(planned(), { why: "test", nowMs });
    expect(endedPayloads(openedCase(), ended)).toEqual(refs());
    expect(endedPayloads({ ...planned(), payloads: [] }, { ...ended, payloads: [] })).toEqual(
      refs(),
    );
  });

  test("lives on over the commit that makes an effect of it", () => {
    const written = { ...planned(), payloads: [] };
    expect(endedPayloads(written, commitPlan(written, { book }))).toEqual([]);
  });
});

test("an unknown effect whose payload is withheld is not looked up in this turn", () => {
  const strong = { by: "operationId", consistency: "strong", settleMs: 0 } as const;
  const provider = book.provider("keyed");
  if (provider === undefined) throw new Error("no provider");
  const { idempotency: _none, ...contract } = provider.contract;
  const looking = {
    ...provider,
    contract: { ...contract, lookup: strong },
    lookup: () => Promise.reject(new Error("nothing is called here")),
  };
  const [workflow, action] = [book.workflow("test-flow"), book.action("keyed.first.v1")];
  const parts = { workflows: [workflow ?? []].flat(), actions: [action ?? []].flat() };
  const books = bookOf({ ...parts, providers: [looking], payloadKeys: keysNamed("k1") });
  const unknown = settled(claimedCase(planned()), { kind: "noAnswer", reason: "reset" });
  const { operationId } = firstOf(unknown);
  expect(next(unknown, books, { nowMs })).toEqual({ kind: "lookUp", operationId });
  const withheld = new Set([operationId]);
  expect(next(unknown, books, { nowMs, withheld })).toEqual({ kind: "idle" });
});

describe("what a provider says of a sensitive effect", () => {
  const payload = { to: "ana@example.org", lines: [{ text: "line 4711" }], n: "no" };
  const effect = firstOf(planned());
  const plain = { ...effect, payload, payloadRef: undefined } as unknown as Effect;
  const echo = {
    kind: "refused",
    reason: "ana@example.org: no line 4711",
    speaksForOperation: false,
  };

  test("is kept without what it repeats of the payload", () => {
    expect(withoutEcho(effect, payload, echo as never)).toMatchObject({
      reason: "[withheld]: no [withheld]",
    });
    const receipt = { ...receiptFor(effect), content: { to: "ana@example.org" } };
    const kept = withoutEcho(effect, payload, { kind: "receipt", receipt });
    expect(kept).toEqual({ kind: "receipt", receipt: { ...receipt, content: {} } });
    const found = verdictWithoutEcho(effect, payload, { kind: "found", receipt });
    expect(found).toEqual({ kind: "found", receipt: { ...receipt, content: {} } });
    const unclear = { kind: "inconclusive", reason: "200 for ana@example.org" } as const;
    expect(verdictWithoutEcho(effect, payload, unclear)).toMatchObject({
      reason: "200 for [withheld]",
    });
  });

  const letter = "Dear Ana Example,\nyour passport P-4711 has been turned down. Please call us.";

  test.each([
    [
      "cut off in the middle",
      "422 bad text: Dear Ana Example, your pass",
      "422 bad text: [withheld]",
    ],
    ["on one line", `no: ${letter.replace("\n", " ")}`, "no: [withheld]"],
    ["in another case", "400 ANA@EXAMPLE.ORG is no address", "400 [withheld] is no address"],
    ["in part", "400 for passport P-4711", "400 fo[withheld]"],
    ["as a number", "403 account 12345678", "403 account [withheld]"],
    ["of nothing of it", "422 the recipient is blocked", "422 the recipient is blocked"],
  ])("is kept without what it repeats %s", (_how, reason, kept) => {
    const mail = { to: "ana@example.org", text: letter, account: 12_345_678 };
    const answer = { kind: "refused", reason, speaksForOperation: false } as const;
    expect(withoutEcho(effect, mail, answer)).toMatchObject({ reason: kept });
  });

  test("with another payload stays unbound, and its unkeyed digest is not kept", () => {
    const receipt = receiptFor(effect);
    const other = { ...receipt, boundTo: { ...receipt.boundTo, payloadDigest: "f".repeat(64) } };
    const kept = withoutEcho(effect, payload, { kind: "receipt", receipt: other });
    expect(kept).toMatchObject({ receipt: { boundTo: { payloadDigest: "another payload" } } });
  });

  test("is kept whole where the payload is no secret", () => {
    expect(withoutEcho(plain, payload, echo as never)).toEqual(echo);
  });
});

test("its documents are bound to the case that froze them", () => {
  const [document] = planned().payloads;
  if (document === undefined) throw new Error("no payload");
  expect(document).toMatchObject({ ...key, operationId: firstOf(planned()).operationId });
  expect(keysNamed("k1").open(document, document).kind).toBe("opened");
  expect(keysNamed("k1").open({ ...document, caseId: "b".repeat(26) }, document).kind).toBe(
    "closed",
  );
});
