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
import type { z } from "zod";
import type { DecideView, Decision, Facts, Workflow } from "../../domain/definitions.ts";
import type { Event } from "../../domain/records/inbox.ts";
import { Completed, OnboardingFacts, Reopened } from "./facts.ts";

export const customerOnboarding: Workflow = {
  type: "customer-onboarding",
  revision: 1,
  facts: OnboardingFacts as unknown as z.ZodType<Facts>,
  initialStatus: "open",
  statuses: { open: { final: false }, closed: { final: true } },
  events: {
    "customer.onboarding.completed": Completed,
    "customer.onboarding.reopened": Reopened,
  },
  externalRefOf: (data) => Reopened.parse(data).crmCase,
  fold,
  decide,
};

/** Newer tells over what is known; older fills in only what is still missing. */
function fold(facts: Facts, event: Event, { older }: { older: boolean }): Facts | "ignored" {
  const told = factsOf(event);
  if (told === undefined) return "ignored";
  return older ? { ...told, ...facts } : { ...facts, ...told };
}

function factsOf(event: Event): Facts | undefined {
  const data = event.body["data"];
  switch (event.eventType) {
    case "customer.onboarding.completed":
      return { ...Completed.parse(data), reopened: false };
    case "customer.onboarding.reopened":
      return { ...Reopened.parse(data), reopened: true };
    default:
      return undefined;
  }
}

function decide(view: DecideView): Decision {
  const { accountOwnerEmail, crmCase, customer, outcome, reopened } = OnboardingFacts.parse(
    view.facts,
  );
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
  const welcome = { customer, title: `Welcome ${customer}`.slice(0, 200).toWellFormed() };
  return {
    kind: "plan",
    why: `the onboarding ended: ${outcome}`,
    actions: [
      { action: "crm.close_case.v1", target: crmCase, payload: close },
      // Who declined is not welcomed.
      ...(outcome === "completed"
        ? [{ action: "tasks.create_welcome_task.v1", target: customer, payload: welcome }]
        : []),
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
