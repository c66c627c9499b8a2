// What a careful clerk would do when an onboarding ends: close, welcome, tell; and when it is not clear, nothing.
import { describe, expect, test } from "vitest";
import type {
  DecideContext,
  DecideView,
  Decision,
  EffectView,
} from "../../shared/domain/definitions.ts";
import { customerOnboarding } from "../../shared/workflows/customer-onboarding/customer-onboarding.ts";

/** The rules ask nobody. */
const noContext: DecideContext = {
  memo: (_name, _schema, compute) => compute(),
  signal: new AbortController().signal,
};

const completed = {
  crmCase: "CRM-318",
  customer: "Contoso",
  outcome: "completed",
  accountOwnerEmail: "ines@acme.example",
};

async function decide(
  facts: DecideView["facts"] = completed,
  effects: EffectView[] = [],
): Promise<Decision> {
  return customerOnboarding.decide({ facts, status: "open", version: 1, effects }, noContext);
}

describe("an onboarding that was completed", () => {
  test("closes the CRM case, then makes the welcome task, and tells its owner of the commit", async () => {
    const decision = await decide();
    if (decision.kind !== "plan") throw new Error(decision.kind);
    expect(decision.actions.map(({ action, target }) => [action, target])).toEqual([
      ["crm.close_case.v1", "CRM-318"],
      ["tasks.create_welcome_task.v1", "Contoso"],
    ]);
    expect(decision.nextStatus).toBe("closed");
    expect(decision.notifications).toMatchObject([{ target: "ines@acme.example" }]);
  });

  test("welcomes nobody who declined", async () => {
    const decision = await decide({ ...completed, outcome: "declined" });
    expect(decision).toMatchObject({ actions: [{ action: "crm.close_case.v1" }] });
  });
});

describe("an onboarding that is not clear", () => {
  test("waits while only its reopening is known, or while it is reopened", async () => {
    expect((await decide({ crmCase: "CRM-318" })).kind).toBe("wait");
    expect((await decide({ ...completed, reopened: true })).kind).toBe("wait");
  });

  test.each([
    ["confirmed", "hold"],
    ["rejected", "hold"],
    ["unknown", "hold"],
    ["cancelled", "plan"],
  ] as const)("with an earlier close that is %s is a %s", async (status, kind) => {
    const earlier: EffectView = {
      operationId: "o",
      action: "crm.close_case.v1",
      target: "CRM-318",
      payload: {},
      status,
      origin: "plan",
    };
    expect((await decide(completed, [earlier])).kind).toBe(kind);
  });
});

test("a plan that a person just refused is not asked for again: the case is held", () => {
  const view = { facts: completed, status: "open", version: 2, effects: [], refusedBy: "p-1" };
  expect(customerOnboarding.decide(view, noContext)).toMatchObject({
    kind: "hold",
    why: expect.stringContaining("p-1 refused"),
  });
});
