// The count that decides whether `npm start -- --once` ends with 0: what must not pass, does not.
import { beforeEach, describe, expect, test } from "vitest";
import { countRun, isAsExpected } from "../../../local/start/run/count-run.ts";
import type { RunResult } from "../../../local/start/run/count-run.ts";
import { caseIdOf, perfectRun, storeRequest } from "./perfect-run.ts";
import type { Facts } from "./perfect-run.ts";

const plain = { name: "acme-contoso-price" };
const note = "portal.request_credit_note.v1";

let facts: Facts;
beforeEach(async () => {
  facts = await perfectRun();
});

function count(): { result: RunResult; reasons: string[] } {
  return countRun(facts);
}

function entryOf(event: string, target: string, action = note) {
  const entry = facts.journal.find(
    (one) => one.event === event && one.target === target && one.action === action,
  );
  if (entry === undefined) throw new Error(`no ${event} for ${target}`);
  return entry;
}

function viewOf(name: string) {
  const view = facts.views.get(name);
  if (view === undefined) throw new Error(`no case of ${name}`);
  return view;
}

describe("a run in which everything came as expected", () => {
  test("counts nothing twice, nothing lost, nothing unexpected", () => {
    const { result, reasons } = count();
    expect(reasons).toEqual([]);
    expect(isAsExpected(result)).toBe(true);
    expect(result).toMatchObject({
      cases: facts.samples.length,
      committed: 44,
      inReview: 10,
      effects: { confirmed: 110, rejected: 1, unknown: 6, cancelled: 1 },
      duplicateDeliveries: 9,
      kills: Array.from({ length: 4 }, () => ({ signal: "SIGKILL" })),
    });
  });

  test("is told in exactly the agreed keys, in their order", () => {
    expect(Object.keys(count().result)).toEqual([
      "cases",
      "committed",
      "inReview",
      "effects",
      "deliveries",
      "duplicateDeliveries",
      "appliedTwice",
      "lost",
      "unexpected",
      "writesPerCase",
      "readsPerCase",
      "kills",
    ]);
  });
});

describe("what the world was done to", () => {
  test("a second credit note under another key is applied twice", () => {
    facts.journal.push({ ...entryOf("applied", "INV-20931"), n: 9_999, requestId: "another" });
    expect(count().result.appliedTwice).toBe(1);
    expect(isAsExpected(count().result)).toBe(false);
  });

  test("a credit note that never was is lost", () => {
    facts.journal = facts.journal.filter((entry) => entry !== entryOf("applied", "INV-20978"));
    expect(count().result.lost).toBe(1);
    expect(isAsExpected(count().result)).toBe(false);
  });

  test("a repeat that the provider absorbed is unexpected where nothing went wrong", () => {
    facts.journal.push({ ...entryOf("received", "INV-20931"), n: 9_999, requestId: "another" });
    const { result, reasons } = count();
    expect(result).toMatchObject({ appliedTwice: 0, unexpected: 1 });
    expect(reasons).toEqual([
      `acme-contoso-price: ${note} for INV-20931 was sent 2 times instead of 1`,
    ]);
  });

  test("an effect that was not retried is unexpected where the answer was dropped", () => {
    facts.journal = facts.journal.filter(
      ({ requestId }) => requestId !== `op-acme-adatum-answer-dropped-${note}-1`,
    );
    expect(count().result.unexpected).toBe(1);
  });

  test("another amount is unexpected, another spelling of the same is not", () => {
    entryOf("applied", "INV-20931").body = { amount: "50.0" };
    expect(count().reasons).toEqual([]);
    entryOf("applied", "INV-20931").body = { amount: "50.01" };
    expect(count().result.unexpected).toBe(1);
  });

  test("another state of the invoice is unexpected", () => {
    entryOf("applied", "INV-20957", "portal.mark_invoice.v1").body = { state: "approved" };
    expect(count().result.unexpected).toBe(1);
  });

  test("an effect that nobody expected is unexpected", () => {
    facts.journal.push({ ...entryOf("received", "INV-20931"), n: 9_999, target: "INV-2093" });
    expect(count().reasons).toEqual([`["acme","${note}","INV-2093"]: nobody expected this`]);
  });

  test("an effect of an earlier run on the same state is not counted", () => {
    facts.journal.push({ ...entryOf("received", "INV-20931"), n: 9_999, target: "INV-1-R2" });
    facts.isOfEarlierRun = (target) => target === "INV-1-R2";
    expect(count().reasons).toEqual([]);
  });

  test("a refused effect that was applied all the same is unexpected", () => {
    const refused = entryOf("received", "INV-20996");
    facts.journal.push({ ...refused, n: 9_999, event: "applied" });
    expect(count().reasons.join()).toContain("INV-20996 was applied and must not be");
  });
});

