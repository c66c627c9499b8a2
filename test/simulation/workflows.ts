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
import { canonicalJson, digestOf } from "../../shared/domain/canonical-json.ts";
import { payloadKeys, sealingKeyBytes } from "../../shared/domain/payload-keys.ts";
import { contractKinds, type ContractKind } from "./contracts.ts";

export type Decider = "rest" | "again";

export interface Business {
  /** The contracts of the plan's effects, in their order. */
  plan: readonly ContractKind[];
  notify: readonly ContractKind[];
  decider: Decider;
  /** Asks a model, through the memo, before it decides. */
  asksModel?: boolean;
}

export const workflowType = "simulated";
const payload = z.record(z.string(), z.unknown());
const Proposal = z.object({ said: z.string() });

export const actionOf = (kind: ContractKind, n: number) => `${kind}.step${n}.v1`;
export const tellOf = (kind: ContractKind) => `${kind}.tell.v1`;
export const stepsMax = 3;

export const actionNames = contractKinds.flatMap((kind) => [
  ...Array.from({ length: stepsMax }, (_, n) => actionOf(kind, n)),
  tellOf(kind),
]);

/** Who is told, and what, is kept apart and encrypted. */
const isSensitive = (action: string) => action.includes(".tell.");

const actions = actionNames.map((name) =>
  defineAction({
    name,
    provider: name.split(".")[0] ?? "",
    payload,
    consequence: "It would be done twice.",
    autonomy: "auto",
    sensitive: isSensitive(name),
  }),
);

export const simulatedKeys = payloadKeys({
  deploymentKey: Buffer.from("the deployment key of the simulation"),
  sealing: [{ id: "simulated-1", bytes: Buffer.alloc(sealingKeyBytes, 7) }],
});

/** A sensitive payload is known to the ledger by a keyed digest, and an adapter binds its receipt to that. */
export function frozenDigestOf(action: string, payload: Readonly<Record<string, unknown>>): string {
  return isSensitive(action)
    ? simulatedKeys.digest(canonicalJson(payload))
    : digestOf(payload, "payload");
}

const facts = z.record(z.string(), z.json());

export function simulatedBook(options: {
  business(caseId: string): Business;
  providers: readonly Provider[];
  revision: number;
  decided(caseId: string, version: number, decision: Decision): void;
  /** The model is asked; what it says differs each time. */
  asked(caseId: string, version: number): string;
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
    async decide(view, { memo }) {
      const caseId = textOf(view, "caseId");
      const business = options.business(caseId);
      const ask = async () => ({ said: options.asked(caseId, view.version) });
      const { said } =
        business.asksModel === true ? await memo("proposal", Proposal, ask) : { said: "" };
      const decision = decisionOf(business, view, said);
      options.decided(caseId, view.version, decision);
      return decision;
    },
  };
  const { providers } = options;
  return bookOf({ workflows: [workflow], actions, providers, payloadKeys: simulatedKeys });
}

function decisionOf({ decider, notify, plan }: Business, view: DecideView, said: string): Decision {
  const target = `T-${textOf(view, "caseId")}`;
  const wishes = plan.map((kind, n) => ({
    action: actionOf(kind, n),
    target,
    payload: { step: n, amount: `${textOf(view, "amount")}.00`, said },
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
