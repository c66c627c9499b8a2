// The business of a simulated case: a plan over systems of each kind, then the people who must be told.
//
//   rest    asks only for what no earlier effect may have done, as a decider should
//   again   asks for everything each time: the protocol must hold it, not trust it
import { z } from "zod";
import {
  bookOf,
  defineAction,
  type Book,
  type Decision,
  type DecideView,
  type Provider,
  type Workflow,
} from "../../shared/domain/definitions.ts";
import { contractKinds, type ContractKind } from "./contracts.ts";

export type Decider = "rest" | "again";

export interface Business {
  /** The contracts of the plan's effects, in their order. */
  plan: readonly ContractKind[];
  notify: readonly ContractKind[];
  decider: Decider;
}

export const workflowType = "simulated";
const payload = z.record(z.string(), z.unknown());

export const actionOf = (kind: ContractKind, n: number) => `${kind}.step${n}.v1`;
export const tellOf = (kind: ContractKind) => `${kind}.tell.v1`;
export const stepsMax = 3;

export const actionNames = contractKinds.flatMap((kind) => [
  ...Array.from({ length: stepsMax }, (_, n) => actionOf(kind, n)),
  tellOf(kind),
]);

const actions = actionNames.map((name) =>
  defineAction({
    name,
    provider: name.split(".")[0] ?? "",
    payload,
    consequence: "It would be done twice.",
    autonomy: "auto",
  }),
);

const facts = z.record(z.string(), z.json());

export function simulatedBook(options: {
  business(caseId: string): Business;
  providers: readonly Provider[];
  revision: number;
  decided(caseId: string, version: number, decision: Decision): void;
}): Book {
  const workflow: Workflow = {
    type: workflowType,
    revision: options.revision,
    facts,
    initialStatus: "open",
    statuses: { open: { final: false }, done: { final: true } },
    events: { told: payload },
    externalRefOf: () => "R-1",
    fold: (facts, event, { older }) => {
      const told = event.body as Record<string, never>;
      return older ? { ...told, ...facts } : { ...facts, ...told };
    },
    decide(view) {
      const caseId = textOf(view, "caseId");
      const decision = decisionOf(options.business(caseId), view);
      options.decided(caseId, view.version, decision);
      return decision;
    },
  };
  return bookOf({ workflows: [workflow], actions, providers: options.providers });
}

function decisionOf({ decider, notify, plan }: Business, view: DecideView): Decision {
  const target = `T-${textOf(view, "caseId")}`;
  const wishes = plan.map((kind, n) => ({
    action: actionOf(kind, n),
    target,
    payload: { step: n, amount: `${textOf(view, "amount")}.00` },
  }));
  const mayHaveDone = new Set(
    view.effects
      .filter(
        ({ contradicted, status }) =>
          contradicted !== undefined || status === "confirmed" || status === "unknown",
      )
      .map(({ action }) => action),
  );
  return {
    kind: "plan",
    why: decider,
    actions: decider === "again" ? wishes : wishes.filter(({ action }) => !mayHaveDone.has(action)),
    nextStatus: "done",
    notifications: notify.map((kind, n) => ({
      action: tellOf(kind),
      target: `owner${n}@example.org`,
      payload: { text: `done at ${view.version}` },
    })),
  };
}

function textOf({ facts }: DecideView, name: string): string {
  const value = facts[name];
  if (typeof value !== "string" && typeof value !== "number") throw new Error(`no ${name}`);
  return String(value);
}