describe("what the app says", () => {
  test("a system that sends everything to review does not pass", () => {
    for (const view of facts.views.values()) {
      view.reviews = [{}];
      for (const effect of view.effects) effect.status = "unknown";
    }
    const { result } = count();
    expect(result.unexpected).toBeGreaterThan(facts.samples.length);
  });

  test("a confirmation without a deed is unexpected, even with the right counts", () => {
    facts.journal = facts.journal.map((entry) =>
      entry.target === "INV-20931" && entry.account === "acme" && entry.action === note
        ? { ...entry, operation: "op-of-another-case" }
        : entry,
    );
    expect(count().reasons).toEqual([
      `acme-contoso-price: ${note} is called confirmed and was never applied`,
      `acme-contoso-price: ${note} was applied under an operation it has not`,
    ]);
  });

  test.each([
    ["another status", (name: string) => (viewOf(name).case.status = "approved")],
    ["an effect still open", (name: string) => viewOf(name).effects.push(openEffect)],
    ["a review that is open", (name: string) => (viewOf(name).reviews = [{}])],
    ["a case that is held", (name: string) => (viewOf(name).case.held = { reason: "NoProgress" })],
    ["no case at all", (name: string) => facts.views.delete(name)],
  ])("%s is unexpected", (_what, spoil) => {
    spoil(plain.name);
    expect(count().result.unexpected).toBeGreaterThan(0);
  });

  test("a delivery that was not taken is unexpected, with what was answered", () => {
    facts.posts[0] = { ...plainPost(), status: 503, body: "try later" };
    expect(count().reasons).toEqual([
      "acme-contoso-price: delivery dlv-20931-1 was answered 503 (try later)",
    ]);
  });
});

describe("a delivery that was posted more than once", () => {
  test("and taken as new twice is unexpected", () => {
    facts.posts = facts.posts.map((post) =>
      post.sample === "acme-wide-world-five-at-once"
        ? { ...post, body: JSON.stringify({ duplicate: false }) }
        : post,
    );
    expect(count().reasons).toEqual([
      "acme-wide-world-five-at-once: delivery dlv-20971-1 was taken as new 5 times",
    ]);
  });
});

describe("what it cost", () => {
  test("one batch more than effects and one is unexpected without faults", () => {
    facts.requests.push(storeRequest(plain, "batch"));
    expect(count().reasons).toEqual(["acme-contoso-price: made 5 batches instead of 4"]);
  });

  test("one batch more is no surprise where a fault was ordered", () => {
    facts.requests.push(storeRequest({ name: "acme-adatum-answer-dropped" }, "batch"));
    expect(count().reasons).toEqual([]);
  });

  test("a write outside the batches is unexpected without faults", () => {
    facts.requests.push(storeRequest(plain, "upsert"));
    expect(count().result.unexpected).toBe(1);
  });

  test("the refused copy of an event is no write", () => {
    facts.requests.push(storeRequest(plain, "create", { status: 409 }));
    expect(count().reasons).toEqual([]);
  });

  test("our own reads of a case are not the app's", () => {
    const before = count().result.readsPerCase;
    facts.ownReads.push({ caseId: caseIdOf(plain), fromMs: 2_000, toMs: 2_010 });
    facts.requests.push(storeRequest(plain, "query", { atMs: 2_005 }));
    expect(count().result.readsPerCase).toBe(before);
    facts.requests.push(
      ...Array.from({ length: facts.samples.length }, () =>
        storeRequest(plain, "query", { atMs: 2_500 }),
      ),
    );
    expect(count().result.readsPerCase).toBe(before + 1);
  });
});

describe("the kills", () => {
  test("a worker that ended by itself is unexpected", () => {
    facts.workerExits.push({ pid: 7, code: 1, signal: null });
    expect(count().reasons).toEqual(["worker 7 ended by itself (1)"]);
  });

  test("a kill that never came is unexpected", () => {
    facts.kills.pop();
    expect(count().result.unexpected).toBe(2);
  });
});

const openEffect = {
  operationId: "op-open",
  action: "portal.mark_invoice.v1",
  target: "INV-20931",
  status: "prepared",
} as const;

function plainPost() {
  return { sample: plain.name, deliveryId: "dlv-20931-1", status: 202, body: "" };
}
