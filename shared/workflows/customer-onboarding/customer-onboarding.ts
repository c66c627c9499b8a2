// The second article's own case: an onboarding has ended; close its case in the CRM, have the customer welcomed, and
// tell the account owner.
//
// The close and the task are one plan, in this order; the email is an outbox effect of the commit, because it tells
// of what has happened, whatever comes after. Each recovers by its own provider's contract.
//
//   open -> closed     the CRM case is closed, the welcome task made if it was completed, the owner told
//
// Reopened: the machine neither reopens nor closes again. That is another side effect with its own rules, so before the
// close it waits for a new completion, and after it a person looks.
import { defineWorkflow } from "../../domain/define-workflow.ts";
import type { DecideView, Decision } from "../../domain/definitions.ts";
import { Completed, OnboardingFacts, Reopened } from "./facts.ts";

const actions = [
  "crm.close_case.v1",
  "tasks.create_welcome_task.v1",
  "email.send_notification.v1",
] as const;

export const customerOnboarding = defineWorkflow({
  type: "customer-onboarding",
  revision: 1,
  facts: OnboardingFacts,
  actions,
  initialStatus: "open",
  statuses: { open: { final: false }, closed: { final: true } },
  events: {
    "customer.onboarding.completed": Completed,
    "customer.onboarding.reopened": Reopened,
  },
  externalRefOf: ({ crmCase }) => crmCase,
  /** Newer tells over what is known; older fills in only what is still missing. */
  fold(facts, { data, type }, { older }) {
    const told = { ...data, reopened: type === "customer.onboarding.reopened" };
    return older ? { ...told, ...facts } : { ...facts, ...told };
  },
  decide,
});

function decide(
  view: DecideView<OnboardingFacts>,
): Decision<"open" | "closed", (typeof actions)[number]> {
  const { accountOwnerEmail, crmCase, customer, outcome, reopened } = view.facts;
  const earlier = view.effects.find(
    ({ origin, status }) => origin === "plan" && status !== "cancelled",
  );
  if (earlier !== undefined) {
    return { kind: "hold", why: `${earlier.action} is ${earlier.status} already` };
  }
  if (view.refusedBy !== undefined) {
    return { kind: "hold", why: `${view.refusedBy} refused what follows a completion` };
  }
  if (reopened === true) return { kind: "wait", why: "it was reopened and is not completed again" };
  if (customer === undefined || outcome === undefined || accountOwnerEmail === undefined) {
    return { kind: "wait", why: "its completion has not arrived yet" };
  }
  const close = { case: crmCase, outcome };
  const title = `Welcome ${customer}`.slice(0, 200).toWellFormed();
  const action = "tasks.create_welcome_task.v1";
  const welcome = { action, target: customer, payload: { customer, title } } as const;
  return {
    kind: "plan",
    why: `the onboarding ended: ${outcome}`,
    actions: [
      { action: "crm.close_case.v1", target: crmCase, payload: close },
      // Who declined is not welcomed.
      ...(outcome === "completed" ? [welcome] : []),
    ],
    nextStatus: "closed",
    notifications: [
      {
        action: "email.send_notification.v1",
        target: accountOwnerEmail,
        payload: {
          to: accountOwnerEmail,
          subject: `Onboarding case ${crmCase} is closed`,
          text: `We closed ${crmCase} for ${customer} as ${outcome}.`,
        },
      },
    ],
  };
}
