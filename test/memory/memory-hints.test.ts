// The hint queue in memory keeps the rules of Service Bus that the flows rest on.
import { beforeEach, describe, expect, test } from "vitest";
import type { CaseKey } from "../../shared/domain/identity.ts";
import type { Hint } from "../../shared/stores/ports.ts";
import { memoryHints, type MemoryHints } from "./memory-hints.ts";

let nowMs: number;
let hints: MemoryHints;
beforeEach(() => {
  nowMs = 1_800_000_000_000;
  hints = memoryHints({ nowMs: () => nowMs });
});

const one: CaseKey = { tenantId: "tenant-1", caseId: "a".repeat(26) };
const two: CaseKey = { tenantId: "tenant-1", caseId: "b".repeat(26) };
const hint = (key: CaseKey, hintId: string): Hint => ({ ...key, hintId, reason: "event" });

describe("hints in memory", () => {
  test("of one case come one at a time and in order, while another case goes on", async () => {
    for (const sent of [hint(one, "1"), hint(one, "2"), hint(two, "3")]) {
      await hints.send("cases", sent);
    }
    const first = hints.receive("cases");
    const other = hints.receive("cases");
    expect([first?.hint.hintId, other?.hint.hintId]).toEqual(["1", "3"]);
    expect(hints.receive("cases")).toBeUndefined();
    first?.complete();
    expect(hints.receive("cases")?.hint.hintId).toBe("2");
    expect(hints.receive("reviews")).toBeUndefined();
  });

  test("under one id arrive once within ten minutes, scheduled or not", async () => {
    await hints.schedule("cases", hint(one, "1"), nowMs + 1000);
    await hints.send("cases", hint(one, "1"));
    expect(hints.receive("cases")).toBeUndefined();
    expect(hints.nextActiveAtMs("cases")).toBe(nowMs + 1000);
    nowMs += 1000;
    hints.receive("cases")?.complete();
    nowMs += 10 * 60_000;
    await hints.send("cases", hint(one, "1"));
    expect(hints.receive("cases")?.hint.hintId).toBe("1");
  });

  test("that are given back ten times are dead letters, and let the next through", async () => {
    await hints.send("cases", hint(one, "1"));
    await hints.send("cases", hint(one, "2"));
    for (let delivery = 1; delivery <= 10; delivery += 1) {
      const out = hints.receive("cases");
      expect(out).toMatchObject({ hint: { hintId: "1" }, deliveryCount: delivery });
      out?.abandon();
    }
    expect(hints.deadLetters("cases").map(({ hintId }) => hintId)).toEqual(["1"]);
    expect(hints.receive("cases")?.hint.hintId).toBe("2");
  });

  test("that could not be sent leave nothing, and may be sent again under their id", async () => {
    hints.beforeSend = () => {
      throw new Error("no broker");
    };
    await expect(hints.send("cases", hint(one, "1"))).rejects.toThrow("no broker");
    hints.beforeSend = undefined;
    await hints.send("cases", hint(one, "1"));
    expect(hints.waiting("cases")).toEqual([{ hint: hint(one, "1"), activeAtMs: nowMs }]);
  });

  test("settled late by a worker that lost them change nothing", async () => {
    await hints.send("cases", hint(one, "1"));
    const lost = hints.receive("cases");
    lost?.abandon();
    const held = hints.receive("cases");
    lost?.complete();
    expect(hints.waiting("cases")).toHaveLength(1);
    expect(hints.receive("cases")).toBeUndefined();
    held?.complete();
    expect(hints.waiting("cases")).toEqual([]);
  });
});
