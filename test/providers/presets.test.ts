// What each published contract would have `recover` do once an answer is lost: never more than its provider promises.
import { describe, expect, test } from "vitest";
import { answerOf } from "../../shared/providers/answer-of.ts";
import { assertFitsTurn, whyUnsafe, type Contract } from "../../shared/domain/contract.ts";
import { recover, type Recovery } from "../../shared/domain/decisions/recover.ts";
import type { AttemptEnd, EffectOf } from "../../shared/domain/records/effect.ts";
import { checkoutCom } from "../../shared/providers/presets/checkout-com.ts";
import { hubspotCrm } from "../../shared/providers/presets/hubspot-crm.ts";
import { microsoftGraphMail } from "../../shared/providers/presets/microsoft-graph-mail.ts";
import { sendgridV3 } from "../../shared/providers/presets/sendgrid-v3.ts";
import { square } from "../../shared/providers/presets/square.ts";
import { stripeV1 } from "../../shared/providers/presets/stripe-v1.ts";
import { claimedCase, firstOf, nowMs, settled } from "../domain/situations.ts";

const presets = { stripeV1, square, checkoutCom, sendgridV3, microsoftGraphMail, hubspotCrm };
const hourMs = 3_600_000;

function afterLostAnswer(
  contract: Contract,
  options: { ageMs?: number; end?: AttemptEnd | undefined; absent?: boolean } = {},
): Recovery {
  const effect = firstOf(settled(claimedCase(), { kind: "noAnswer", reason: "reset" }));
  if (effect.status !== "unknown") throw new Error(effect.status);
  const { notBeforeMs: _passed, ...rest } = effect;
  const { ageMs = 60_000, end } = options;
  const attempts = effect.attempts.map((attempt) =>
    end === undefined ? attempt : { ...attempt, end },
  );
  const atMs = nowMs + ageMs;
  const lookups: EffectOf<"unknown">["lookups"] = {
    count: 3,
    lastStartedAtMs: atMs,
    absentStartedAtMs: atMs,
    absentUnder: {
      account: effect.account,
      apiVersion: effect.apiVersion,
      contractRevision: contract.revision,
    },
    notBeforeMs: 0,
  };
  return recover({
    effect: {
      ...rest,
      contractRevision: contract.revision,
      attempts,
      ...(options.absent === true ? { lookups } : {}),
    },
    contract,
    account: effect.account,
    apiVersion: effect.apiVersion,
    current: true,
    nowMs: atMs,
  });
}

/** What comes after an attempt that was heard of like that. */
function afterAnswer(
  contract: Contract,
  status: number,
  body?: object,
  replayed = false,
): Recovery["kind"] {
  const told = { requestId: undefined, retryAfterMs: undefined, replayed };
  const answer = answerOf({ kind: "answered", status, body, ...told }, contract, () => {
    throw new Error("no success");
  });
  const effect = firstOf(settled(claimedCase(), answer));
  return afterLostAnswer(contract, { end: effect.attempts.at(-1)?.end }).kind;
}

test.each(Object.entries(presets))(
  "%s has numbers that allow no unsafe retry",
  (_name, contract) => {
    expect(whyUnsafe(contract)).toEqual([]);
    expect(contract.answers?.refusals ?? []).toEqual([]);
  },
);

test("a turn that no call of a provider fits into is refused at start-up, naming the setting", () => {
  expect(() => assertFitsTurn(90_000, "stripe", stripeV1)).toThrow(/TURN_BUDGET_MS.*160000/);
  expect(() => assertFitsTurn(160_000, "stripe", stripeV1)).not.toThrow();
});

describe("after a lost answer", () => {
  test.each([
    ["stripeV1", stripeV1],
    ["checkoutCom", checkoutCom],
  ])("%s is asked again under its key for 23 hours, and then a person is", (_name, contract) => {
    expect(afterLostAnswer(contract).kind).toBe("retry");
    expect(afterLostAnswer(contract, { ageMs: 23 * hourMs }).kind).toBe("retry");
    expect(afterLostAnswer(contract, { ageMs: 23 * hourMs + 1 }).kind).toBe("review");
  });

  test("Stripe is not asked again once it says that the key came with other parameters", () => {
    const body = { error: { type: "idempotency_error" } };
    expect(afterAnswer(stripeV1, 400, body)).toBe("review");
    // Another request runs under the key.
    expect(afterAnswer(stripeV1, 409, body)).toBe("retry");
  });

  test.each([400, 402, 422, 500, 502, 503, 504])(
    "Checkout.com is not asked again once it has said %i: it keeps no error, and does it anew",
    (status) => {
      expect(afterAnswer(checkoutCom, status)).toBe("review");
      expect(afterAnswer(checkoutCom, status, { error_type: "processing_error" })).toBe("review");
    },
  );

  test.each([409, 429])(
    "Checkout.com is asked again when it says %i: that very request was not carried out",
    (status) => {
      expect(afterAnswer(checkoutCom, status)).toBe("retry");
    },
  );

  test.each([401, 403, 404, 409, 429, 500, 503])(
    "an error %i of whoever does not say what its errors mean proves nothing, and is no reason to send again",
    (status) => {
      // Senders report messages that went out under a 429 or a 503 of Graph.
      expect(afterAnswer(microsoftGraphMail, status, { code: "x" })).toBe("lookUp");
      expect(afterAnswer(hubspotCrm, status, { category: "CONFLICT" })).toBe("lookUp");
      expect(afterAnswer(sendgridV3, status, { code: "x" })).toBe("review");
      expect(afterAnswer(square, status, { code: "x" })).toBe("review");
    },
  );

  test("Stripe is not asked again once it repeats a stored error", () => {
    expect(afterAnswer(stripeV1, 500, {}, true)).toBe("review");
  });

  test.each([
    ["square", square],
    ["sendgridV3", sendgridV3],
  ])("%s goes to a person at once", (_name, contract) => {
    expect(afterLostAnswer(contract, { ageMs: 0 }).kind).toBe("review");
  });

  test.each([
    ["microsoftGraphMail", microsoftGraphMail],
    ["hubspotCrm", hubspotCrm],
  ])("%s is searched, and what it never shows goes to a person", (_name, contract) => {
    expect(afterLostAnswer(contract).kind).toBe("lookUp");
    expect(afterLostAnswer(contract, { ageMs: 10 * hourMs, absent: true }).kind).toBe("review");
  });
});
