// What may be frozen as a payload: exactly JSON, or the decision is held and says where (cases.md 61).
import { describe, expect, test } from "vitest";
import { applyDecision } from "../../shared/domain/transitions/decide.ts";
import { book, nowMs, openedCase, planOfTwo } from "./situations.ts";

const place = "the payload of keyed.first.v1";

describe("a decision whose payload is not exactly JSON", () => {
  test.each<[string, unknown, string]>([
    ["a Date", new Date(0), `${place}.a is a Date`],
    ["a Map", new Map([["k", 1]]), `${place}.a is a Map`],
    ["NaN", Number.NaN, `${place}.a is NaN`],
    ["undefined", undefined, `${place}.a is undefined`],
    ["an unsafe integer", 2 ** 53, `${place}.a is an integer beyond`],
    ["__proto__", JSON.parse('{"__proto__":1}'), `${place}.a has a key named __proto__`],
  ])("(%s) is held with its path, and nothing of it is prepared", (_what, value, why) => {
    const request = { action: "keyed.first.v1", target: "T-1", payload: { a: value } };
    for (const part of ["actions", "notifications"]) {
      const decision = { ...planOfTwo, [part]: [request] };
      const after = applyDecision(openedCase(), decision, { book, nowMs });
      expect(after.case?.held).toMatchObject({
        reason: "DecisionHeld",
        detail: expect.stringContaining(why),
      });
      expect(after.effects).toEqual([]);
    }
  });
});
