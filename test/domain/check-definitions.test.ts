// What a team gets wrong in its definitions is told when the app starts: by name and field, with what to do, all at once.
import { describe, expect, test } from "vitest";
import { bookOf } from "../../shared/domain/book-of.ts";
import type { Contract } from "../../shared/domain/contract.ts";
import type { Action, Parts, Provider, Workflow } from "../../shared/domain/definitions.ts";
import { TerminalFault } from "../../shared/domain/faults.ts";
import { book, keyContract } from "./situations.ts";

const known = {
  workflow: book.workflow("test-flow"),
  action: book.action("keyed.first.v1"),
  provider: book.provider("keyed"),
};

function parts(
  change: {
    workflow?: Partial<Workflow>;
    action?: Partial<Action>;
    provider?: Partial<Provider>;
  } = {},
): Parts {
  const { action, provider, workflow } = known;
  if (workflow === undefined || action === undefined || provider === undefined) {
    throw new Error("the book has changed");
  }
  return {
    workflows: [{ ...workflow, ...change.workflow }],
    actions: [{ ...action, ...change.action }],
    providers: [{ ...provider, ...change.provider }],
  };
}

function keyed(change: Partial<NonNullable<Contract["idempotency"]>>): { contract: Contract } {
  const { idempotency, ...rest } = keyContract;
  if (idempotency === undefined) throw new Error("no key");
  return { contract: { ...rest, idempotency: { ...idempotency, ...change } } };
}

function whyRefused(wrong: Parts): string {
  try {
    bookOf(wrong);
  } catch (error) {
    if (error instanceof TerminalFault) return error.message;
    throw error;
  }
  return "nothing is wrong";
}

test("definitions that fit each other are taken", () => {
  expect(whyRefused(parts())).toBe("nothing is wrong");
});

describe("refused at start-up, by name and field, is", () => {
  test.each<[string, Parts, string]>([
    [
      "an action without a version in its name",
      parts({ action: { name: "refundPayment" } }),
      "action refundPayment: name must be a system, what is done there and a version, like payments.refund.v1",
    ],
    [
      "an action of a provider that nobody registered",
      parts({ action: { provider: "keyd" } }),
      "action keyed.first.v1: provider keyd is not registered; registered are: keyed",
    ],
    [
      "an action that does not say what doing it twice means",
      parts({ action: { consequence: " " } }),
      "action keyed.first.v1: consequence is empty",
    ],
    [
      "an action whose questions expire at once",
      parts({ action: { approvalMs: 0 } }),
      "action keyed.first.v1: approvalMs must be above 0",
    ],
    [
      "a contract that keeps a key no longer than its own margin",
      parts({ provider: keyed({ retentionMs: 900_000 }) }),
      "provider keyed: contract.idempotency.retentionMs (900000) must be longer than marginMs (900000)",
    ],
    [
      "a contract with a margin smaller than one call and its horizon",
      parts({ provider: keyed({ marginMs: 71_999 }) }),
      "provider keyed: contract.idempotency.marginMs must be at least 72000 (callTimeoutMs + horizonMs + 2 s)",
    ],
    [
      "a contract whose alphabet is none",
      parts({ provider: keyed({ keyAlphabet: "z-a" }) }),
      "provider keyed: contract.idempotency.keyAlphabet [z-a] is no class of characters",
    ],
    [
      "a contract with a field of the wrong kind",
      parts({ provider: { contract: { ...keyContract, callTimeoutMs: -1 } } }),
      "provider keyed: contract.callTimeoutMs: ",
    ],
    [
      "a contract that promises a look-up which is not there",
      parts({
        provider: {
          contract: {
            ...keyContract,
            lookup: { by: "operationId", consistency: "strong", settleMs: 0 },
          },
        },
      }),
      "provider keyed: contract.lookup promises a look-up; give the provider a lookup(...)",
    ],
    [
      "a look-up of which the contract says nothing",
      parts({ provider: { lookup: () => Promise.resolve({ kind: "absent" }) } }),
      "provider keyed: lookup(...) is there, and contract.lookup does not say what it can prove",
    ],
    [
      "a workflow that begins in a status that it does not have",
      parts({ workflow: { initialStatus: "opened" } }),
      "workflow test-flow: initialStatus opened is none of its statuses: open, done",
    ],
    [
      "a workflow that begins at its end",
      parts({ workflow: { initialStatus: "done" } }),
      "workflow test-flow: initialStatus done is final",
    ],
    [
      "a workflow that nothing opens",
      parts({ workflow: { events: {} } }),
      "workflow test-flow: events is empty",
    ],
    [
      "a workflow whose type fits in no setting",
      parts({ workflow: { type: "Refund Request" } }),
      "workflow Refund Request: type must be of a-z, 0-9 and -, like refund-request",
    ],
    [
      "a workflow that asks for what is not registered",
      parts({ workflow: { actions: ["keyed.frist.v1"] } }),
      "workflow test-flow: actions names keyed.frist.v1, which is not registered; registered are: keyed.first.v1",
    ],
    [
      "an approval of an action that is not there",
      { ...parts(), approvals: { acme: ["keyed.frist.v1"] } },
      "setting APPROVALS: no action keyed.frist.v1 is registered",
    ],
  ])("%s", (_what, wrong, says) => {
    expect(whyRefused(wrong)).toContain(says);
  });

  test("each name that is registered twice", () => {
    const { actions, providers, workflows } = parts();
    const twice = {
      workflows: [...workflows, ...workflows],
      actions: [...actions, ...actions],
      providers: [...providers, ...providers],
    };
    const says = whyRefused(twice);
    for (const name of ["workflow test-flow", "action keyed.first.v1", "provider keyed"]) {
      expect(says).toContain(`${name} is registered twice`);
    }
  });

  test("everything that is wrong, in one message", () => {
    const says = whyRefused(
      parts({
        action: { provider: "keyd" },
        provider: keyed({ retentionMs: 1000, marginMs: 10 }),
        workflow: { revision: 0 },
      }),
    );
    expect(says.split("; ").length).toBeGreaterThanOrEqual(4);
    expect(says).toMatch(/provider keyd.*test-flow: revision must be a whole number, 1 or more/s);
  });
});
